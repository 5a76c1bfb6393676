"""Does something once a module has been imported, without importing it: how libraries are fitted to the session."""

import sys
from _frozen_importlib import _find_spec

from _console_runtime import tracebacks


class AfterImport:
    """A finder that finds nothing itself.

    It lets the other finders find a module and adds what is to be done once it was loaded.
    """

    def __init__(self, actions: dict) -> None:
        self._actions = actions
        self._finding: set[str] = set()

    def find_spec(self, name: str, path=None, target=None):
        """Takes the name of a module, returns its spec when there is something to do after it, else None."""
        if name not in self._actions or name in self._finding:
            return None
        self._finding.add(name)
        try:
            spec = _find_spec(name, path, target)
        finally:
            self._finding.discard(name)
        if spec is not None and hasattr(spec.loader, 'exec_module'):
            self._follow(spec.loader, name)
        return spec

    def _follow(self, loader, name: str) -> None:
        """Shadows the loader's method until it was called, so that afterwards nothing is left to see."""

        def exec_module(module) -> None:
            vars(loader).pop('exec_module', None)
            loader.exec_module(module)
            action = self._actions.pop(name, None)
            if action is not None:
                perform(action, module)

        try:
            loader.exec_module = exec_module
        except AttributeError:
            return  # a loader without attributes of its own (of a built-in module): nothing can be added

    def catch_up(self) -> None:
        """Does what there is to do for modules that were imported before."""
        for name in [name for name in self._actions if name in sys.modules]:
            perform(self._actions.pop(name), sys.modules[name])


def perform(action, module) -> None:
    """Calls an action with the module that it is for. Its failure is shown and does not break the import."""
    try:
        action(module)
    except Exception as error:
        tracebacks.show(error)


def install(actions: dict) -> None:
    """Takes functions by the names of modules, and calls each with its module once that was imported."""
    finder = AfterImport(actions)
    finder.catch_up()
    sys.meta_path.insert(0, finder)
