"""Prepared packages: lets the folder of a new layer take the place of the old one in the living interpreter, whole or not at all.

What is loaded stays as it is and goes on with the files of its own folder, which stays on disk. A loaded package is only given a
new place for its submodules where distributions that came, changed or went have files in its folder (`google`, `mpl_toolkits`).

A module that is loaded from elsewhere (the workspace, `sys.path` entries of a cell) keeps its name also when a new distribution has
a module of that name: `import` answers from `sys.modules` first, as after any installation beside a running Python.
"""

import os
import sys

from _imp import acquire_lock, release_lock

from _console_runtime import distributions
from _console_runtime.channel import ChannelFaultError, Frame
from _console_runtime.signals import SessionEndingError


class RefusedError(Exception):
    """The new folder is not in use, and nothing has changed; the message says why."""


class Packages:
    """The layers of this process."""

    def __init__(self) -> None:
        self._folders: list[str] = []
        """Every folder that was a layer of this process, as paths of modules spell it: modules may be loaded from any of them."""

    def contain(self, file: str) -> bool:
        """Takes the path of a file, returns whether it lies in a folder that is or was a layer of this process."""
        return self._place(file) is not None

    def carry_out(self, host, frame: Frame) -> str | None:
        """Takes the server and its `activate`, does what it asks and answers it. Returns None, or why nothing has changed.

        Raises ChannelFaultError, and KeyboardInterrupt or SessionEndingError when one of them has undone it.
        """
        number = frame.number('id')
        try:
            self.activate(*order_of(frame))
        except (SessionEndingError, ChannelFaultError):
            raise
        except BaseException as error:
            reason = why(error)
            host.send(f'refused id={number}', reason.encode('utf-8', 'replace'))
            if isinstance(error, KeyboardInterrupt):
                raise
            return reason
        host.send(f'activated id={number}')
        return None

    def activate(self, old: str | None, new: str, changed: list[dict]) -> None:
        """Lets the packages of the folder `new` take the place of those of `old` (both absolute).

        `changed` are the distributions whose version differs or that are gone, as {'name', 'from', 'to'}; 'to' is None when gone.
        Raises RefusedError when one of them is loaded or `new` cannot be used. Whatever is raised, everything is as it was before.
        """
        import importlib

        if not os.path.isdir(new):
            raise RefusedError(f'there is no folder {new}')
        before = State()
        try:
            acquire_lock()  # imports of other threads find the old packages or the new ones, and nothing between
            try:
                self._remember(old)
                self._refuse_loaded(old, changed)
                self._replace(old, new, before)
            finally:
                release_lock()
            run_path_files(new)
            importlib.invalidate_caches()
        except BaseException:
            before.restore(new)
            raise

    def _remember(self, folder: str | None) -> None:
        spellings = [folder, *(entry for entry in sys.path if same_place(entry, folder))] if folder else []
        self._folders += [spelling for spelling in spellings if spelling not in self._folders]

    def _place(self, file) -> str | None:
        """Takes the path of a file or folder, returns where it lies in a layer: its parts with `/` between them. None elsewhere."""
        for folder in self._folders:
            if isinstance(file, str) and file.startswith(folder + os.sep):
                return file[len(folder) + 1 :].replace(os.sep, '/')
        return None

    def _refuse_loaded(self, old: str | None, changed: list[dict]) -> None:
        if old is None or not changed:
            return
        loaded = {self._place(file) for file in [*map(file_of, list(sys.modules.values())), *mapped_files()]}
        present = distributions.installed(old)
        reasons = []
        for change in changed:
            found = present.get(distributions.normalised(change['name']))
            if found is not None and not loaded.isdisjoint(found.files()):
                fate = f'{change["to"]} was asked for' if change['to'] else 'the new packages are without it'
                reasons.append(f'{change["name"]} {change["from"]} is imported, and {fate}')
        if reasons:
            raise RefusedError('; '.join(reasons) + ': an imported package changes only with a restart')

    def _replace(self, old: str | None, new: str, before: 'State') -> None:
        self._remember(new)
        moved = self._moved(old, new)
        sys.path[:] = entries_after(old, new)
        for module, path in moved:
            before.paths.append((module, module.__path__))
            module.__path__ = path

    def _moved(self, old: str | None, new: str) -> list[tuple]:
        """Returns the loaded packages in whose folders distributions came, changed or went, each with its new `__path__`."""
        packages = map(with_path, list(sys.modules.values()))
        loaded = [(module, path) for module, path in packages if any(map(self._place, path))]
        folders = distributions.differing_folders(old, new) if loaded else set()
        moved = [(module, [self._successor(entry, folders, new) for entry in path]) for module, path in loaded]
        return [(module, path) for module, path in moved if path != module.__path__]

    def _successor(self, entry, folders: set[str], new: str):
        place = self._place(entry)
        successor = os.path.join(new, *place.split('/')) if place in folders else None
        return successor if successor and os.path.isdir(successor) else entry


