"""Runs a Python cell in `__main__`: the whole of it, what it displays, and what it raises."""

import builtins
import sys

from _console_runtime import cells, debugging, sources, tracebacks
from _console_runtime.compiling import Cell, Compiler


class Evaluator:
    """Evaluates the Python cells of one session in `__main__`, one after the other, on the thread that made it."""

    def __init__(self) -> None:
        self._module = sys.modules['__main__']
        self._compiler = Compiler()

    def evaluate(self, source: str, name: str) -> BaseException | None:
        """Takes a cell and its name in tracebacks. Returns the exception that ended it, which was shown, or None.

        Raises SessionEndingError when the session ends meanwhile. Never returns in a fork child of the cell.
        """
        sources.keep(name, source)
        codes: list = []

        def run() -> None:
            cell = self._compiler.compile(source, name)
            codes.extend(cell.codes)
            execute(cell, vars(self._module))

        return cells.carry_out(run, lambda error: tracebacks.show(error, tuple(codes)))


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
