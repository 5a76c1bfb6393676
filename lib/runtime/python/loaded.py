"""What is loaded into this process, found without running any code of modules or other entries of sys.modules."""

import sys


def files() -> set[str]:
    """Returns the files of modules and, where the system tells, of shared libraries without a module."""
    found = {file_of(module) for module in list(sys.modules.values())} - {None}
    try:
        with open('/proc/self/maps', encoding='utf-8', errors='surrogateescape') as lines:
            return found | {line.split(maxsplit=5)[5].rstrip('\n') for line in lines if '/' in line}
    except OSError:
        return found


def file_of(module) -> str | None:
    """Takes an entry of sys.modules, returns the path of the file that it was loaded from."""
    file = attributes(module).get('__file__')
    return file if isinstance(file, str) else None


def packages() -> list[tuple]:
    """Returns the packages that have a list of folders for submodules, with it. Namespaces look after theirs."""
    found = [(module, attributes(module).get('__path__')) for module in list(sys.modules.values())]
    return [(module, path) for module, path in found if isinstance(path, list)]


def attributes(module) -> dict:
    """Takes an entry of sys.modules, returns its attributes."""
    try:
        return object.__getattribute__(module, '__dict__')
    except AttributeError:
        return {}
