"""Which PyPI distribution a missing import means: known names first, then the same name, and no guess where one could be wrong."""

import os
import sys

TABLE = os.path.join(os.path.dirname(__file__), 'import_map.json')
"""What is known of names: made by scripts/import-map.mjs. Read when the first import is missing."""

SOURCE_FOLDERS = ('src', 'lib', 'python')
"""Where projects keep modules that are not on sys.path: a module of such a folder is not to be had from an index."""

_table: dict | None = None


class NotInferredError(Exception):
    """No distribution is prepared for this name; the message says why."""


def table() -> dict:
    """Returns what is known of names: `modules`, distributions by name; `shared`, names of many distributions, with some of them;
    `removed`, names that older Pythons had in the standard library."""
    global _table
    if _table is None:
        import json

        with open(TABLE, encoding='utf-8') as file:
            _table = json.load(file)
    return _table


def distribution_of(name: str) -> str | None:
    """Takes the name of a missing top-level module, returns the distribution to prepare, or None when Python's own error says all.

    Raises NotInferredError when something can be said about the name, but not which distribution it means.
    """
    if not (name.isascii() and name.isidentifier()) or name.startswith('_'):
        return None
    if name in sys.stdlib_module_names:
        version = '.'.join(map(str, sys.version_info[:2]))
        raise NotInferredError(f'it belongs to the standard library, but not to that of Python {version} on {sys.platform}')
    known = table()
    if name in known['removed']:
        raise NotInferredError('it was part of the standard library of older Pythons')
    if name in known['shared']:
        examples = ', '.join(known['shared'][name])
        raise NotInferredError(f'many distributions have a part of it ({examples}, …), so name the one that you mean')
    if name in known['modules']:
        return known['modules'][name]
    for folder in SOURCE_FOLDERS:
        place = os.path.join(os.getcwd(), folder, name)
        if os.path.isdir(place) or os.path.isfile(place + '.py'):
            raise NotInferredError(f'{place} is not on sys.path, and is not the same as a distribution of that name')
    return name.lower().replace('_', '-')


def example(*names: str) -> str:
    """Takes names of distributions, returns the argument of `send` that declares them."""
    return 'requirements: {"python": [' + ', '.join(f'"{name}"' for name in names) + ']}'
