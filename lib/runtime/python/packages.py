"""Prepared packages: lets a new layer take the place of the old one in the living interpreter, whole or not at all.

What is loaded stays as it is and goes on with the files of its own folder, which stays on disk. A loaded package is
only given a new place for its submodules where distributions that came, changed or went have files in its folder
(`google`, `mpl_toolkits`).

A module that is loaded from elsewhere (the workspace, `sys.path` entries of a cell) keeps its name also when a new
distribution has a module of that name: `import` answers from `sys.modules` first, as after any installation beside a
running Python.
"""

import os
import sys
from _imp import acquire_lock, release_lock

from _console_runtime import distributions, loaded, stdlib
from _console_runtime.channel import ChannelFaultError, Frame
from _console_runtime.signals import SessionEndingError, signals

name_of = type.__dict__['__name__'].__get__


class RefusedError(Exception):
    """The new folder is not in use, and nothing has changed; the message says why."""


class Packages:
    """The layers of this process."""

    def __init__(self) -> None:
        self._folders: list[str] = []
        """Every folder that was a layer of this process, as the paths of modules spell it."""

    def contain(self, file: str) -> bool:
        """Takes the path of a file, returns whether it lies in a folder that is or was a layer of this process."""
        return self._place(file) is not None

    def carry_out(self, host, frame: Frame) -> str | None:
        """Takes the server and its `activate`, does it and answers. Returns None, or why nothing has changed.

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

    def carry_out_alone(self, host, frame: Frame) -> str | None:
        """The same while no Python cell runs. An interrupt takes that back, and nothing else.

        Raises ChannelFaultError, and SessionEndingError when that has undone it.
        """
        signals.begin_activation()
        try:
            return self.carry_out(host, frame)
        except KeyboardInterrupt as interrupt:
            return why(interrupt)  # the server was told
        finally:
            signals.end_activation()

    def activate(self, old: str | None, new: str, changed: list[dict]) -> None:
        """Lets the packages of the folder `new` take the place of those of `old` (both absolute).

        `changed` are the distributions whose version differs or that are gone, as {'name', 'from', 'to'}; 'to' is None
        when gone. Raises RefusedError when one of them is loaded or `new` cannot be used. Whatever is raised,
        everything is as it was before.
        """
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
            stdlib.invalidate_caches()
        except BaseException:
            before.restore(new)
            raise

    def _remember(self, folder: str | None) -> None:
        spellings = [folder, *(entry for entry in sys.path if same_place(entry, folder))] if folder else []
        self._folders += [spelling for spelling in spellings if spelling not in self._folders]

    def _place(self, file) -> str | None:
        """Takes the path of a file or folder. Returns where it lies in a layer, with `/`; None when it lies in none."""
        for folder in self._folders:
            if isinstance(file, str) and file.startswith(folder + os.sep):
                return file[len(folder) + 1 :].replace(os.sep, '/')
        return None

    def _refuse_loaded(self, old: str | None, changed: list[dict]) -> None:
        if old is None or not changed:
            return
        places = {self._place(file) for file in loaded.files()}
        present = distributions.installed(old)
        reasons = []
        for change in changed:
            found = present.get(distributions.normalised(change['name']))
            if found is not None and not places.isdisjoint(found.files()):
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
        """Returns the packages in whose folders a distribution came, changed or went, with their new `__path__`."""
        packages = [(module, path) for module, path in loaded.packages() if any(map(self._place, path))]
        folders = distributions.differing_folders(old, new) if packages else set()
        moved = [(module, [self._successor(entry, folders, new) for entry in path]) for module, path in packages]
        return [(module, path) for module, path in moved if path != module.__path__]

    def _successor(self, entry, folders: set[str], new: str):
        place = self._place(entry)
        return os.path.join(new, *place.split('/')) if place in folders else entry


def why(error: BaseException) -> str:
    """Takes what an activation has raised, returns what the server is told: at worst without the error's own text."""
    if isinstance(error, RefusedError):
        return str(error)
    if isinstance(error, KeyboardInterrupt):
        return 'the packages were not put in place: interrupted'
    reason = f'the packages could not be put in place: {name_of(type(error))}'
    try:
        return f'{reason}: {error}'
    except SessionEndingError:
        raise
    except BaseException:
        return reason


def order_of(frame: Frame) -> tuple[str | None, str, list[dict]]:
    """Takes an `activate`, returns its old folder, its new one, and what changes. Raises ChannelFaultError."""
    json = stdlib.load('json')
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
            if name not in self._modules and (loaded.file_of(module) or '').startswith(new + os.sep):
                del sys.modules[name]
        for module, path in self.paths:
            module.__path__ = path
        sys.path_importer_cache.clear()


def entries_after(old: str | None, new: str) -> list:
    """Takes the folders of both layers. Returns sys.path with `new` where `old` was, else at the end."""
    entries = []
    for entry in sys.path:
        following = successor(entry, old, new)
        if following is entry or (following is not None and following not in entries):
            entries.append(following)
    return entries if new in entries else [*entries, new]


def run_path_files(new: str) -> None:
    """Takes a folder on sys.path and does what its .pth files say, as Python's start does; they add after it."""
    entries = list(sys.path)
    stdlib.load('site').addsitedir(new)
    end = len(sys.path)
    while sys.path[end - 1] not in entries:
        end -= 1
    added = sys.path[end:]
    del sys.path[end:]
    place = sys.path.index(new) + 1
    sys.path[place:place] = added


def successor(entry, old: str | None, new: str):
    """Takes an entry of sys.path and the folders of both layers. Returns what takes its place, or None."""
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
    """Takes two entries of sys.path, returns whether they are the same folder, however spelled. '' is never one."""
    if not (one and other and isinstance(one, str) and isinstance(other, str)):
        return False
    return one == other or os.path.realpath(one) == os.path.realpath(other)
