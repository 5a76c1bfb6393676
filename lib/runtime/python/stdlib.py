"""Modules of the standard library that the runtime loads only when it needs them."""

import sys


def load(name: str):
    """Takes the name of a module, returns it: never one of the same name that lies in the working folder."""
    if name not in sys.modules:
        path = sys.path
        sys.path = [entry for entry in path if entry != '']
        try:
            __import__(name)
        finally:
            sys.path = path
    return sys.modules[name]
