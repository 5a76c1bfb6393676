"""Starts the runtime. The interpreter runs this file's text with `-c`, so that `__main__` stays as clean as Python makes it.

Written so that every Python 3 can read it: one that is too old must be able to say so on the private channel (fd 3,
docs/private-channel.md) instead of failing with a syntax error that nobody sees. `file` is the path of this file.
"""

import os
import sys

OLDEST = (3, 10)


def percent_encoded(text):
    """Takes a text, returns it as printable ASCII without spaces: UTF-8 with everything unusual percent-encoded."""
    data = text.encode("utf-8", "surrogateescape")
    plain = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~/"
    return "".join(chr(byte) if byte in plain else "%%%02X" % byte for byte in data)


def send(header):
    """Takes the header of an event without a body, and writes its frame to the private channel."""
    content = (header + "\n").encode("ascii")
    os.write(3, len(content).to_bytes(4, "big") + content)


def hello():
    """Tells the server that the transport is ready, and which interpreter this really is."""
    version = ".".join(str(part) for part in sys.version_info[:3])
    executable = percent_encoded(sys.executable or "")
    send("hello protocol=1 pid=%d language=python version=%s executable=%s" % (os.getpid(), version, executable))


def fail(reason):
    """Takes one sentence that says why there will be no session, tells the server, and ends the process."""
    send("failed reason=" + percent_encoded(reason))
    os._exit(1)


def start(folder):
    """Takes the folder with the runtime's modules, and serves until the server ends the session."""
    if sys.version_info < OLDEST:
        hello()
        version = ".".join(str(part) for part in sys.version_info[:3])
        wanted = ".".join(str(part) for part in OLDEST)
        fail("Python %s at %s is too old: Console needs %s or newer" % (version, sys.executable, wanted))
    os.set_inheritable(3, False)
    hello()
    # A package without a file of its own: nothing of the runtime is ever on sys.path.
    package = type(sys)("_console_runtime")
    package.__path__ = [folder]
    sys.modules["_console_runtime"] = package
    sys.argv[:] = [""]
    if "" not in sys.path[:1]:
        sys.path.insert(0, "")
    try:
        from _console_runtime import main
    except BaseException as error:
        sys.excepthook(*sys.exc_info())
        fail("the Python runtime could not be loaded: %s: %s" % (type(error).__name__, error))
    main.serve()


start(os.path.dirname(file))  # noqa: F821 (given by the command line)
