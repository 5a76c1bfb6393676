"""SIGINT and SIGTERM: one handler each for good, which raise only where nothing of the runtime's own is half done.

An interrupt is for a cell. While a cell runs, SIGINT raises KeyboardInterrupt in the cell's frames; when it finds a
frame of the runtime (a write, a read, the end of a cell), it comes again as soon as that frame has returned. So code
of the runtime that must not be cut in two calls only C functions, whose frames are its own. While no cell runs,
SIGINT only leaves a mark; but it can end the activation of packages, whose path files may do anything. Blocking the
signal instead would not do: another thread would take it.
"""

import _signal
import _thread
import os
import sys

from _console_runtime.descriptors import Descriptor, readable

OWN_FOLDER = os.path.dirname(__file__) + os.sep
STANDARD_FOLDER = os.path.dirname(os.__file__) + os.sep
INSTALLED_FOLDER = STANDARD_FOLDER + 'site-packages' + os.sep


class SessionEndingError(BaseException):
    """Unwinds what the main thread does because the session ends. `finally` blocks and `atexit` functions still run."""


def is_own(code) -> bool:
    """Takes a code object, returns whether it is the runtime's own."""
    return code.co_filename.startswith(OWN_FOLDER)


def is_standard(code) -> bool:
    """Takes a code object, returns whether it is the standard library's."""
    file = code.co_filename
    return file.startswith(('<frozen ', STANDARD_FOLDER)) and not file.startswith(INSTALLED_FOLDER)


def leads_outside(frame) -> bool:
    """Takes a frame that the runtime has led to. Returns whether there is other code than the standard library's.

    Only the frames between it and the runtime's count, and of an import only the one that imports: every import asks
    all finders, whosever they are.
    """
    outside = False
    while frame is not None and not is_own(frame.f_code):
        if frame.f_code.co_filename.startswith('<frozen importlib'):
            outside = False
        elif not is_standard(frame.f_code):
            outside = True
        frame = frame.f_back
    return outside


def _checkpoint() -> None:
    """When it returns, what came before has been handled: Python looks for signals when a function begins."""


def open_wake_up() -> tuple[Descriptor, ...]:
    """Returns both ends of a pipe that Python writes to when a signal comes; neither blocks. Raises OSError."""
    ends = os.pipe()
    for end in ends:
        os.set_blocking(end, False)
    return tuple(map(Descriptor, ends))


def drain(fd: int) -> None:
    """Takes the read end of the wake-up pipe and empties it. A handler that waited for something may have done so."""
    try:
        os.read(fd, 512)
    except BlockingIOError:
        return


class Number(int):
    """The number of a signal."""

    again = property(_thread.interrupt_main)
    """Loading it makes the signal's handler run again, at the next moment at which Python looks for signals.

    Python looks when a function begins, at the end of each turn of a loop, and after a call, but not after a load and
    not at a return. So a handler that ends with this load runs again outside of itself. One that called
    `interrupt_main` would run again within itself, and so on without end.
    """


