"""Modules of the standard library that the runtime loads only when it needs them."""

import sys


def load(name: str):
    """Takes the name of a module, returns it: never one of the same name that lies in the working folder."""
    if name not in sys.modules:
        outside_working_folder(__import__, name)
    return sys.modules[name]


def invalidate_caches() -> None:
    """Has every finder look again. From Python 3.13 on, Python loads a good part of its library for that."""
    outside_working_folder(load('importlib').invalidate_caches)


def outside_working_folder(function, *arguments) -> None:
    """Calls a function that imports, while nothing can be imported from the working folder."""
    path = sys.path
    sys.path = [entry for entry in path if entry != '']
    try:
        function(*arguments)
    finally:
        sys.path = path
