"""Starts the runtime. The interpreter runs this text with `-c`, so that `__main__` stays as clean as Python makes it.

Written so that every Python since 3.6 can read it. One that is too old must be able to say so on the private channel
(fd 3, docs/private-channel.md) instead of failing with a syntax error that nobody sees. `file` is the path of this
file.
"""

import _signal
import builtins
import os
import sys
from _frozen_importlib_external import SourceFileLoader

OLDEST = (3, 10)


def percent_encoded(text):
    """Takes a text, returns it as printable ASCII without spaces: UTF-8 with everything unusual percent-encoded."""
    plain = b'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~/'
    return ''.join(chr(byte) if byte in plain else f'%{byte:02X}' for byte in text.encode('utf-8', 'replace'))


def send(header):
    """Takes the header of an event without a body, and writes its frame to the private channel."""
    content = (header + '\n').encode('ascii')
    os.write(3, len(content).to_bytes(4, 'big') + content)


def version_text(version):
    """Takes numbers, returns them with dots between them."""
    return '.'.join(str(part) for part in version)


def hello():
    """Tells the server that the transport is ready, and which interpreter this really is."""
    executable = percent_encoded(sys.executable or '')
    version = version_text(sys.version_info[:3])
    send(f'hello protocol=1 pid={os.getpid()} language=python version={version} executable={executable}')


def tell_failure(reason):
    """Takes one sentence that says why there will be no session, and tells the server."""
    send('failed reason=' + percent_encoded(reason))


def fail(reason):
    """Takes one sentence that says why there will be no session, tells the server, and ends the process."""
    tell_failure(reason)
    os._exit(1)


class RuntimeModules:
    """Finds and loads the runtime's own modules.

    They are not on sys.path, so no cell meets them by accident, and each has builtins of its own: a cell may rebind
    `builtins.isinstance` or `builtins.__import__` without harm to the next one.
    """

    def __init__(self, package, folder, spec_type):
        self._package = package
        self._folder = folder
        self._spec_type = spec_type
        self._builtins = dict(vars(builtins))

    def find_spec(self, name, path=None, target=None):
        """Takes the name of a module, returns how to load it when it is one of the runtime's, else None."""
        package, _, module = name.rpartition('.')
        if package != self._package:
            return None
        file = os.path.join(self._folder, module + '.py')
        spec = self._spec_type(name, self, origin=file)
        spec.has_location = True
        return spec

    def create_module(self, spec):
        """Takes what find_spec returned, returns the empty module."""
        module = type(sys)(spec.name)
        module.__builtins__ = self._builtins
        return module

    def exec_module(self, module):
        """Takes the empty module and runs its code, which is kept compiled beside its source where that is possible."""
        code = SourceFileLoader(module.__name__, module.__spec__.origin).get_code(module.__name__)
        exec(code, vars(module))


def start(folder):
    """Takes the folder with the runtime's modules, and serves until the session ends. Returns the exit status."""
    # From the hello on, the server may interrupt: that is for the first cell, and no reason to end.
    interrupts = []
    _signal.signal(_signal.SIGINT, lambda *_: interrupts.append(True))
    hello()
    if sys.version_info < OLDEST:
        version, oldest = version_text(sys.version_info[:3]), version_text(OLDEST)
        fail(f'Python {version} at {sys.executable} is too old: Console needs {oldest} or newer')
    os.set_inheritable(3, False)
    try:
        main = load(folder, 'main')
    except BaseException as error:
        sys.excepthook(*sys.exc_info())
        fail(f'the Python runtime could not be loaded: {type(error).__name__}: {error}')
    return main.serve(tell_failure, interrupts)


def load(folder, name):
    """Takes the folder with the runtime's modules and the name of one, and returns that."""
    package = type(sys)('_console_runtime')
    package.__path__ = []
    sys.modules['_console_runtime'] = package
    sys.meta_path.insert(0, RuntimeModules('_console_runtime', folder, type(os.__spec__)))
    sys.argv[:] = ['']
    # The working folder can be imported from in the end, but not by the runtime: it may hold a select.py.
    sys.path[:] = [entry for entry in sys.path if entry != '']
    module = getattr(__import__('_console_runtime.' + name), name)
    sys.path.insert(0, '')
    return module


def embed(folder, imports, packages, duckdb):
    """Takes the folder with the runtime's modules and what the server has said of the session, in R's process.

    Returns what its host calls.
    """
    return load(folder, 'embedded').Runtime({'imports': imports, 'packages': packages, 'duckdb': duckdb})


if __name__ == '_console_start':
    sys.exit(start(os.path.dirname(file)))  # noqa: F821 (given by the command line)
