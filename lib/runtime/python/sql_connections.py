"""Which connection SQL cells use: the one that was selected, else that of the session's own DuckDB."""

from _console_runtime import sql_duckdb
from _console_runtime.session import session


class ClosedError(Exception):
    """Somebody has closed the connection to the session's own database."""

    def __init__(self) -> None:
        super().__init__(
            "the connection to the session's own DuckDB was closed, and its tables are gone; "
            '_console.sql_connection(None) opens a new one'
        )


class ElsewhereError(Exception):
    """The session's own database is not Python's."""

    def __init__(self) -> None:
        super().__init__(
            "the session's own DuckDB is R's: .console$sql_connection() in an R cell returns the connection to it; "
            '`import duckdb; duckdb.connect()` opens a database of your own'
        )


class Connections:
    """The connections of this session."""

    def __init__(self) -> None:
        self._selected = None
        self._managed = None

    @property
    def current(self):
        """The connection that SQL cells use now. Raises what `managed` raises."""
        return self.managed if self._selected is None else self._selected

    @property
    def managed(self):
        """The connection to the session's own database, which is opened when somebody first asks for it.

        Raises ElsewhereError, ClosedError, sql_duckdb.UnavailableError, and what DuckDB raises.
        """
        if session.duckdb == 'r':
            raise ElsewhereError
        if self._managed is None:
            self._managed = sql_duckdb.connect()
        elif sql_duckdb.is_closed(self._managed):
            raise ClosedError
        return self._managed

    def forget(self) -> None:
        """What was selected is not any more: R has selected a connection, or the session's own, since."""
        self._selected = None

    def select(self, connection, host) -> None:
        """Takes a connection, and SQL cells use it from now on; None, and they use the session's own database.

        Tells the server. Raises TypeError when it is not a connection, and RuntimeError where the server cannot be
        told: the selection stays what it was.
        """
        if connection is not None and not callable(getattr(connection, 'cursor', None)):
            raise TypeError('`connection` must provide a callable cursor() method or be None')
        if not host.on_main_thread():
            raise RuntimeError('the SQL connection is selected on the main thread of the session: nothing has changed')
        host.send(f'connection language=python selected={"no" if connection is None else "yes"}')
        self._selected = connection
        if connection is None and self._managed is not None and sql_duckdb.is_closed(self._managed):
            self._managed = None


connections = Connections()
