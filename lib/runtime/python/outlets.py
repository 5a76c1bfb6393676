"""What is on its way to fd 1 and 2, and the writing itself, by who has the turn."""

import os
from _functools import partial
from itertools import repeat
from sys import _getframe

from _console_runtime import turns
from _console_runtime.systems import system
from _console_runtime.turns import UNDER_WAY

known: list = []
"""All outlets that there are."""
nested: list = []
"""What was written within a write, by a signal handler or a finalizer: streams and data. It comes after that."""
catching_up = False
"""What is in `nested` is being written."""


class Outlet:
    """What is ready to be written to a descriptor, in pieces. A text stream takes it for a file, and writes to it.

    It does so by functions that no signal handler gets into.
    """

    __slots__ = ('busy', 'closed', 'fd', 'flush', 'name', 'ready', 'write', 'writes')

    def __init__(self, fd: int, name: str) -> None:
        self.fd = fd
        self.name = name
        self.ready: list = []
        self.writes = map(os.write, repeat(fd), iter(partial(self.ready.__getitem__, 0), None))
        """Each step writes the first piece, and gives how many bytes of it."""
        self.busy = False
        """A thread writes here. One that does so for long will also write what others have ready."""
        self.write = self.ready.append
        self.flush = tuple
        self.closed = False
        known.append(self)

    def fileno(self) -> int:
        """Returns the descriptor."""
        return self.fd

    def isatty(self) -> bool:
        """Returns whether the descriptor is a terminal's: a cell may have put one there."""
        return os.isatty(self.fd)

    def writable(self) -> bool:
        """Returns True."""
        return True

    def readable(self) -> bool:
        """Returns False."""
        return False

    seekable = readable


def send(stream, gather) -> bool:
    """Takes a stream, and writes what its outlet has ready when `gather` has been called with it.

    Returns False, and calls nothing, when this very thread is within a write. Raises as `empty` does.
    """
    before = UNDER_WAY
    try:
        while True:
            if turns.held is not UNDER_WAY:
                before, turns.held = turns.held, UNDER_WAY
                break
            if not turns.await_turn():
                return False
        gather(stream)
        empty(stream.outlet)
    finally:
        if before is not UNDER_WAY:
            turns.held = None if before is stream else before
            if turns.waiting:
                turns.call_next()
    if nested:
        write_nested()
    return True


def empty(outlet) -> None:
    """Takes an outlet, and writes what it has ready. Only for who has made `held` UNDER_WAY.

    Raises OSError when the descriptor does not take it; then it is lost. Any other exception, which a signal handler
    of a cell's can raise here, leaves what was not written yet for the next time.
    """
    if turns.companion is not None:
        turns.companion.release()
    if outlet.busy:
        return
    outlet.busy = True
    ready = outlet.ready
    try:
        while ready:
            size = len(ready[0])
            try:
                # Not a call, after which a signal handler could run before it is known what was written.
                for written in outlet.writes:  # noqa: B007
                    break
            except BlockingIOError:
                ready[0] = memoryview(ready[0])
                system.wait_until_writable(outlet.fd)
                continue
            if written == size:
                del ready[0]
            else:
                ready[0] = ready[0][written:]
    except OSError:
        ready.clear()
        raise
    finally:
        outlet.busy = False


def write_nested() -> bool:
    """Writes what was written within a write, unless one is under way.

    Returns False when that is being done by this very thread: what the caller writes comes after it.
    """
    global catching_up
    if catching_up:
        frame = _getframe(2)
        while frame is not None and frame.f_code is not write_nested.__code__:
            frame = frame.f_back
        return frame is None
    if turns.held is UNDER_WAY:
        return True
    catching_up = True
    try:
        while nested:
            stream, data = nested[0]
            try:
                stream.write(data, True)
            except (OSError, ValueError):
                continue  # whoever writes to this stream next meets the error
            finally:
                del nested[0]
    finally:
        catching_up = False
    return True


def forked() -> None:
    """In a fork child: what another thread was writing is not for this process, but for its parent, to finish."""
    if not turns.forked():
        return
    for outlet in known:
        if outlet.busy:
            outlet.busy = False
            outlet.ready.clear()


turns.writing.append(send.__code__)
turns.afresh.append(write_nested.__code__)
