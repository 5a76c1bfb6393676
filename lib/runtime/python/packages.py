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

        Raises ChannelFaultError, and what has interrupted it.
        """
        number = frame.number('id')
        reason = 'interrupted'
        try:
            self.activate(*order_of(frame))
        except (KeyboardInterrupt, SessionEndingError, ChannelFaultError):
            raise
        except RefusedError as refusal:
            reason = str(refusal)
        except BaseException as error:
            reason = f'the packages could not be put in place: {type(error).__name__}: {error}'
        else:
            reason = None
        finally:
            if reason is None:
                host.send(f'activated id={number}')
            else:
                host.send(f'refused id={number}', reason.encode('utf-8', 'replace'))
        return reason

    def activate(self, old: str | None, new: str, changed: list[dict]) -> None:
        """Lets the packages of the folder `new` take the place of those of `old` (both absolute).

        `changed` are the distributions whose version differs or that are gone, as {'name', 'from', 'to'}; 'to' is None when gone.
        Raises RefusedError when one of them is loaded or `new` cannot be used. Whatever is raised, everything is as it was before.
        """
        # Other threads find either the old packages or the new ones.
        acquire_lock()
        try:
            if not os.path.isdir(new):
                raise RefusedError(f'there is no folder {new}')
            self._remember(old)
            self._refuse_loaded(old, changed)
            if old is None or not same_place(old, new):
                self._replace(old, new)
        finally:
            release_lock()

    def _remember(self, folder: str | None) -> None:
        spellings = [folder, *(entry for entry in sys.path if same_place(entry, folder))] if folder else []
        self._folders += [spelling for spelling in spellings if spelling not in self._folders]

    def _place(self, file) -> str | None:
        """Takes the path of a file or folder, returns where it lies in a layer: its parts with `/` between them. None elsewhere."""
        for folder in self._folders:
            if file.startswith(folder + os.sep):
                return file[len(folder) + 1 :].replace(os.sep, '/')
        return None

    def _refuse_loaded(self, old: str | None, changed: list[dict]) -> None:
        if old is None or not changed:
            return
        loaded = {self._place(file) for file in map(file_of, list(sys.modules.values())) if file}
        present = distributions.installed(old)
        reasons = []
        for change in changed:
            found = present.get(distributions.normalised(change['name']))
            if found is not None and not loaded.isdisjoint(found.files()):
                fate = f'{change["to"]} was asked for' if change['to'] else 'the new packages are without it'
                reasons.append(f'{change["name"]} {change["from"]} is imported, and {fate}')
        if reasons:
            raise RefusedError('; '.join(reasons) + ': an imported package changes only with a restart')

    def _replace(self, old: str | None, new: str) -> None:
        before = State()
        try:
            put_in_place(old, new)
            self._remember(new)
            for module, path in self._moved(old, new):
                before.paths.append((module, module.__path__))
                module.__path__ = path
            invalidate_caches()
        except BaseException:
            before.restore(new)
            raise

    def _moved(self, old: str | None, new: str) -> list[tuple]:
        """Returns the loaded packages in whose folders distributions came, changed or went, each with its new `__path__`."""
        folders = distributions.differing_folders(old, new)
        moved = []
        for module in list(sys.modules.values()):
            path = attributes(module).get('__path__')
            if not isinstance(path, list):
                continue
            changed = [self._successor(entry, folders, new) for entry in path]
            if changed != path:
                moved.append((module, changed))
        return moved

    def _successor(self, entry, folders: set[str], new: str):
        place = self._place(entry) if isinstance(entry, str) else None
        successor = os.path.join(new, *place.split('/')) if place in folders else None
        return successor if successor and os.path.isdir(successor) else entry


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
        self._lists = [(name, getattr(sys, name), list(getattr(sys, name))) for name in ('path', 'meta_path', 'path_hooks')]
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


def put_in_place(old: str | None, new: str) -> None:
    """Takes the folders of both layers. On sys.path, puts `new`, with what its .pth files add, where `old` and what lies in it was."""
    import site

    entries = list(dict.fromkeys(successor(entry, old, new) for entry in sys.path))
    entries = [entry for entry in entries if entry is not None]
    if new not in entries:
        entries.append(new)
    sys.path[:] = entries
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


def invalidate_caches() -> None:
    """Lets imports and importlib.metadata look at the file system anew."""
    import importlib

    importlib.invalidate_caches()
    metadata = sys.modules.get('importlib.metadata')
    if metadata is not None:
        metadata.MetadataPathFinder().invalidate_caches()