class Signals:
    """What signals mean at the moment. There is one of it: `signals`."""

    def __init__(self) -> None:
        self.running = False
        """A cell runs: an interrupt is for it."""
        self.activating = False
        """Packages are put in place while no cell runs: an interrupt is for that."""
        self.showing = False
        """A traceback is made: of that, an interrupt ends only what is not the standard library's."""
        self.arrived = False
        """An interrupt came while there was nothing that it could be for."""
        self.terminated = False
        """SIGTERM has unwound the main thread."""
        self.over = False
        """The session is over: signals have nothing left to do."""
        self._waiting = False
        self._handlers = {_signal.SIGINT: self._interrupt, _signal.SIGTERM: self._terminate}
        self._of_cells = None
        self._wake_up: tuple[Descriptor, ...] = ()

    def install(self) -> None:
        """Takes SIGINT and SIGTERM over, in the main thread."""
        self._wake_up = open_wake_up()
        for number, handler in self._handlers.items():
            _signal.signal(number, handler)

    def begin(self) -> None:
        """From now on an interrupt is for the cell that is about to run.

        Raises KeyboardInterrupt when one was under way.
        """
        if self._of_cells is not None:
            _signal.signal(_signal.SIGINT, self._of_cells)
        self.running = True
        if self.arrived:
            self.arrived = False
            raise KeyboardInterrupt

    def end(self) -> None:
        """The cell is over: an interrupt that comes now is for nobody.

        A SIGINT handler that the cell has set is kept for the cells to come, but not a debugger's: a later interrupt
        would start it again.
        """
        self.running = False
        current = _signal.getsignal(_signal.SIGINT)
        if current == self._handlers[_signal.SIGINT]:
            self._of_cells = None
            return
        debugger = getattr(sys.modules.get('bdb'), 'Bdb', ())
        self._of_cells = None if isinstance(getattr(current, '__self__', None), debugger) else current
        _signal.signal(_signal.SIGINT, self._handlers[_signal.SIGINT])

    def begin_activation(self) -> None:
        """While no cell runs: from now on an interrupt is for the packages that are about to be put in place."""
        self.activating = True

    def end_activation(self) -> None:
        """The packages are in place, or not: an interrupt that comes now is for nobody.

        A handler that a path file has set is kept for the cells to come.
        """
        self.activating = False
        _checkpoint()
        current = _signal.getsignal(_signal.SIGINT)
        if current != self._handlers[_signal.SIGINT]:
            self._of_cells = current
            _signal.signal(_signal.SIGINT, self._handlers[_signal.SIGINT])

    def select(self, fds: list[int], seconds: float | None) -> list[int]:
        """Waits in the main thread until one of the descriptors can be read, for `seconds` at most (None: for ever).

        Returns those that can. A signal that comes meanwhile raises here: nothing is half done.
        """
        wake_up = self._wake_up_ends()
        # A handler runs later than its signal comes: without this, a signal just before the wait would not end it.
        previous = _signal.set_wakeup_fd(wake_up[1] if wake_up else -1, warn_on_full_buffer=False)
        try:
            self._waiting = True
            _checkpoint()
            ready = readable([*wake_up[:1], *fds], seconds)
            _checkpoint()
        finally:
            self._waiting = False
            _signal.set_wakeup_fd(previous, warn_on_full_buffer=False)
        if wake_up and wake_up[0] in ready:
            ready.remove(wake_up[0])
            drain(wake_up[0])
        return ready

    def _wake_up_ends(self) -> list[int]:
        """Returns the ends of the pipe, a new one's when a cell has closed it; none when none is to be had."""
        if not self._wake_up or not all(end.is_intact() for end in self._wake_up):
            for end in self._wake_up:
                end.close()
            try:
                self._wake_up = open_wake_up()
            except OSError:  # no descriptor is left
                self._wake_up = ()
        return [end.number for end in self._wake_up]

    def quiet(self) -> None:
        """The interpreter is about to put the default handlers back: what comes from now on is ignored."""
        for number, handler in self._handlers.items():
            if _signal.getsignal(number) == handler:
                _signal.signal(number, _signal.SIG_IGN)

    def forked(self) -> None:
        """In a fork child: signals do what they do in any Python program.

        For SIGINT, that is what they do while a cell runs.
        """
        self.running = True
        self._wake_up = ()  # the pipe is the parent's
        if _signal.getsignal(_signal.SIGTERM) == self._handlers[_signal.SIGTERM]:
            _signal.signal(_signal.SIGTERM, _signal.SIG_DFL)

    def _may_raise(self, frame) -> bool:
        """Whether the main thread, which is in `frame`, can be unwound now.

        The mark of a wait serves one exception only.
        """
        if self._waiting:
            self._waiting = False
            return True
        if not (self.running or self.activating) or frame is None or is_own(frame.f_code):
            return False
        return not self.showing or leads_outside(frame)

    def _interrupt(self, number: int, frame) -> None:
        if not (self.running or self.activating) or self.over:
            self.arrived = True
            return
        if self._may_raise(frame):
            raise KeyboardInterrupt
        Number(number).again  # noqa: B018

    def _terminate(self, number: int, frame) -> None:
        if self.over:
            return
        if self._may_raise(frame):
            self.terminated = True
            raise SessionEndingError
        Number(number).again  # noqa: B018


signals = Signals()
