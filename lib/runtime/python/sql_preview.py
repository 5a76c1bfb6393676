"""The preview of a result: the beginning of it, as the structure that the server draws (docs/private-channel.md)."""

from _console_runtime import stdlib

ROWS = 20
COLUMNS = 12
CHARACTERS = 160
"""Most characters of a value, and of the name and type of a column."""


class Preview:
    """The beginning of a result. Values are text, or None for NULL."""

    def __init__(self, columns: list[tuple], omitted: int, rows: list) -> None:
        """Takes the columns that are shown, each with its name, its type ('' when unknown) and whether it has numbers.

        Then how many columns are not, and the values of at most ROWS + 1 rows: the last only tells that there are more.
        """
        self._columns = [
            {'name': name[:CHARACTERS], 'type': kind[:CHARACTERS], 'number': number} for name, kind, number in columns
        ]
        self._omitted = omitted
        self._rows = [[beginning(value) for value in row] for row in rows[:ROWS]]
        self._more = len(rows) > ROWS

    def encoded(self) -> bytes:
        """Returns the body of a `table` event."""
        table = {'columns': self._columns, 'omitted': self._omitted, 'rows': self._rows, 'more': self._more}
        return stdlib.load('json').dumps(table).encode('ascii')


def beginning(value: str | None):
    """Takes a value, returns it when it is short enough, else a list with its beginning."""
    return value if value is None or len(value) <= CHARACTERS else [value[:CHARACTERS]]
