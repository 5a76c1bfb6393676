"""Implicit imports: a last-chance finder that asks the server to prepare what an import of a cell does not find.

It answers real imports only, and only those that a Python cell has reached: an `import` statement or
`importlib.import_module`, on the main thread of this process, outside the initialization of an installed package.
Whoever else asks for a module (`importlib.util.find_spec`, C code, `__import__`, the driver of a cell in another
language) gets Python's own answer. A function of a cell that C code calls, such as one that a database runs in a query,
is the cell's code like any other.
"""

import _frozen_importlib
import os
import sys
from _imp import acquire_lock, release_lock

from _console_runtime import inference, stdlib
from _console_runtime.distributions import normalised
from _console_runtime.packages import Packages
from _console_runtime.signals import is_own

importlib = stdlib.load('importlib')
opcode = stdlib.load('opcode')

IMPORT_NAME = opcode.opmap['IMPORT_NAME']
IMPORT_MODULE = importlib.import_module.__code__
MACHINERY = (vars(_frozen_importlib), vars(importlib))
"""The globals of the code between an import and its finders."""
CELL_MODULES = ('_console_runtime.evaluator', '_console_runtime.coroutines')
"""The modules of the runtime below whose frames a Python cell runs."""


_finder: 'Finder | None' = None


class Finder:
    """The finder. It comes last on sys.meta_path, and asks those that a cell has put behind it first."""

    def __init__(self, host, packages: Packages) -> None:
        self._host = host
        self._packages = packages
        self._installed = installed_folders()

    def find_spec(self, name: str, path=None, target=None):
        """Takes what the import system asks for. Returns the spec of a module that was prepared, or None.

        Raises ModuleNotFoundError when there is more to say than that.
        """
        frame = importing_frame()
        if frame is None or not self._is_reached(frame):
            return None
        if '.' in name:
            reason = inference.part_of_shared(wanted_by(frame, name))
            if reason is not None and self._found_by_others(name, path) is None:
                raise missing(name, reason)
            return None
        # Finders remember what a folder holds, and a file that the cell has written a moment ago can be news to them.
        stdlib.invalidate_caches()
        return self._found_by_others(name) or self._inferred(name, wanted_by(frame, name))

    def _is_reached(self, frame) -> bool:
        """Takes the frame that imports, returns whether a cell, or a thread or child of one, has reached it."""
        while frame is not None and (is_bridge(frame) or not is_own(frame.f_code)):
            if frame.f_code.co_name == '<module>' and self._is_installed(frame.f_code.co_filename):
                return False
            frame = frame.f_back
        return frame.f_globals['__name__'] in CELL_MODULES if frame is not None else not self._host.on_main_thread()

    def _is_installed(self, file: str) -> bool:
        return file.startswith(self._installed) or self._packages.contain(file)

    def _found_by_others(self, name: str, path=None):
        """Asks all other finders, also those that a cell has put behind this one. Returns the first spec, or None."""
        for finder in list(sys.meta_path):
            spec = None if finder is self else finder.find_spec(name, path, None)
            if spec is not None:
                return spec
        return None

    def _inferred(self, name: str, wanted: str):
        try:
            distribution = inference.distribution_of(name, wanted)
        except inference.NotInferredError as reason:
            raise missing(name, str(reason)) from None
        if distribution is None:
            return None
        if not self._host.on_main_thread():
            advice = f'Prepare it before: {inference.example(distribution)}'
            raise missing(name, f'threads and forked processes cannot have packages prepared. {advice}')
        return self._prepared(name, distribution)

    def _prepared(self, name: str, distribution: str):
        reason = self._prepare(name, distribution)
        if reason is not None:
            raise unprepared(name, distribution, reason)
        spec = self._found_by_others(name)
        if spec is None:
            problem = f'the PyPI distribution {distribution!r} is prepared now, but has no such module'
            raise missing(name, f'{problem}. Declare the one that has it: {inference.example("NAME")}')
        if normalised(name) != distribution:
            sys.__stdout__.write(f'[resolved PyPI distribution {distribution!r} for Python import {name!r}]\n')
        return spec

    def _prepare(self, name: str, distribution: str) -> str | None:
        release_lock()  # this can take minutes, in which imports of other threads need it
        try:
            return self.prepare(name, distribution)
        finally:
            acquire_lock()

    def prepare(self, name: str, distribution: str) -> str | None:
        """Asks the server for a distribution and activates what it answers. Returns None, or why there is nothing."""
        answer = self._host.request(name, distribution)
        return answer.text() if answer.verb == 'unprepared' else self._packages.carry_out(self._host, answer)


def installed_folders() -> tuple[str, ...]:
    """Returns the folders whose modules are installed: all of sys.path, but what the user has put there."""
    own = {'', *map(os.path.abspath, os.environ.get('PYTHONPATH', '').split(os.pathsep))}
    return tuple(entry + os.sep for entry in sys.path if entry not in own)


def importing_frame():
    """Returns the frame of the import that has led to the caller, or None when it is not one of Python code."""
    frame = sys._getframe(2)
    by_call = False
    while frame is not None and is_machinery(frame):
        by_call = by_call or frame.f_code is IMPORT_MODULE
        frame = frame.f_back
    return frame if frame is not None and (by_call or is_at_import(frame)) else None


def is_machinery(frame) -> bool:
    """Takes a frame, returns whether it belongs to the import system itself."""
    return any(frame.f_globals is globals for globals in MACHINERY) or is_bridge(frame)


def is_bridge(frame) -> bool:
    """Takes a frame, returns whether it is reticulate's: between a cell and R, or between an import and its finders."""
    name = dict.get(frame.f_globals, '__name__')
    return isinstance(name, str) and name.startswith('rpytools.')


def is_at_import(frame) -> bool:
    """Takes a frame, returns whether it executes an import statement: else a C function that it called imports."""
    return frame.f_code.co_code[frame.f_lasti] == IMPORT_NAME


def wanted_by(frame, name: str) -> str:
    """Takes the frame of an import and the name that is missing, returns the whole name that is imported."""
    code, place = frame.f_code.co_code, frame.f_lasti
    number, shift = code[place + 1], 8
    while place >= 2 and code[place - 2] == opcode.EXTENDED_ARG:
        place -= 2
        number |= code[place + 1] << shift
        shift += 8
    names = frame.f_code.co_names
    wanted = names[number] if is_at_import(frame) and number < len(names) else name
    return wanted if wanted.startswith(name + '.') else name


def missing(name: str, reason: str) -> ModuleNotFoundError:
    """Takes the name of a module and why there is none, returns the exception."""
    return ModuleNotFoundError(f'No module named {name!r}: {reason}', name=name)


def unprepared(name: str, distribution: str, reason: str) -> ModuleNotFoundError:
    """Takes a module, the distribution that was to be prepared for it, and what went wrong. Returns the exception."""
    advice = f'If another distribution or version is the right one, declare it: {inference.example(distribution)}'
    return missing(name, f'the PyPI distribution {distribution!r} could not be prepared.\n{reason.rstrip()}\n{advice}')


def install(host, packages: Packages) -> None:
    """Takes the server and the layers of this process, and registers the finder."""
    global _finder
    _finder = Finder(host, packages)
    sys.meta_path.append(_finder)


def prepare(name: str, distribution: str) -> str | None:
    """Takes a module that the session itself is missing, and the distribution that has it. Returns None, or why not."""
    return _finder.prepare(name, distribution)
