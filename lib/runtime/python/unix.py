"""Descriptors, the terminal, signals and the start of processes on UNIX. `windows` has the same names."""

import _signal
import os
import posix
import sys
import termios
from _thread import get_ident
from posix import fstat, read, write
from select import POLLIN, POLLOUT, poll

ENDING_SIGNAL = _signal.SIGTERM
"""What tells a busy process that it is to end."""
STARTERS = ((posix, 'system'), (posix, 'posix_spawn'), (posix, 'posix_spawnp'))
"""Functions that start a process without a fork hook: their modules and names."""

ACTIONS: dict = {}
"""What is to be done once modules have been imported, by their names."""


def file_of(number: int) -> tuple[int, int] | None:
    """Takes the number of a descriptor, returns what tells its file from every other; None when it is closed."""
    try:
        status = fstat(number)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def readable(numbers: list[int], seconds: float | None) -> list[int]:
    """Takes descriptors and how long to wait at most (None: for ever).

    Returns those that can be read or are closed: whoever reads from one of these is told so.
    """
    wait = poll()
    for number in numbers:
        wait.register(number, POLLIN)
    return [number for number, _ in wait.poll(None if seconds is None else seconds * 1000)]


def wait_until_writable(fd: int) -> None:
    """Takes a descriptor that does not block and is full, and waits until it takes something."""
    wait = poll()
    wait.register(fd, POLLOUT)
    wait.poll()


def receive(fd: int) -> bytes:
    """Takes the descriptor of the private channel, returns what is there, waiting for it; nothing at end of file."""
    try:
        return read(fd, 1 << 16)
    except ConnectionResetError:
        return b''


def transmit(fd: int, data: bytes) -> None:
    """Takes the descriptor of the private channel and bytes, and writes all of them."""
    rest = memoryview(data)
    while rest:
        rest = rest[write(fd, rest) :]


def open_wake_up() -> tuple[int, int]:
    """Returns both ends of a pipe that Python writes to when a signal comes; neither blocks. Raises OSError."""
    ends = os.pipe()
    for end in ends:
        os.set_blocking(end, False)
    return ends


def drain(fd: int) -> None:
    """Takes the read end of the wake-up pipe and empties it. A handler that waited for something may have done so."""
    try:
        read(fd, 512)
    except BlockingIOError:
        return


def device_of(fd: int) -> int:
    """Takes a descriptor, returns what stays the same however the file behind it is opened. Raises OSError."""
    return fstat(fd).st_rdev


def open_again(fd: int) -> int:
    """Takes the descriptor of a terminal, returns another that does not block, or the same where none is to be had."""
    try:
        return os.open(os.ttyname(fd), os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return fd


def fill(fd: int, taken: bytearray, limit: int) -> bool:
    """Takes bytes until a newline, the limit or end of file. Returns False when there are none now."""
    # Each read gives other threads a turn; one that computes would keep it for 5 ms, for every byte.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        while len(taken) < limit and not taken.endswith(b'\n'):
            if fd == 0 and not readable([0], 0):
                return False
            byte = read(fd, 1)
            if not byte:
                return True
            taken += byte
        return True
    except BlockingIOError:
        return False
    except OSError:  # the terminal has hung up: end of file
        return True
    finally:
        sys.setswitchinterval(interval)


def make_usable(fd: int) -> None:
    """Takes the descriptor of a terminal. Undoes what a child may have left behind: other modes, another foreground."""
    try:
        if os.tcgetpgrp(fd) != os.getpgrp():
            bring_to_foreground(fd)
        modes = termios.tcgetattr(fd)
        translating = termios.ISTRIP | termios.INLCR | termios.IGNCR | termios.ICRNL | termios.PARMRK
        input_off = modes[0] & ~(translating | termios.IXON | termios.IXOFF | termios.IGNBRK | termios.BRKINT)
        output_off = modes[1] & ~termios.OPOST
        local_off = modes[3] & ~(termios.ECHO | termios.ECHONL | termios.ICANON | termios.ISIG | termios.IEXTEN)
        if (modes[0], modes[1], modes[3]) != (input_off, output_off, local_off):
            modes[0], modes[1], modes[3] = input_off, output_off, local_off
            modes[6][termios.VMIN], modes[6][termios.VTIME] = 1, 0
            termios.tcsetattr(fd, termios.TCSANOW, modes)
    except (OSError, termios.error):
        return  # it has hung up, or is no terminal: the read will tell


def bring_to_foreground(fd: int) -> None:
    """Takes the descriptor of the controlling terminal, and makes this process group the one that may read it."""
    before = _signal.pthread_sigmask(_signal.SIG_BLOCK, {_signal.SIGTTOU})
    try:
        os.tcsetpgrp(fd, os.getpgrp())
    finally:
        _signal.pthread_sigmask(_signal.SIG_SETMASK, before)


def around_forks(before, after, in_child, numbers: list[int]) -> None:
    """Takes functions to call before each fork, after it, and in each fork child, and signals that wait meanwhile.

    Until `in_child` has run, the child still has its parent's handlers, and Python drops what comes before it knows of
    the fork: a pool that ended its new worker then would wait for it for ever.
    """
    masks: dict = {}

    def hold() -> None:
        before()
        masks[get_ident()] = _signal.pthread_sigmask(_signal.SIG_BLOCK, numbers)

    def let_go() -> None:
        after()
        _signal.pthread_sigmask(_signal.SIG_SETMASK, masks.pop(get_ident()))

    def let_go_in_child() -> None:
        try:
            in_child()
        finally:
            _signal.pthread_sigmask(_signal.SIG_SETMASK, masks.pop(get_ident()))
            masks.clear()

    os.register_at_fork(before=hold, after_in_parent=let_go, after_in_child=let_go_in_child)


def around_hooks(enter, leave) -> None:
    """Takes functions to call around all hooks of each fork, equally often, in the parent and in the child.

    Hooks that are registered later run before the first and after the last of those that are there: so each
    registration is followed by one more of these.
    """
    register = posix.register_at_fork

    def enclose() -> None:
        register(before=enter, after_in_parent=leave, after_in_child=leave)

    def register_at_fork(**hooks) -> None:
        register(**hooks)
        enclose()

    register_at_fork.__module__, register_at_fork.__qualname__ = register.__module__, register.__qualname__
    register_at_fork.__doc__, register_at_fork.__wrapped__ = register.__doc__, register
    enclose()
    posix.register_at_fork = os.register_at_fork = register_at_fork


def fit_subprocess(subprocess, announced) -> None:
    """Takes the subprocess module, whose children start without a fork hook. `announced` gives a function one."""
    import _posixsubprocess as starter

    starter.fork_exec = announced(starter.fork_exec)
    if hasattr(subprocess, '_fork_exec'):
        subprocess._fork_exec = starter.fork_exec
