"""`_console`: what a cell can ask of the session itself."""

import builtins

CURRENT = object()
"""What stands for no argument."""


class Console:
    """The Console session that this Python serves."""

    def __init__(self, host) -> None:
        self._host = host

    def __repr__(self) -> str:
        return '<_console: the Console session of this worker>'

    def sql_connection(self, connection=CURRENT, /):
        """Selects, returns or (with None) resets the connection that SQL cells use.

        Takes a DB-API connection, which stays the caller's to commit and to close, and returns it. Takes None, from
        when on SQL cells use the session's own DuckDB again, and returns None. Takes nothing, and returns the
        connection that SQL cells use now.

        Raises TypeError when it is not a connection, RuntimeError outside the session's main thread, and an exception
        that says what to do when the session's own DuckDB is asked for and not to be had.
        """
        from _console_runtime.sql_connections import connections

        if connection is CURRENT:
            return connections.current
        connections.select(connection, self._host)
        return connection


def install(host) -> None:
    """Takes the server. Makes `_console` a name that every cell and module knows, in nobody's globals."""
    builtins._console = Console(host)
