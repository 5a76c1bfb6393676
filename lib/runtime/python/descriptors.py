"""The runtime's own descriptors. A cell or a fork child can close them, and then their numbers can be reused."""

import os

from _console_runtime.systems import system


class Descriptor:
    """A descriptor that the runtime has opened or was given, and the file that it stood for then."""

    __slots__ = ('_file', 'number')

    def __init__(self, number: int) -> None:
        self.number = number
        self._file = system.file_of(number)

    def is_intact(self) -> bool:
        """Returns whether the number still stands for the same file."""
        return self._file is not None and system.file_of(self.number) == self._file

    def close(self) -> None:
        """Closes the descriptor, unless that has happened, by whomever: its number may be somebody else's by now."""
        if self.is_intact():
            os.close(self.number)
        self._file = None
