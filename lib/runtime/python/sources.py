"""The sources of the cells, where tracebacks and `inspect` look for them."""

import io
import sys

_sources: dict[str, str] = {}


def lines_of(source: str) -> list[str]:
    """Takes a source, returns its lines as Python counts them, each with a newline at its end."""
    lines = io.StringIO(source, newline=None).readlines()
    if lines and not lines[-1].endswith('\n'):
        lines[-1] += '\n'
    return lines


def keep(name: str, source: str) -> None:
    """Takes the name of a cell as it stands in tracebacks and its source, and keeps it for the life of the process."""
    _sources[name] = source
    if 'linecache' in sys.modules:
        _publish(sys.modules['linecache'], name)


def publish(linecache) -> None:
    """Takes the linecache module, and sees to it that it knows every cell: also when somebody has cleared it."""
    for name in _sources:
        if name not in linecache.cache:
            _publish(linecache, name)


def _publish(linecache, name: str) -> None:
    source = _sources[name]
    linecache.cache[name] = (len(source), None, lines_of(source), name)
