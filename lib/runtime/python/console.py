"""`_console`: what a cell can ask of the session itself."""

import builtins


class Console:
    """The Console session that this Python serves."""

    def __repr__(self) -> str:
        return '<_console: the Console session of this worker>'

    def sql_connection(self, *connection):
        """Selects, returns or (with None) resets the connection that SQL cells use.

        Raises RuntimeError: this session has no SQL cells.
        """
        raise RuntimeError('this session offers no SQL cells, so there is no SQL connection to select or get')


def install() -> None:
    """Makes `_console` a name that every cell and module knows, without putting it into anybody's globals."""
    builtins._console = Console()
