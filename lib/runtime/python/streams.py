"""The streams that are sys.stdout and sys.stderr, and their binary layers."""

import io

from _console_runtime import turns
from _console_runtime.flusher import flusher
from _console_runtime.outlets import Outlet, empty, nested, send, write_nested
from _console_runtime.turns import UNDER_WAY, await_turn, call_next, waiting


class BinaryOutput(io.BufferedIOBase):
    """Writes bytes at once, and all of them."""

    def __init__(self, outlet: Outlet) -> None:
        self.outlet = outlet
        self.name = outlet.name
        self.mode = 'wb'

    def writable(self) -> bool:
        """Returns True."""
        return True

    def fileno(self) -> int:
        """Returns the descriptor."""
        return self.outlet.fd

    def isatty(self) -> bool:
        """Returns whether the descriptor is a terminal's: a cell may have put one there."""
        return self.outlet.isatty()

    def close(self) -> None:
        """Does nothing: the session goes on after a cell that closed its output."""

    def write(self, data, late=False) -> int:
        """Takes bytes, returns how many they are. `late` is for what waited in `nested`.

        Waits while the pipe is full, also when a child has made it non-blocking.
        """
        piece = data if type(data) is bytes else memoryview(data).tobytes()
        if nested and not late and not write_nested():
            nested.append((self, piece))
            return len(piece)
        while turns.held is not None:
            if not await_turn():
                nested.append((self, piece))
                return len(piece)
        if not send(self, lambda stream: stream.outlet.ready.append(piece)):
            nested.append((self, piece))
        return len(piece)


class TextOutput(io.TextIOWrapper):
    """A text stream that holds at most the beginning of a line."""

    def __init__(self, fd: int, name: str, errors: str) -> None:
        outlet = Outlet(fd, name)
        super().__init__(outlet, 'utf-8', errors, '\n', line_buffering=True)
        self.mode = 'w'
        self.outlet = outlet
        self._ready = outlet.ready
        self._binary = BinaryOutput(outlet)

    @property
    def buffer(self) -> BinaryOutput:
        """The stream of bytes to the same descriptor."""
        return self._binary

    def detach(self) -> BinaryOutput:
        """Returns the stream of bytes; this one cannot be used any more."""
        super().detach()
        return self._binary

    def write(self, text: str, late=False, _write=io.TextIOWrapper.write) -> int:
        """Takes text, returns its length. `late` is for what waited in `nested`."""
        if nested and not late and not write_nested():
            nested.append((self, text))
            return len(text)
        then = UNDER_WAY
        try:
            while True:
                if turns.held is self:
                    then, turns.held = self, UNDER_WAY
                    break
                if turns.held is None:
                    then, turns.held = self, UNDER_WAY
                    break
                if not await_turn():
                    nested.append((self, text))
                    return len(text)
            count = _write(self, text)
            if self._ready:
                empty(self.outlet)
                then = None
        finally:
            if then is not UNDER_WAY:
                turns.held = then
        if then is None:
            if waiting:
                call_next()
        else:
            if turns.companion is not None:
                turns.companion.holding()
            flusher.wanted = True
            if not flusher.running:
                flusher.start()
        if nested:
            write_nested()
        return count

    def flush(self, _flush=io.TextIOWrapper.flush) -> None:
        """Writes out what is held."""
        send(self, _flush)

    def close(self) -> None:
        """Writes out what is held; the stream stays open, as its descriptor does."""
        self.flush()


turns.writing.append(TextOutput.write.__code__)
