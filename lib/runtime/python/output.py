"""sys.stdout and sys.stderr: what is written is in the pipe in the order of writing.

A complete line is there when `write` returns. The beginning of a line is held for a moment, so that the pieces of one
`print` make one write that no other process can get between; it goes out before anything else is written to either
stream, before a child starts, before any event on the private channel, and after 20 ms at the latest.
"""

import io
import os
import sys
import time
from _thread import RLock, allocate_lock, get_native_id, start_new_thread

from _console_runtime.systems import system

TICK = 0.02


class Flusher:
    """Writes out what is held, in a thread that exists only while something is.

    Python warns of a fork in a process with several threads, so there must be none of the runtime's at that moment.
    """

    def __init__(self) -> None:
        self._wanted = False
        self._running = False
        self._starting = RLock()
        self._nap = allocate_lock()
        self._thread = 0

    def want(self) -> None:
        """Something is held: see to it that it does not stay."""
        self._wanted = True
        if not self._running and self._claim():
            self._nap = allocate_lock()
            self._nap.acquire()
            try:
                start_new_thread(self._run, (self._nap,))
            except RuntimeError:  # no thread can be started (any more)
                self._running = False
                release()

    def stop(self) -> None:
        """Ends the thread and waits until it is gone: before a fork."""
        if self._running:
            self._wanted = False
            self._nap.release()
            while self._running or os.access(f'/proc/self/task/{self._thread}', os.F_OK):
                time.sleep(0)

    def forked(self) -> None:
        """In a fork child: a thread that another one started just before was not copied."""
        self.__init__()

    def _claim(self) -> bool:
        """Returns whether the caller is the one who runs the thread from now on."""
        with self._starting:
            if self._running:
                return False
            self._running = True
            return True

    def _run(self, nap) -> None:
        self._thread = get_native_id()
        while self._wanted or self._resumes():
            self._wanted = False
            nap.acquire(timeout=TICK)
            release()

    def _resumes(self) -> bool:
        """Gives up running.

        Returns whether that was too early: something was held meanwhile, and nobody else has taken over.
        """
        self._running = False
        return self._wanted and self._claim()


flusher = Flusher()
held: 'TextOutput | None' = None
"""The stream that holds the beginning of a line. At most one does."""


companion = None
"""Another writer in this process (R), when there is one. `release()` has it write out what it holds, and `holding()`
tells it that it must call `release` here before it writes."""


def release() -> None:
    """Writes out what is held. Where a cell has closed the descriptor, that is lost, as it would be in any Python."""
    global held
    if companion is not None:
        companion.release()
    stream, held = held, None
    if stream is not None:
        try:
            stream.flush()
        except (OSError, ValueError):
            return  # whoever writes to this stream next meets the error


class BinaryOutput(io.BufferedIOBase):
    """Writes bytes to a descriptor at once, and all of them."""

    def __init__(self, fd: int, name: str) -> None:
        self._fd = fd
        self.name = name
        self.mode = 'wb'

    def writable(self) -> bool:
        """Returns True."""
        return True

    def fileno(self) -> int:
        """Returns the descriptor."""
        return self._fd

    def isatty(self) -> bool:
        """Returns whether the descriptor is a terminal's: a cell may have put one there."""
        return os.isatty(self._fd)

    def close(self) -> None:
        """Does nothing: the session goes on after a cell that closed its output."""

    def write(self, data) -> int:
        """Takes bytes, returns how many they are.

        Waits while the pipe is full, also when a child has made it non-blocking.
        """
        if held is not None or companion is not None:
            release()
        size = len(data) if type(data) is bytes else memoryview(data).nbytes
        try:
            written = os.write(self._fd, data)
        except BlockingIOError:
            written = 0
        if written < size:
            self._write_rest(memoryview(data).cast('B')[written:])
        return size

    def _write_rest(self, rest: memoryview) -> None:
        while rest:
            system.wait_until_writable(self._fd)
            try:
                rest = rest[os.write(self._fd, rest) :]
            except BlockingIOError:
                continue


class TextOutput(io.TextIOWrapper):
    """A text stream that holds at most the beginning of a line."""

    def __init__(self, fd: int, name: str, errors: str) -> None:
        super().__init__(BinaryOutput(fd, name), 'utf-8', errors, '\n', line_buffering=True)
        self.mode = 'w'

    def write(self, text: str, _write=io.TextIOWrapper.write) -> int:
        """Takes text, returns its length."""
        global held
        if held is self:
            held = None
        elif held is not None:
            release()
        count = _write(self, text)
        if text[-1:] != '\n' or not self.line_buffering:
            held = self
            if companion is not None:
                companion.holding()
            flusher.want()
        return count

    def close(self) -> None:
        """Writes out what is held; the stream stays open, as its descriptor does."""
        self.flush()


STREAMS = {'stdout': (1, 'surrogateescape'), 'stderr': (2, 'backslashreplace')}
"""The descriptors and error handlers that Python in UTF-8 mode gives them."""


def install() -> None:
    """Puts the streams in the place of Python's own."""
    for name, (fd, errors) in STREAMS.items():
        stream = TextOutput(fd, f'<{name}>', errors)
        setattr(sys, name, stream)
        setattr(sys, f'__{name}__', stream)


def restore() -> None:
    """Before a cell: replaces a stream that was deleted or whose binary layer was taken away.

    What a cell put there stays.
    """
    for name, (fd, errors) in STREAMS.items():
        lost = [attribute for attribute in (f'__{name}__', name) if is_lost(getattr(sys, attribute, None))]
        if lost:
            stream = TextOutput(fd, f'<{name}>', errors)
            for attribute in lost:
                setattr(sys, attribute, stream)


def is_lost(stream) -> bool:
    """Takes what stands in a stream's place, returns whether nothing can be written to it any more."""
    if type(stream) is not TextOutput:
        return stream is None
    try:
        stream.fileno()
    except ValueError:
        return True
    return False


def settle() -> None:
    """Writes out everything, whatever the cell has done to the streams."""
    release()
    for name in ('__stdout__', '__stderr__', 'stdout', 'stderr'):
        try:
            getattr(sys, name).flush()
        except Exception:  # noqa: S112 (a stream of the cell's own, or one that it broke: nothing of ours is in it)
            continue


def say(text: str) -> None:
    """Takes text and writes it straight to fd 2: the last resort when the streams cannot be used."""
    try:
        os.write(2, text.encode('utf-8', 'backslashreplace'))
    except OSError:
        return  # a cell closed it: there is nobody to tell
