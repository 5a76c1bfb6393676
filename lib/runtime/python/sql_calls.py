"""Calls made for an SQL cell as if it were Python of `__main__`: there names mean data frames, and interrupts raise."""

import builtins
import sys


class Caller:
    """Calls functions in a frame that belongs to a cell.

    DuckDB looks for data frames in the globals of the frame that calls it, and an interrupt raises in no frame of the
    runtime. No import below such a frame is one that a Python cell has reached.
    """

    def __init__(self, name: str) -> None:
        """Takes the name of the cell."""
        self._code = compile('_console_function(*_console_arguments)', name, 'eval')
        self._globals = vars(sys.modules['__main__'])
        self._globals.setdefault('__builtins__', builtins)

    def settle(self) -> None:
        """Takes an interrupt that is still to be raised: what it was meant for has ended."""
        try:
            self(int)
        except KeyboardInterrupt:
            return

    def __call__(self, function, *arguments):
        """Takes a function and its arguments, calls it, and returns what it returns."""
        return eval(self._code, self._globals, {'_console_function': function, '_console_arguments': arguments})
