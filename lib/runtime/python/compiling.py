"""Compiles a cell whole before any of it runs."""

import _ast

from _console_runtime.sources import lines_of

ONLY_AST = 0x400
TOP_LEVEL_AWAIT = 0x2000
COROUTINE = 0x80
"""Flag of a code object that returns a coroutine."""
FUTURES = 0x1FF0000
"""The flags that `from __future__ import …` leaves in a code object."""


class Cell:
    """A compiled cell."""

    __slots__ = ('awaits', 'codes')

    def __init__(self, body, final) -> None:
        self.codes = (body,) if final is None else (body, final)
        """The code objects to run one after the other: the statements, and what displays the final expression."""
        self.awaits = any(code.co_flags & COROUTINE for code in self.codes)
        """Whether the cell awaits at top level: all of it then runs in an event loop."""


class Compiler:
    """Compiles the cells of one session. What one imports from `__future__` holds for the next, as at a prompt."""

    def __init__(self) -> None:
        self._futures = 0

    def compile(self, source: str, name: str) -> Cell:
        """Takes the source of a cell and its name in tracebacks.

        Raises SyntaxError, or whatever else the compiler raises.
        """
        cell = self._simple(source, name) if is_simple(source) else None
        if cell is not None:
            return cell
        try:
            tree = self._compile(without_nul(source, name), name, 'exec', ONLY_AST)
        except SyntaxError as error:
            raise command_error(error, source, name) or error from None
        final = None
        if tree.body and isinstance(tree.body[-1], _ast.Expr):
            final = _ast.Interactive([tree.body.pop()])
        return self._cell(self._compile(tree, name, 'exec'), final and self._compile(final, name, 'single'))

    def _simple(self, source: str, name: str) -> Cell | None:
        """Returns what a line at the prompt becomes: for one statement that is the same, in one step, not three."""
        try:
            return self._cell(self._compile(source, name, 'single'), None)
        except SyntaxError:
            return None  # also when there is no statement at all: the other way knows what that means

    def _cell(self, body, final) -> Cell:
        self._futures |= body.co_flags & FUTURES
        return Cell(body, final)

    def _compile(self, source, name: str, mode: str, flags: int = 0):
        return compile(source, name, mode, flags | TOP_LEVEL_AWAIT | self._futures, dont_inherit=True)


def is_simple(source: str) -> bool:
    """Takes a source. Returns whether it cannot be more than one statement, with no other within it."""
    return source.isprintable() and ':' not in source and ';' not in source


def without_nul(source: str, name: str) -> str:
    """Takes a source, returns it. Raises SyntaxError, with the place, when it holds a NUL character."""
    for number, line in enumerate(lines_of(source) if '\0' in source else (), 1):
        column = line.find('\0')
        if column >= 0:
            shown = line.replace('\0', '\u2400')
            raise SyntaxError('source code cannot contain null bytes', (name, number, column + 1, shown))
    return source


def command_error(error: SyntaxError, source: str, name: str) -> SyntaxError | None:
    """Takes a syntax error.

    Returns one that says what to write instead when its line, or the cell, is an IPython command.
    """
    lines = lines_of(source)
    first = next((number for number, line in enumerate(lines, 1) if line.strip()), 1)
    for number in (error.lineno, first):
        line = lines[number - 1] if number is not None and 0 < number <= len(lines) else ''
        command = line.lstrip()
        if command[:1] == '!':
            advice = 'this is plain Python, without `!` commands: use subprocess.run([...])'
        elif command[:1] == '%':
            advice = 'this is plain Python, without `%` commands: use the Python that does the same'
        else:
            continue
        return SyntaxError(advice, (name, number, len(line) - len(command) + 1, line))
    return None
