"""Which PyPI distribution a missing import means: known names first, then the same name, and no guess where one could be wrong."""

import os
import sys

SOURCE_FOLDERS = ('src', 'lib', 'python')
"""Where projects keep modules that are not on sys.path: a module of such a folder is not to be had from an index."""

class NotInferredError(Exception):
    """No distribution is prepared for this name; the message says why."""


def distribution_of(name: str) -> str | None:
    """Takes the name of a missing top-level module, returns the distribution to prepare, or None when Python's own error says all.

    Raises NotInferredError when something can be said about the name, but not which distribution it means.
    """
    if not (name.isascii() and name.isidentifier()) or name.startswith('_'):
        return None
    if name in sys.stdlib_module_names:
        version = '.'.join(map(str, sys.version_info[:2]))
        raise NotInferredError(f'it belongs to the standard library, but not to that of Python {version} on {sys.platform}')
    from _console_runtime import import_map as known

    if name in known.REMOVED:
        raise NotInferredError('it was part of the standard library of older Pythons')
    if name in known.SHARED:
        raise NotInferredError(f'many distributions have a part of it ({", ".join(known.SHARED[name])}, …), so name the one that you mean')
    if name in known.MODULES:
        return known.MODULES[name]
    if name in known.OWN:
        raise NotInferredError('projects call modules of their own so, and none is on sys.path')
    for folder in SOURCE_FOLDERS:
        place = os.path.join(os.getcwd(), folder, name)
        if os.path.isdir(place) or os.path.isfile(place + '.py'):
            raise NotInferredError(f'{place} is not on sys.path, and is not the same as a distribution of that name')
    return name.lower().replace('_', '-')


def example(*names: str) -> str:
    """Takes names of distributions, returns the argument of `send` that declares them."""
    return 'requirements: {"python": [' + ', '.join(f'"{name}"' for name in names) + ']}'
