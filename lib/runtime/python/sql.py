"""Runs an SQL cell over the connection that is selected, and shows the last result as a preview."""

import sys

from _console_runtime import cells, output, sql_dbapi, sql_duckdb, tracebacks
from _console_runtime.signals import SessionEndingError
from _console_runtime.sql_calls import Caller
from _console_runtime.sql_connections import connections


class SqlEvaluator:
    """Evaluates the SQL cells of one session."""

    def __init__(self, host) -> None:
        """Takes where tables go."""
        self._host = host

    def use(self, connection: str | None) -> None:
        """Takes what the next cell runs over: 'managed', when no connection of Python's is selected (any more)."""
        if connection == 'managed':
            connections.forget()

    def evaluate(self, source: str, name: str) -> BaseException | None:
        """Takes a cell and its name. Returns the exception that ended it, which was shown, or None.

        Raises SessionEndingError when the session ends meanwhile.
        """
        return cells.carry_out(lambda: self._run(source, Caller(name)), show_error)

    def _run(self, source: str, call: Caller) -> None:
        connection = connections.current
        if sql_duckdb.is_connection(connection):
            self._show(sql_duckdb.query(connection, source, call))
        else:
            sql_dbapi.query(connection, source, call, self._show, show_error)

    def _show(self, result) -> None:
        """Takes a preview, text, or None, and shows it."""
        if isinstance(result, str):
            write(sys.__stdout__, result)
        elif result is not None:
            self._host.table(result.encoded())


def show_error(error: BaseException) -> None:
    """Takes what a query has raised and writes its message; what is no error of a query is shown as Python does."""
    if isinstance(error, KeyboardInterrupt):
        write(sys.__stderr__, 'Error: interrupted\n')
    elif isinstance(error, Exception):
        write(sys.__stderr__, f'Error: {text_of(error)}\n')
    else:
        tracebacks.show(error)


def text_of(error: Exception) -> str:
    """Takes an exception, returns its message, or its name when it has none that can be had."""
    try:
        text = str(error).rstrip()
    except SessionEndingError:
        raise
    except BaseException:
        text = ''
    return text or type(error).__name__


def write(stream, text: str) -> None:
    """Takes a stream of the runtime and text, and writes it; to fd 2 when the cells have broken the stream."""
    try:
        stream.write(text)
    except (OSError, ValueError, AttributeError):
        output.release()
        output.say(text)
