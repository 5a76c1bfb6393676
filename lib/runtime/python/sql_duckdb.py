"""DuckDB: the session's own database, and previews of what a DuckDB connection answers."""

import sys

from _console_runtime import stdlib
from _console_runtime.sql_calls import Caller
from _console_runtime.sql_preview import CHARACTERS, COLUMNS, ROWS, Preview

NUMBERS = {
    *('TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', 'FLOAT', 'DOUBLE', 'DECIMAL', 'BIGNUM', 'VARINT'),
    *('UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'UHUGEINT'),
}
COUNTS = [(['Success'], ['BOOLEAN']), (['Count'], ['BIGINT'])]
"""The columns of what a statement without a result answers."""
QUERIES = ('SELECT', 'EXECUTE', 'MULTI')
CHANGES = ('INSERT', 'UPDATE', 'DELETE', 'MERGE_INTO')
PLAN = ['explain_key', 'explain_value']
"""The columns of what EXPLAIN answers."""


class UnavailableError(Exception):
    """There is no DuckDB; the message says what to do."""


def library():
    """Returns the module duckdb. Raises UnavailableError when this Python has none."""
    try:
        module = stdlib.load('duckdb')
    except ModuleNotFoundError as error:
        if error.name != 'duckdb':
            raise
        raise UnavailableError(f'DuckDB is unavailable; {remedy()}') from None
    if not hasattr(module, 'DuckDBPyConnection'):
        place = getattr(module, '__file__', None)
        raise UnavailableError(f'DuckDB is unavailable; a module of the same name is imported in its place: {place}')
    return module


def remedy() -> str:
    """Returns how to get DuckDB, or how to do without it."""
    return 'add it with requirements: {"python": ["duckdb"]}, or select a connection of your own'


def connect():
    """Returns a connection to a new database in memory. Raises UnavailableError, and what DuckDB raises."""
    connection = library().connect(':memory:')
    connection.execute('SET enable_progress_bar = false')
    return connection


def is_connection(connection) -> bool:
    """Takes a connection, returns whether it is one of DuckDB's."""
    duckdb = sys.modules.get('duckdb')
    kind = getattr(duckdb, 'DuckDBPyConnection', None)
    return isinstance(kind, type) and isinstance(connection, kind)


def query(connection, source: str, call: Caller) -> Preview | str | None:
    """Takes a connection of DuckDB's, what it shall run, and how to call it.

    Returns a preview of the last result, or text (a plan), or None when the last statement has no result. Of a result
    no more is computed than is shown. Raises what DuckDB raises; the connection can be used again.
    """
    try:
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
    shape = (relation.columns, [str(kind) for kind in relation.types])
    if shape not in COUNTS:
        return False
    last = connection.extract_statements(source)[-1]
    kind = last.type.name
    return kind not in QUERIES and not (kind in CHANGES and 'returning' in last.query.lower())


def preview(relation, call: Caller) -> Preview:
    """Takes a relation and how to call its methods, returns the beginning of it: values as DuckDB prints them."""
    types = [str(kind) for kind in relation.types[:COLUMNS]]
    columns = [
        (name, kind, kind.partition('(')[0] in NUMBERS) for name, kind in zip(relation.columns, types, strict=False)
    ]
    values = ', '.join(f'left(CAST(#{place} AS VARCHAR), {CHARACTERS + 1})' for place in range(1, len(types) + 1))
    rows = call(call(call(relation.project, values).limit, ROWS + 1).fetchall)
    return Preview(columns, len(relation.columns) - len(types), rows)
