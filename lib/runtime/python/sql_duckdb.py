"""DuckDB: the session's own database, and previews of what a DuckDB connection answers."""

import os
import sys

from _console_runtime import stdlib
from _console_runtime.session import session
from _console_runtime.sql_calls import Caller
from _console_runtime.sql_preview import CHARACTERS, COLUMNS, ROWS, Preview
from _console_runtime.sql_watch import watch

NUMBERS = {
    *('TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', 'FLOAT', 'DOUBLE', 'DECIMAL', 'BIGNUM', 'VARINT'),
    *('UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'UHUGEINT'),
}
COUNTS = [(['Success'], ['BOOLEAN']), (['Count'], ['BIGINT'])]
"""The columns, by names and types, of what a statement without a result answers."""
QUERIES = ('SELECT', 'EXECUTE', 'MULTI')
CHANGES = ('INSERT', 'UPDATE', 'DELETE', 'MERGE_INTO')
PLAN = ['explain_key', 'explain_value']
"""The columns of what EXPLAIN answers."""
REMEDIES = {
    'open': 'add it: {"requirements": {"python": ["duckdb"]}}',
    'fixed': 'the packages of this session are fixed: `python.packages` of its configuration can name duckdb',
    'own': f'install duckdb for the Python of this session, {sys.executable}',
    'unknown': 'add it, {"requirements": {"python": ["duckdb"]}}, or install it where the session prepares none',
}


class UnavailableError(Exception):
    """There is no DuckDB; the message says what to do."""


def library():
    """Returns the module duckdb. Raises UnavailableError when this Python has none.

    Under the policy `implicit` it is prepared first, as for an import of a cell.
    """
    try:
        module = imported()
    except ModuleNotFoundError as error:
        if error.name != 'duckdb':
            raise
        module = imported_after(prepare())
    if not hasattr(module, 'DuckDBPyConnection'):
        place = getattr(module, '__file__', None)
        raise UnavailableError(f'DuckDB is unavailable; a module of the same name was imported in its place: {place}')
    return module


def imported():
    """Returns the module duckdb, never one that lies in the working folder. Raises ModuleNotFoundError."""
    return stdlib.load('duckdb')


def prepare() -> str | None:
    """Has the distribution prepared, where the policy lets code ask for that. Returns None, or why it is not there."""
    finder = sys.modules.get('_console_runtime.finder')
    if finder is None:
        return REMEDIES[session.packages]
    return finder.prepare('duckdb', 'duckdb')


def imported_after(reason: str | None):
    """Takes why DuckDB was not prepared, or None when it was, and returns the module. Raises UnavailableError."""
    if reason is not None:
        advice = 'Python cells go on, and so does a connection that _console.sql_connection(connection) selects'
        raise UnavailableError(f'DuckDB is unavailable; {reason.rstrip()}. {advice}.')
    return imported()


def connect():
    """Returns a connection to a new database in memory, which keeps on disk what it must in a folder of the session's.

    Raises UnavailableError, and what DuckDB raises.
    """
    connection = library().connect(':memory:')
    folder = session.make_folder('duckdb')
    settings = {
        'temp_directory': os.path.join(folder, 'spill'),
        'secret_directory': os.path.join(folder, 'secrets'),
    }
    for name, value in settings.items():
        connection.execute(f"SET {name} = '{value.replace(chr(39), chr(39) * 2)}'")
    connection.execute('SET enable_progress_bar = false')
    return connection


def is_connection(connection) -> bool:
    """Takes a connection, returns whether it is one of DuckDB's."""
    kind = getattr(sys.modules.get('duckdb'), 'DuckDBPyConnection', None)
    return isinstance(kind, type) and isinstance(connection, kind)


def is_closed(connection) -> bool:
    """Takes a connection of DuckDB's, returns whether it was closed."""
    try:
        connection.extract_statements('')
    except library().ConnectionException:
        return True
    return False


def query(connection, source: str, call: Caller) -> Preview | str | None:
    """Takes a connection of DuckDB's, what it shall run, and how to call it.

    Returns a preview of the last result, or text (a plan), or None when the last statement has no result. Of a result
    no more is computed than is shown. Raises what DuckDB raises; the connection can be used again.
    """
    try:
        with watch(connection):
            relation = call(connection.sql, source)
            if relation is None or is_count(relation, connection, source):
                return None
            if relation.columns == PLAN:
                return ''.join(f'{plan.rstrip()}\n' for _, plan in call(relation.fetchall))
            return preview(relation, call)
    except BaseException:
        # After an interrupt DuckDB can leave the query running, and the next one would wait for its end.
        connection.interrupt()
        raise


def is_count(relation, connection, source: str) -> bool:
    """Takes the relation that a source has ended with. Returns whether its last statement has no result of its own.

    From DuckDB 2 on, such a statement answers that it has succeeded, or how many rows have changed.
    """
    if (relation.columns, [str(kind) for kind in relation.types]) not in COUNTS:
        return False
    last = connection.extract_statements(source)[-1]
    kind = last.type.name
    return kind not in QUERIES and not (kind in CHANGES and 'returning' in last.query.lower())


def preview(relation, call: Caller) -> Preview:
    """Takes a relation and how to call its methods, returns the beginning of it: values as DuckDB prints them."""
    names = relation.columns[:COLUMNS]
    types = [str(kind) for kind in relation.types[:COLUMNS]]
    columns = [(name, kind, kind.partition('(')[0] in NUMBERS) for name, kind in zip(names, types, strict=True)]
    values = ', '.join(f'left(CAST(#{place} AS VARCHAR), {CHARACTERS + 1})' for place in range(1, len(types) + 1))
    rows = call(call(call(relation.project, values).limit, ROWS + 1).fetchall)
    return Preview(columns, len(relation.columns) - len(names), rows)
