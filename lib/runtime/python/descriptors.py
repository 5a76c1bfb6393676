"""The runtime's own descriptors. A cell or a fork child can close them, and then their numbers can be reused."""

import os
from select import POLLIN, poll


class Descriptor:
    """A descriptor that the runtime has opened or was given, and the file that it stood for then."""

    __slots__ = ('_file', 'number')

    def __init__(self, number: int) -> None:
        self.number = number
        self._file = file_of(number)

    def is_intact(self) -> bool:
        """Returns whether the number still stands for the same file."""
        return self._file is not None and file_of(self.number) == self._file

    def close(self) -> None:
        """Closes the descriptor, unless that has happened, by whomever: its number may be somebody else's by now."""
        if self.is_intact():
            os.close(self.number)
        self._file = None


def file_of(number: int) -> tuple[int, int] | None:
    """Takes the number of a descriptor, returns what tells its file from every other; None when it is closed."""
    try:
        status = os.fstat(number)
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
