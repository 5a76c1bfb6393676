"""sys.stdout and sys.stderr: what is written is in the pipe in the order of writing.

A complete line is there when `write` returns. The beginning of a line is held for a moment, so that the pieces of one
`print` make one write that no other process can get between; it goes out before anything else is written to either
stream, before a child starts, before any event on the private channel, and after 20 ms at the latest.
"""

import os
import sys

from _console_runtime import outlets
from _console_runtime.flusher import flusher
from _console_runtime.streams import TextOutput
from _console_runtime.turns import release

STREAMS = {'stdout': (1, 'surrogateescape'), 'stderr': (2, 'backslashreplace')}
"""The descriptors and error handlers that Python in UTF-8 mode gives them."""


def install() -> None:
    """Puts the streams in the place of Python's own."""
    for name, (fd, errors) in STREAMS.items():
        stream = TextOutput(fd, f'<{name}>', errors)
        setattr(sys, name, stream)
        setattr(sys, f'__{name}__', stream)


def restore() -> None:
    """Before a cell: replaces a stream that was deleted or whose binary layer was taken away.

    What a cell put there stays.
    """
    for name, (fd, errors) in STREAMS.items():
        lost = [attribute for attribute in (f'__{name}__', name) if is_lost(getattr(sys, attribute, None))]
        if lost:
            stream = TextOutput(fd, f'<{name}>', errors)
            for attribute in lost:
                setattr(sys, attribute, stream)


def is_lost(stream) -> bool:
    """Takes what stands in a stream's place, returns whether nothing can be written to it any more."""
    if type(stream) is not TextOutput:
        return stream is None
    try:
        stream.fileno()
    except ValueError:
        return True
    return False


def forked() -> None:
    """In a fork child: other threads were not copied, neither what writes out what is held, nor who was writing."""
    flusher.__init__()
    outlets.forked()


def settle() -> None:
    """Writes out everything, whatever the cell has done to the streams."""
    release()
    for name in ('__stdout__', '__stderr__', 'stdout', 'stderr'):
        try:
            getattr(sys, name).flush()
        except Exception:  # noqa: S112 (a stream of the cell's own, or one that it broke: nothing of ours is in it)
            continue


def say(text: str) -> None:
    """Takes text and writes it straight to fd 2: the last resort when the streams cannot be used."""
    try:
        os.write(2, text.encode('utf-8', 'backslashreplace'))
    except OSError:
        return  # a cell closed it: there is nobody to tell
