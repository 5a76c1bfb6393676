"""The sources of the cells, where tracebacks and `inspect` look for them."""

import sys

_sources: dict[str, str] = {}


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
    linecache.cache[name] = (len(source), None, [line + '\n' for line in source.split('\n')], name)
