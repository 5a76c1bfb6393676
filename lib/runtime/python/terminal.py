"""The terminal on fd 0 as a source of exact reads: to the end of a line and not a byte further.

The terminal is shared with everything that a cell starts, and a byte that was read cannot be put back. So bytes are
read one by one, through a descriptor of the runtime's own that never blocks. A read on the main thread while a cell
runs is a managed one: it is announced when it finds nothing, and it ends when the session does.
"""

import _thread
import sys

from _console_runtime.descriptors import Descriptor
from _console_runtime.signals import signals
from _console_runtime.systems import system

GRACE = 0.01
"""Seconds that a managed read waits before it says that nothing is there."""


class Terminal:
    """What fd 0 gives, to the process that it was given to and to its fork children."""

    def __init__(self, host) -> None:
        self._host = host
        self._device = system.device_of(0)
        self._own = Descriptor(system.open_again(0))
        self._taking = _thread.allocate_lock()
        self._taken = bytearray()

    def read_line(self) -> bytes:
        """Returns the next line with its newline; less, or nothing, at end of file.

        What a call has taken before an interrupt ended it is the beginning of what the next one returns.
        """
        return self._read(sys.maxsize, whole_line=True)

    def read_some(self, limit: int) -> bytes:
        """Returns at least one byte and at most `limit`, none of them beyond a newline; nothing at end of file."""
        return self._read(limit, whole_line=False)

    def bring_here(self) -> None:
        """Makes this process the one that may read the terminal, where others of the session could have been before."""
        if self._own.is_intact():
            system.make_usable(self._own.number)

    def forked(self) -> None:
        """In a fork child: nobody else is taking bytes."""
        self._taking = _thread.allocate_lock()

    def _read(self, limit: int, whole_line: bool) -> bytes:
        fd = self._current_fd()
        host = self._host
        main = _thread.get_ident() == host.main_thread
        managed = main and fd == self._own.number and host.watches_reads
        if managed:
            system.make_usable(fd)
            host.begin_read()
        try:
            while (piece := self._take(fd, limit, whole_line)) is None:
                if managed:
                    self._wait(fd)
                elif main:
                    signals.select([fd], None)
                else:
                    system.readable([fd], None)
            return piece
        finally:
            if managed:
                host.end_read()

    def _current_fd(self) -> int | None:
        """Returns where to read: fd 0 itself when a cell put something else there, None when a cell closed it."""
        try:
            device = system.device_of(0)
        except OSError:
            return None
        if device != self._device:
            return 0
        if not self._own.is_intact():
            self._own = Descriptor(system.open_again(0))
        return self._own.number

    def _take(self, fd: int | None, limit: int, whole_line: bool) -> bytes | None:
        """Takes what is there, as far as it is wanted.

        Returns the piece once it is complete: up to a newline, the limit, end of file, or what there is when that is
        enough. Else keeps what there is, and returns None.
        """
        with self._taking:
            taken = self._taken
            complete = fd is None or system.fill(fd, taken, limit)
            if not complete and (whole_line or not taken):
                return None
            piece = bytes(taken[:limit])
            del taken[:limit]
            return piece

    def _wait(self, fd: int) -> None:
        """Waits until something is there.

        Announces the read once nothing has come for a while, and again after each look.
        """
        host = self._host
        patience: float | None = GRACE
        while True:
            ready = signals.select([fd, host.fd], patience)
            if fd in ready:
                return
            if ready:
                seen = host.epoch
                host.absorb()
                if host.epoch != seen:
                    patience = GRACE
            elif patience is not None:
                host.starved()
                patience = None
