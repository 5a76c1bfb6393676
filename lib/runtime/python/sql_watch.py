"""Interrupts of queries: a database runs for long in C code that looks for no signals, so another thread looks."""

import os
import sys
from _signal import SIGINT, set_wakeup_fd
from _thread import allocate_lock, start_new_thread

from _console_runtime.systems import system

OVER = b'\0'
"""What tells the thread to end: no signal has this number."""


class Watch:
    """While it lasts, SIGINT also calls a function in a thread, beside what it does on the main thread."""

    def __init__(self, act) -> None:
        """Takes the function: it must be one that any thread may call. What it raises is lost: nobody could mend it."""
        self._act = act
        self._over = allocate_lock()

    def __enter__(self) -> None:
        """Begins. Raises OSError and RuntimeError when there is no descriptor or thread left."""
        self._ends = system.open_wake_up()
        self._over.acquire()
        self._before = set_wakeup_fd(self._ends[1], warn_on_full_buffer=False)
        start_new_thread(self._look, ())

    def __exit__(self, *_) -> None:
        """Ends, and waits for the thread."""
        set_wakeup_fd(self._before, warn_on_full_buffer=False)
        os.write(self._ends[1], OVER)
        self._over.acquire()
        for end in self._ends:
            os.close(end)

    def _look(self) -> None:
        try:
            signals = b''
            while OVER not in signals:
                system.readable([self._ends[0]], None)
                signals = os.read(self._ends[0], 512)
                if SIGINT in signals:
                    self._interrupt()
        finally:
            self._over.release()

    def _interrupt(self) -> None:
        try:
            self._act()
        except Exception:
            return  # the driver cannot: the query goes on, as it would without us


class NoWatch:
    """What stands for a watch where there is nothing to call."""

    def __enter__(self) -> None:
        """Begins nothing."""

    def __exit__(self, *_) -> None:
        """Ends nothing."""


def watch(connection):
    """Takes a connection. Returns what has SIGINT stop its queries while it lasts, if the driver offers that."""
    for name in ('interrupt', 'cancel'):
        act = getattr(connection, name, None)
        if callable(act) and sys.platform != 'win32':
            return Watch(act)
    return NoWatch()
