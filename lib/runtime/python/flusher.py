"""Sees to it that the beginning of a line does not stay where it is held."""

import os
from _thread import allocate_lock, get_native_id, start_new_thread
from time import sleep

from _console_runtime import turns
from _console_runtime.turns import UNDER_WAY, release

TICK = 0.02
"""Seconds for which it is held at most, about."""


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
        if turns.held is not None:
            self.wanted = True
            self.start()

    def _run(self, nap) -> None:
        self._thread = get_native_id()
        while self.wanted and not self._halted:
            self.wanted = False
            nap.acquire(timeout=TICK)
            if turns.held is not None and turns.held is not UNDER_WAY:
                release()
            if turns.held is not None:
                self.wanted = True
        self.running = False
        if self.wanted:  # since the last look at it
            self.start()


turns.writing.append(Flusher._run.__code__)
flusher = Flusher()
