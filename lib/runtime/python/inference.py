"""Which PyPI distribution a missing import means: known names, then the same name, but no risky guess."""

import os
import sys

SOURCE_FOLDERS = ('src', 'lib', 'python')
"""Where projects keep modules that are not on sys.path: an index has nothing to do with them."""


class NotInferredError(Exception):
    """No distribution is prepared for this name; the message says why, and what to do."""


def distribution_of(name: str, wanted: str) -> str | None:
    """Takes the name of a missing top-level module, and that of the module in it that is wanted, or the same.

    Returns the distribution to prepare, or None when Python's own error says all.

    Raises NotInferredError when something can be said about the name, but not which distribution it means.
    """
    if not (name.isascii() and name.isidentifier()) or name.startswith('_'):
        return None
    if name in sys.stdlib_module_names:
        version = '.'.join(map(str, sys.version_info[:2]))
        here = f'Python {version} on {sys.platform}'
        raise NotInferredError(f'it belongs to the standard library, but {here} does not have it.')
    from _console_runtime import import_map as known

    if name in known.REMOVED:
        advice = 'Use what has taken its place, or declare a distribution that has it'
        raise NotInferredError(f'the standard library does not have it any more. {advice}: {example("NAME")}')
    shared = part_of_shared(wanted)
    if shared is not None:
        raise NotInferredError(shared)
    if name in known.MODULES:
        return known.MODULES[name]
    distribution = name.lower().replace('_', '-')
    advice = f'Add its folder to sys.path, or declare the distribution if that is meant: {example(distribution)}'
    if name in known.OWN:
        raise NotInferredError(f'this is what projects call modules of their own. {advice}')
    for place in (f'{folder}/{name}' for folder in SOURCE_FOLDERS):
        if os.path.isdir(place) or os.path.isfile(f'{place}.py'):
            raise NotInferredError(f'{place} of the working folder is not on sys.path. {advice}')
    return distribution


def part_of_shared(name: str) -> str | None:
    """Takes the name of a module. Returns what to say when many distributions share its top level, else None."""
    from _console_runtime import import_map as known

    top = name.partition('.')[0]
    some = known.SHARED.get(top)
    if some is None:
        return None
    likely = some[0] if name == top else name.lower().replace('.', '-').replace('_', '-')
    advice = f'Declare the one you mean, such as {example(likely)}'
    return f'many distributions have a part of {top!r} ({", ".join(some)}, …). {advice}'


def example(*names: str) -> str:
    """Takes names of distributions, returns the argument of `send` that declares them."""
    return 'requirements: {"python": [' + ', '.join(f'"{name}"' for name in names) + ']}'
