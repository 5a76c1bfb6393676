"""sys.stdout and sys.stderr: what is written is in the pipe in the order of writing.

A complete line is there when `write` returns. The beginning of a line is held for a moment, so that the pieces of one
`print` make one write that no other process can get between; it goes out before anything else is written to either
stream, before a child starts, before any event on the private channel, and after 20 ms at the latest.

No lock keeps the order, which every `print` would pay for, and which a signal handler, a fork or a thread that never
goes on could leave taken. Python gives another thread its turn, and runs signal handlers, when a function begins, at
the end of each turn of a loop and after a call, and 3.10 also after a jump, but not between other steps: so `held` is
looked at and changed, or used, without any of these between.
"""

import io
import os
import sys
from _functools import partial
from _thread import allocate_lock, get_native_id, start_new_thread
from itertools import repeat
from sys import _getframe
from time import sleep

from _console_runtime.systems import system

TICK = 0.02
PATIENCE = 5.0
"""Seconds for which a write of another thread is waited for. One can be stuck in a pipe that a cell has put there."""


class Flusher:
    """Writes out what is held, in a thread that exists only while something is.

    Python warns of a fork in a process with several threads, so there must be none of the runtime's at that moment.
    """

    def __init__(self) -> None:
        self.wanted = False
        """Something is held since the last look."""
        self.running = False
        self._halted = False
        self._nap = allocate_lock()
        self._thread = 0

    def start(self) -> None:
        """Something is held: sees to it that it does not stay."""
        if self.running or self._halted:
            return
        self.running = True
        self._nap = allocate_lock()
        self._nap.acquire()
        try:
            start_new_thread(self._run, (self._nap,))
        except RuntimeError:  # no thread can be started (any more)
            self.running = False
            release()

    def halt(self) -> None:
        """Ends the thread and waits until it is gone, and has none start: before a fork."""
        self._halted = True
        if self.running:
            if self._nap.locked():
                self._nap.release()
            while self.running or os.access(f'/proc/self/task/{self._thread}', os.F_OK):
                sleep(0)

    def go_on(self) -> None:
        """After the fork: what other threads have written meanwhile does not stay, either."""
        self._halted = False
        if held is not None:
            self.wanted = True
            self.start()

    def _run(self, nap) -> None:
        self._thread = get_native_id()
        while self.wanted and not self._halted:
            self.wanted = False
            nap.acquire(timeout=TICK)
            if held is not None and held is not UNDER_WAY:
                release()
            if held is not None:
                self.wanted = True
        self.running = False
        if self.wanted:  # since the last look at it
            self.start()


flusher = Flusher()
UNDER_WAY = object()
held = None
"""The stream that holds the beginning of a line: at most one does. UNDER_WAY while something is written out."""
outlets: list = []
"""All outlets that there are."""
afterwards = None
"""What `held` will be when the thread goes on that may write next."""
waiting: list = []
"""Locks of the threads that wait for their turn: each is released when it has come."""
nested: list = []
"""What was written within a write, by a signal handler or a finalizer: streams and data. It comes after that."""
catching_up = False
"""What is in `nested` is being written."""
companion = None
"""Another writer in this process (R), when there is one. `release()` has it write out what it holds, and `holding()`
tells it that it must call `release` here before it writes."""


def release() -> None:
    """Writes out what is held, and returns when it is in the pipe, whichever thread writes it.

    Where a cell has closed the descriptor, that is lost, as it would be in any Python.
    """
    if companion is not None:
        companion.release()
    while held is not None:
        if not await_turn():
            return
    if waiting:
        call_next()


def await_turn() -> bool:
    """Writes out what is held, or waits while something is under way.

    Returns False when that is a write of this very thread: the caller is a signal handler or the like. And in the
    thread of the flusher, which comes back, and must not wait behind those who wait for it.
    """
    stream = held
    if stream is UNDER_WAY:
        if is_within_write(_getframe(2)):
            return False
        stand_in_line()
    elif stream is not None:
        try:
            stream.flush()
        except (OSError, ValueError):
            return True  # whoever writes to this stream next meets the error
    return True


def is_within_write(frame) -> bool:
    """Takes a frame, returns whether it was called while this thread writes or waits for its turn to, or to flush."""
    within = (TextOutput.write.__code__, send.__code__, await_turn.__code__, Flusher._run.__code__)
    while frame is not None and frame.f_code is not write_nested.__code__:
        if frame.f_code in within:
            return True
        frame = frame.f_back
    return False


def stand_in_line() -> None:
    """Waits until nothing is under way, behind those who wait already. Without a line, one thread could write on and
    on: it gives the others their turn just while it writes.
    """
    global held
    turn = allocate_lock()
    turn.acquire()
    waiting.append(turn)
    came = False
    try:
        came = held is not UNDER_WAY or turn.acquire(timeout=PATIENCE)
    finally:
        if turn not in waiting:
            held = afterwards
        else:
            waiting.remove(turn)
            if not came and held is UNDER_WAY:
                held = None


def call_next() -> None:
    """Something was written out: lets go on who has waited longest."""
    global held, afterwards
    while waiting and held is not UNDER_WAY:
        afterwards, held = held, UNDER_WAY
        waiting.pop(0).release()


def forked() -> None:
    """In a fork child: other threads were not copied, neither what writes out what is held, nor who was writing."""
    global held
    flusher.__init__()
    waiting.clear()
    if held is UNDER_WAY and not is_within_write(_getframe()):
        held = None
        for outlet in outlets:
            if outlet.busy:
                outlet.busy = False
                outlet.ready.clear()  # the parent writes it


def send(stream, gather) -> bool:
    """Takes a stream, and writes what its outlet has ready when `gather` has been called with it.

    Returns False, and calls nothing, when this very thread is within a write. Raises as `empty` does.
    """
    global held
    before = UNDER_WAY
    try:
        while True:
            if held is not UNDER_WAY:
                before, held = held, UNDER_WAY
                break
            if not await_turn():
                return False
        gather(stream)
        empty(stream.outlet)
    finally:
        if before is not UNDER_WAY:
            held = None if before is stream else before
            if waiting:
                call_next()
    if nested:
        write_nested()
    return True


def empty(outlet) -> None:
    """Takes an outlet, and writes what it has ready. Only for who has made `held` UNDER_WAY.

    Raises OSError when the descriptor does not take it; then it is lost. Any other exception, which a signal handler
    of a cell's can raise here, leaves what was not written yet for the next time.
    """
    if companion is not None:
        companion.release()
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
    if held is UNDER_WAY:
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
        outlets.append(self)

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
        while held is not None:
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
        global held
        if nested and not late and not write_nested():
            nested.append((self, text))
            return len(text)
        then = UNDER_WAY
        try:
            while True:
                if held is self:
                    then, held = self, UNDER_WAY
                    break
                if held is None:
                    then, held = self, UNDER_WAY
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
                held = then
        if then is None:
            if waiting:
                call_next()
        else:
            if companion is not None:
                companion.holding()
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
