"""Whose turn it is to write to sys.stdout and sys.stderr.

No lock keeps the order of writing, which every `print` would pay for, and which a signal handler, a fork or a thread
that never goes on could leave taken. Python gives another thread its turn, and runs signal handlers, when a function
begins, at the end of each turn of a loop and after a call, and 3.10 also after a jump, but not between other steps: so
`held` is looked at and changed, or used, without any of these between.
"""

from _thread import allocate_lock
from sys import _getframe

PATIENCE = 5.0
"""Seconds for which a write of another thread is waited for. One can be stuck in a pipe that a cell has put there."""

UNDER_WAY = object()
held = None
"""The stream that holds the beginning of a line: at most one does. UNDER_WAY while something is written out."""
afterwards = None
"""What `held` will be when the thread goes on that may write next."""
waiting: list = []
"""Locks of the threads that wait for their turn: each is released when it has come."""
companion = None
"""Another writer in this process (R), when there is one. `release()` has it write out what it holds, and `holding()`
tells it that it must call `release` here before it writes."""
writing: list = []
"""The code of the functions that a thread is in while it writes, or waits for its turn to; and of the flusher."""
afresh: list = []
"""The code of those that begin a write of their own within another."""


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
    while frame is not None and frame.f_code not in afresh:
        if frame.f_code in writing:
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


def forked() -> bool:
    """In a fork child: other threads were not copied. Returns whether one of them was writing, and is not any more."""
    global held
    waiting.clear()
    if held is not UNDER_WAY or is_within_write(_getframe()):
        return False
    held = None
    return True


writing.append(await_turn.__code__)
