"""Runs a cell in `__main__`: the whole of it, what it displays, what it raises, and the figures that it leaves open."""

import builtins
import os
import sys

from _console_runtime import debugging, figures, output, sources, tracebacks
from _console_runtime.channel import ChannelFaultError
from _console_runtime.compiling import Cell, Compiler
from _console_runtime.signals import SessionEndingError, signals


class Evaluator:
    """Evaluates the cells of one session in `__main__`, one after the other, on the thread that made it."""

    def __init__(self) -> None:
        self._module = sys.modules['__main__']
        self._compiler = Compiler()
        self._process = os.getpid()

    def evaluate(self, source: str, name: str) -> BaseException | None:
        """Takes a cell and its name in tracebacks. Returns the exception that ended it, which was shown, or None.

        Raises SessionEndingError when the session ends meanwhile. Never returns in a fork child of the cell.
        """
        output.restore()
        sources.keep(name, source)
        codes: list = []
        try:
            error = raised_by(self._run, source, name, codes)
            if os.getpid() != self._process:
                leave_child(error, tuple(codes))
            if error is not None:
                tracebacks.show(error, tuple(codes))
            for step in (figures.finish, output.settle):  # a stream of the cell's own may take its time
                trouble = raised_by(step)
                if trouble is not None:
                    tracebacks.show(trouble)
            return error
        finally:
            signals.end()

    def _run(self, source: str, name: str, codes: list) -> None:
        signals.begin()
        cell = self._compiler.compile(source, name)
        codes.extend(cell.codes)
        execute(cell, vars(self._module))


def raised_by(step, *arguments) -> BaseException | None:
    """Calls a function of the runtime. Returns what it raised, but for what ends the session, which goes on."""
    try:
        step(*arguments)
    except (SessionEndingError, ChannelFaultError):
        raise
    except BaseException as error:
        return error
    return None


def execute(cell: Cell, namespace: dict) -> None:
    """Takes a cell and its globals and runs it: its code hands the value of its final expression to sys.displayhook."""
    namespace.setdefault('__builtins__', builtins)
    if cell.awaits:
        from _console_runtime import coroutines

        coroutines.run(cell.codes, namespace)
        return
    for code in cell.codes:
        try:
            eval(code, namespace)
        finally:
            debugging.leave()


def leave_child(error: BaseException | None, codes: tuple) -> None:
    """Ends a fork child at the end of its cell, as a script ends: with what it raised, and its status."""
    status = 0
    if isinstance(error, SystemExit):
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
        if status and not isinstance(error.code, int):
            output.say(f'{error.code}\n')
    elif error is not None:
        tracebacks.show(error, codes)
        status = 1
    output.settle()
    os._exit(status & 0xFF)
