"""sys.stdin, as a stream over the terminal's exact reads."""

import codecs
import io
import sys

from _console_runtime.terminal import Terminal


class RawInput(io.RawIOBase):
    """The terminal's bytes, a line at a time."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.name = '<stdin>'
        self.mode = 'rb'

    def readable(self) -> bool:
        """Returns True."""
        return True

    def fileno(self) -> int:
        """Returns 0."""
        return 0

    def isatty(self) -> bool:
        """Returns whether fd 0 is a terminal's."""
        import os

        return os.isatty(0)

    def close(self) -> None:
        """Does nothing: the session goes on after a cell that closed its input."""

    def readinto(self, buffer) -> int:
        """Fills the beginning of `buffer`, not beyond a newline. Returns how many bytes it holds, 0 at end of file."""
        piece = self.terminal.read_some(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


class BinaryInput(io.BufferedReader):
    """sys.stdin.buffer: keeps nothing for itself, so that it never holds a byte that another reader should have had."""

    def __init__(self, terminal: Terminal) -> None:
        super().__init__(RawInput(terminal), buffer_size=1)

    def peek(self, size: int = 0) -> bytes:
        """Returns nothing: what was not read is still the terminal's."""
        return b''

    def readline(self, size: int | None = -1) -> bytes:
        """Returns the next line with its newline, cut at `size` bytes if that is not negative; less at end of file."""
        if size is None or size < 0:
            return self.raw.terminal.read_line()
        line = b''
        while len(line) < size and not line.endswith(b'\n'):
            piece = self.raw.terminal.read_some(size - len(line))
            if not piece:
                break
            line += piece
        return line


class TextInput(io.TextIOWrapper):
    """sys.stdin. Only `read(n)` and `readline(n)` can leave text behind, and never from beyond a newline."""

    def __init__(self, terminal: Terminal) -> None:
        super().__init__(BinaryInput(terminal), 'utf-8', 'surrogateescape', '\n')
        self.mode = 'r'
        self._left = ''

    def close(self) -> None:
        """Does nothing: the session goes on after a cell that closed its input."""

    def readline(self, size: int | None = -1) -> str:
        """Returns the next line with its newline, cut at `size` characters unless negative; less at end of file."""
        text = self._left
        if '\n' not in text:
            text += self.buffer.readline().decode(self.encoding, self.errors)
        end = text.find('\n') + 1 or len(text)
        if size is not None and 0 <= size < end:
            end = size
        self._left = text[end:]
        return text[:end]

    def read(self, size: int | None = -1) -> str:
        """Returns `size` characters, or all until end of file when `size` is negative or None; less at end of file."""
        if size is None or size < 0:
            size = sys.maxsize
        decoder = codecs.getincrementaldecoder(self.encoding)(self.errors)
        text = self._left
        while len(text) < size:
            # A character has at least one byte: so many bytes are never too many.
            piece = self.buffer.read1(min(size - len(text), 1 << 16))
            text += decoder.decode(piece, not piece)
            if not piece:
                break
        self._left = text[size:]
        return text[:size]


def install(terminal: Terminal) -> None:
    """Takes the terminal and puts the stream over it in the place of Python's own."""
    sys.stdin = sys.__stdin__ = TextInput(terminal)