def why(error: BaseException) -> str:
    """Takes what an activation has raised, returns what the server is told."""
    if isinstance(error, RefusedError):
        return str(error)
    if isinstance(error, KeyboardInterrupt):
        return 'interrupted'
    return f'the packages could not be put in place: {type(error).__name__}: {error}'


def order_of(frame: Frame) -> tuple[str | None, str, list[dict]]:
    """Takes an `activate`, returns its old folder, its new folder, and what changes between them. Raises ChannelFaultError."""
    import json

    try:
        order = json.loads(frame.body)
        return order['old'], order['new'], order['changed']
    except (ValueError, KeyError, TypeError) as error:
        raise ChannelFaultError(f'the body of an activate frame: {error!r}') from error


class State:
    """What an activation changes, as it was before."""

    def __init__(self) -> None:
        lists = {name: getattr(sys, name) for name in ('path', 'meta_path', 'path_hooks')}
        self._lists = [(name, place, list(place)) for name, place in lists.items()]
        self._modules = set(sys.modules)
        self.paths: list[tuple] = []
        """Packages and the `__path__` that each had."""

    def restore(self, new: str) -> None:
        """Takes the folder that will not be used, and puts everything back."""
        for name, place, content in self._lists:
            place[:] = content
            setattr(sys, name, place)
        for name, module in list(sys.modules.items()):
            if name not in self._modules and (file_of(module) or '').startswith(new + os.sep):
                del sys.modules[name]
        for module, path in self.paths:
            module.__path__ = path
        sys.path_importer_cache.clear()


def entries_after(old: str | None, new: str) -> list:
    """Takes the folders of both layers. Returns sys.path with `new` where `old` was; at the end when `old` is not there."""
    entries = []
    for entry in sys.path:
        following = successor(entry, old, new)
        if following is entry or (following is not None and following not in entries):
            entries.append(following)
    return entries if new in entries else [*entries, new]


def run_path_files(new: str) -> None:
    """Takes a folder on sys.path and does what its .pth files say, as Python does when it starts. What they add comes right after it."""
    import site

    entries = list(sys.path)
    site.addsitedir(new)
    end = len(sys.path)
    while sys.path[end - 1] not in entries:
        end -= 1
    added = sys.path[end:]
    del sys.path[end:]
    place = sys.path.index(new) + 1
    sys.path[place:place] = added


def successor(entry, old: str | None, new: str):
    """Takes an entry of sys.path and the folders of both layers, returns what takes its place; None when there is nothing."""
    if not old or not entry or not isinstance(entry, str):
        return entry
    if same_place(entry, old):
        return new
    real, real_old = os.path.realpath(entry), os.path.realpath(old)
    if not real.startswith(real_old + os.sep):
        return entry
    moved = new + real[len(real_old) :]
    return moved if os.path.exists(moved) else None


def same_place(one, other) -> bool:
    """Takes two entries of sys.path, returns whether they are the same folder, however spelled. The working folder is none."""
    if not (one and other and isinstance(one, str) and isinstance(other, str)):
        return False
    return one == other or os.path.realpath(one) == os.path.realpath(other)


def attributes(module) -> dict:
    """Takes an entry of sys.modules, returns its attributes without running any code of its own."""
    try:
        return object.__getattribute__(module, '__dict__')
    except AttributeError:
        return {}


def file_of(module) -> str | None:
    """Takes an entry of sys.modules, returns the path of the file that it was loaded from."""
    file = attributes(module).get('__file__')
    return file if isinstance(file, str) else None


def mapped_files() -> list[str]:
    """Returns the files that are mapped into memory, where the system tells: shared libraries are loaded without a module of theirs."""
    try:
        with open('/proc/self/maps', encoding='utf-8', errors='surrogateescape') as lines:
            return list({line.split(maxsplit=5)[5].rstrip('\n') for line in lines if '/' in line})
    except OSError:
        return []


def with_path(module) -> tuple[object, list]:
    """Takes an entry of sys.modules, returns it with its `__path__`: nothing when it has none of its own, or one that looks after itself."""
    path = attributes(module).get('__path__')
    return module, path if isinstance(path, list) else []
