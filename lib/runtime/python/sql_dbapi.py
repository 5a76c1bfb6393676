"""Connections of any driver that follows PEP 249, Python's DB-API. Nothing is committed, rolled back or closed here."""

from decimal import Decimal

from _console_runtime import cells
from _console_runtime.sql_calls import Caller
from _console_runtime.sql_preview import CHARACTERS, COLUMNS, ROWS, Preview
from _console_runtime.sql_watch import watch


class RowError(Exception):
    """A driver's row does not go with its columns."""


def query(connection, source: str, call: Caller, show, show_error) -> None:
    """Takes a connection, what it shall run, how to call it, and what shows a result and an exception.

    Shows a preview of the result, or None when there is none, before its cursor is closed. Raises what the driver
    raises; when closing the cursor fails after a failure, that one was shown, and this one is raised.
    """
    cursor = call(connection.cursor)
    try:
        with watch(connection):
            call(cursor.execute, source)
            result = last_preview(cursor, call)
        show(result)
    except BaseException as error:
        call.settle()
        trouble = cells.raised_by(call, cursor.close)
        if trouble is None:
            raise
        show_error(error)
        raise trouble from None
    call(cursor.close)


def last_preview(cursor, call: Caller) -> Preview | None:
    """Takes a cursor that has run one statement or several and how to call it.

    Returns the beginning of the last result, or None when the last statement has none. Raises what the driver raises.
    """
    result = preview(cursor, call)
    while has_further(cursor, call):
        result = preview(cursor, call)
    return result


def has_further(cursor, call: Caller) -> bool:
    """Takes a cursor and how to call it, and moves on to the next of several results, where the driver has them.

    Returns whether there is one. To move on can end what is there, so that was looked at before.
    """
    move_on = getattr(cursor, 'nextset', None)
    if not callable(move_on):
        return False
    try:
        return bool(call(move_on))
    except Exception as error:
        # PEP 249 has drivers raise this for what they have not; each has a class of its own.
        if type(error).__name__ in ('NotSupportedError', 'NotImplementedError'):
            return False
        raise


def preview(cursor, call: Caller) -> Preview | None:
    """Takes a cursor that has run something and how to call it.

    Returns the beginning of its result, or None when it has none.
    """
    description = cursor.description
    if not description:
        return None
    rows = [values_of(row, len(description))[:COLUMNS] for row in call(cursor.fetchmany, ROWS + 1)]
    columns = []
    for place, column in enumerate(description[:COLUMNS]):
        values = [row[place] for row in rows if row[place] is not None]
        columns.append((str(column[0]), type_of(column, values), bool(values) and all(map(is_number, values))))
    return Preview(columns, len(description) - len(columns), [[call(text_of, value) for value in row] for row in rows])


def values_of(row, count: int) -> list:
    """Takes a row as the driver makes it, in whatever form was chosen, and how many columns there are.

    Returns its values. Raises RowError when they are not as many.
    """
    if isinstance(row, dict):
        values = list(row.values())
    else:
        values = [row] if isinstance(row, (str, bytes)) or not hasattr(row, '__iter__') else list(row)
    if len(values) != count:
        raise RowError(f'the driver has returned a row of {len(values)} values for {count} columns')
    return values


def type_of(column, values: list) -> str:
    """Takes the description of a column and its values. Returns the driver's name of its type, or the Python types."""
    name = getattr(column, 'type_display', None)
    if isinstance(name, str):
        return name
    return ' | '.join(dict.fromkeys(type(value).__name__ for value in values))


def is_number(value) -> bool:
    """Takes a value, returns whether it is a number."""
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)


def text_of(value) -> str | None:
    """Takes a value, returns the text that shows it: as much of it as a preview can use. NULL is None."""
    if value is None:
        return None
    if isinstance(value, (bytes, bytearray, memoryview)):
        return ''.join(byte_text(byte) for byte in bytes(value[: CHARACTERS + 1]))
    return str(value)[: CHARACTERS + 1]


def byte_text(byte: int) -> str:
    """Takes a byte, returns it as DuckDB shows one of a BLOB."""
    return chr(byte) if 0x20 <= byte < 0x7F and byte not in b'\\\'"' else f'\\x{byte:02X}'
