"""Descriptors, the terminal's pipe, signals and the start of processes on Windows. `unix` has the same names.

Nothing of Windows waits for a pipe to be readable. So the private channel and the wake-up pipe always have a read under
way, whose event can be waited for. fd 0 has none, because programs read it too: a managed read looks at it whenever the
server says so (`look`), and other reads look now and then.
"""

import _signal
import _winapi
import atexit
import msvcrt
import nt
import os
import sys
import time

ENDING_SIGNAL = _signal.SIGBREAK
"""What tells a busy process that it is to end."""
STARTERS = ((nt, 'system'), (nt, 'spawnv'), (nt, 'spawnve'), (nt, 'startfile'), (_winapi, 'CreateProcess'))
"""Functions that start a process: their modules and names."""
CHANNEL = 3
PAUSE = 0.02
"""Seconds between two looks at a pipe of which nobody tells."""
PIECE = 1 << 16


class Reading:
    """A read of a pipe that is always under way: its event is set when there is something to take."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self._begin()

    def _begin(self) -> None:
        try:
            self._call = _winapi.ReadFile(self.handle, PIECE, overlapped=True)[0]
        except OSError:
            self._call = None  # the other end is gone

    def event(self) -> int | None:
        """Returns what to wait for; None when there is nothing to wait for any more."""
        return self._call and self._call.event

    def is_done(self) -> bool:
        """Returns whether something, or the end of file, is there."""
        return self._call is None or _winapi.WaitForSingleObject(self._call.event, 0) == _winapi.WAIT_OBJECT_0

    def take(self) -> bytes:
        """Returns what is there, once is_done; nothing at end of file. Then the next read is under way."""
        call = self._call
        if call is None:
            return b''
        try:
            call.GetOverlappedResult(True)
        except OSError:
            self._call = None
            return b''
        piece = bytes(call.getbuffer())
        self._begin()
        return piece

    def end(self) -> None:
        """Calls the read off. From then on, this is at end of file."""
        call, self._call = self._call, None
        if call is not None:
            call.cancel()
            try:
                call.GetOverlappedResult(True)
            except OSError:
                return  # the other end is gone


readings: dict[int, Reading] = {}
"""Those that are under way, by the number of the descriptor."""


def end_readings() -> None:
    """Calls all of them off, when what cells have registered for the end has run: Python warns of those it finds."""
    for reading in readings.values():
        reading.end()


atexit.register(end_readings)


def reading_of(number: int) -> Reading | None:
    """Takes a descriptor, returns the read that is under way on it; None for one that only is looked at."""
    if number == CHANNEL and number not in readings:
        readings[number] = Reading(msvcrt.get_osfhandle(number))
    return readings.get(number)


def file_of(number: int) -> tuple[int, int] | None:
    """Takes the number of a descriptor, returns what tells its file from every other; None when it is closed."""
    try:
        return msvcrt.get_osfhandle(number), 0
    except OSError:
        return None


def waiting_in(number: int) -> int:
    """Takes a descriptor of a pipe, returns how many bytes are in it. Raises OSError at its end and for no pipe."""
    return _winapi.PeekNamedPipe(msvcrt.get_osfhandle(number))[0]


def is_ready(number: int) -> bool:
    """Takes a descriptor, returns whether a read would return at once."""
    reading = reading_of(number)
    if reading is not None:
        return reading.is_done()
    try:
        return waiting_in(number) > 0
    except OSError:
        return True


def readable(numbers: list[int], seconds: float | None) -> list[int]:
    """Takes descriptors and how long to wait at most (None: for ever).

    Returns those that can be read or are closed: whoever reads from one of these is told so.
    """
    until = None if seconds is None else time.monotonic() + seconds
    while True:
        ready = [number for number in numbers if is_ready(number)]
        if ready or seconds == 0:
            return ready
        left = None if until is None else until - time.monotonic()
        if left is not None and left <= 0:
            return []
        # The channel tells of fd 0; without it, only looking does.
        wait(numbers, left if CHANNEL in numbers else min(PAUSE, PAUSE if left is None else left))


def wait(numbers: list[int], seconds: float | None) -> None:
    """Waits until one of the reads that are under way is done, or a signal comes."""
    events = [reading_of(number).event() for number in numbers if reading_of(number) is not None]
    if not events:
        time.sleep(PAUSE)
        return
    patience = _winapi.INFINITE if seconds is None else max(1, round(seconds * 1000))
    try:
        _winapi.WaitForMultipleObjects(events, False, patience)
    except InterruptedError:
        return  # a handler has run


def wait_until_writable(fd: int) -> None:
    """Takes a descriptor that does not block and is full, and lets a moment pass."""
    time.sleep(PAUSE)


def receive(fd: int) -> bytes:
    """Takes the descriptor of the private channel, returns what is there, waiting for it; nothing at end of file."""
    reading = reading_of(fd)
    while not reading.is_done():
        wait([fd], None)
    return reading.take()


def transmit(fd: int, data: bytes) -> None:
    """Takes the descriptor of the private channel and bytes, and writes all of them."""
    handle = msvcrt.get_osfhandle(fd)
    _winapi.WriteFile(handle, data, overlapped=True)[0].GetOverlappedResult(True)


def open_wake_up() -> tuple[int, int]:
    """Returns both ends of a pipe that Python writes to when a signal comes. Raises OSError."""
    name = rf'\\.\pipe\console-python-{os.getpid()}-{os.urandom(16).hex()}'
    mode = _winapi.PIPE_ACCESS_INBOUND | _winapi.FILE_FLAG_OVERLAPPED | _winapi.FILE_FLAG_FIRST_PIPE_INSTANCE
    near = _winapi.CreateNamedPipe(name, mode, _winapi.PIPE_WAIT, 1, PIECE, PIECE, 0, _winapi.NULL)
    far = _winapi.CreateFile(
        name, _winapi.GENERIC_WRITE, 0, _winapi.NULL, _winapi.OPEN_EXISTING, _winapi.NULL, _winapi.NULL
    )
    ends = msvcrt.open_osfhandle(near, os.O_RDONLY), msvcrt.open_osfhandle(far, 0)
    readings[ends[0]] = Reading(near)
    return ends


def drain(fd: int) -> None:
    """Takes the read end of the wake-up pipe and empties it."""
    while readings[fd].is_done() and readings[fd].take():
        continue


def device_of(fd: int) -> int:
    """Takes a descriptor, returns what tells its file from others. Raises OSError."""
    return msvcrt.get_osfhandle(fd)


def open_again(fd: int) -> int:
    """Takes the descriptor of a pipe and returns it: there is no other, and none is needed."""
    return fd


def fill(fd: int, taken: bytearray, limit: int) -> bool:
    """Takes bytes until a newline, the limit or end of file. Returns False when there are none now."""
    handle = msvcrt.get_osfhandle(fd)
    is_pipe = _winapi.GetFileType(handle) == _winapi.FILE_TYPE_PIPE
    while len(taken) < limit and not taken.endswith(b'\n'):
        wanted = 1
        if is_pipe:
            try:
                ahead = _winapi.PeekNamedPipe(handle, min(limit - len(taken), PIECE))[0]
            except OSError:  # nobody can write to it any more
                return True
            if not ahead:
                return False
            wanted = ahead.find(b'\n') + 1 or len(ahead)
        piece = os.read(fd, wanted)
        if not piece:
            return True
        taken += piece
    return True


def make_usable(fd: int) -> None:
    """Takes fd 0. A pipe has no modes that a child could change."""


def around_forks(before, after, in_child, numbers: list[int]) -> None:
    """Takes what is to be done around forks. There are none here."""


def around_hooks(enter, leave) -> None:
    """Takes what is to be called around the hooks of forks. There are none here."""


def fit_subprocess(subprocess, announced) -> None:
    """Takes the subprocess module, which starts its children by a function of STARTERS."""


def read_secret(prompt: str = 'Password: ', stream=None) -> str:
    """Takes a prompt and where to write it (sys.stderr when left out), returns a line. Raises EOFError.

    What is typed for a cell is shown to nobody, so there is nothing to be hidden; the console that Python's own
    function would read has no keyboard.
    """
    output = stream or sys.stderr
    output.write(prompt)
    output.flush()
    line = sys.stdin.readline()
    if not line:
        raise EOFError
    return line.rstrip('\n')


def fit_getpass(getpass) -> None:
    """Takes the getpass module and has it read standard input."""
    getpass.getpass = getpass.win_getpass = read_secret


ACTIONS = {'getpass': fit_getpass}
"""What is to be done once modules have been imported, by their names."""
