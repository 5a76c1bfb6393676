"""sys.displayhook: the final value of a cell, as text or as the picture that it offers of itself."""

import builtins
import sys

from _console_runtime import tracebacks
from _console_runtime.signals import SessionEndingError

PICTURES = (('_repr_png_', 'image/png'), ('_repr_jpeg_', 'image/jpeg'))
"""The methods by which a value offers a picture, in the order of preference."""

BEGINNINGS = {'image/png': b'\x89PNG\r\n\x1a\n', 'image/jpeg': b'\xff\xd8\xff'}
"""What each kind of picture begins with. A client may not survive something else that calls itself one."""

_host = None


def install(host) -> None:
    """Takes where pictures go, and puts the hook in the place of Python's own."""
    global _host
    _host = host
    sys.displayhook = displayhook


def displayhook(value) -> None:
    """Takes a value and shows it, unless it is None: its picture when it offers one, else its repr.

    Sets `_`, as Python's hook does.
    """
    picture = None if value is None else picture_of(value, sys._getframe(1))
    if picture is None:
        sys.__displayhook__(value)
        return
    builtins._ = value
    _host.image(*picture)


def picture_of(value, frame) -> tuple[str, bytes] | None:
    """Takes a value and the frame that displays it, returns the MIME type and the bytes of its picture, or None.

    A failure to draw is shown, as one of that frame, and is no picture.
    """
    try:
        bundle = method_of(value, '_repr_mimebundle_')
        if bundle is not None:
            picture = picture_in(bundle(include={mime for _, mime in PICTURES}))
            if picture is not None:
                return picture
        for name, mime in PICTURES:
            method = method_of(value, name)
            data = method() if method is not None else None
            if data is not None:
                return mime, as_bytes(data, mime)
    except SessionEndingError:
        raise
    except Exception as error:
        tracebacks.show(error.with_traceback(tracebacks.entered(frame, error.__traceback__)))
    return None


def method_of(value, name: str):
    """Takes a value and the name of a method, returns the method bound to it, or None.

    Only the type counts: an object that answers to every name offers nothing.
    """
    for base in type(value).__mro__:
        if name in vars(base):
            return getattr(value, name, None)
    return None


def picture_in(bundle) -> tuple[str, bytes] | None:
    """Takes what `_repr_mimebundle_` returned (data, or data and metadata), returns the picture in it, or None."""
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    for _, mime in PICTURES:
        if isinstance(data, dict) and data.get(mime) is not None:
            return mime, as_bytes(data[mime], mime)
    return None


def as_bytes(data, mime: str) -> bytes:
    """Takes the data of a picture (bytes, Base64 text, or either with metadata in a tuple) and its MIME type.

    Returns the bytes. Raises ValueError when they are no such picture.
    """
    if isinstance(data, tuple):
        data = data[0]
    if isinstance(data, str):
        from binascii import a2b_base64

        picture = a2b_base64(data)
    else:
        picture = bytes(memoryview(data))
    if not picture.startswith(BEGINNINGS[mime]):
        raise ValueError(f'what is offered as {mime} ({len(picture)} bytes) is none, so it is not shown')
    return picture
