"""The private channel: frames on fd 3, as docs/private-channel.md lays them down."""

from _console_runtime.descriptors import Descriptor
from _console_runtime.systems import system

LONGEST = 256 * 1024 * 1024


class ChannelFaultError(Exception):
    """The server broke the format: nothing that it says can be trusted any more."""


class Frame:
    """One message: its verb, the keys of its header, and its body as bytes."""

    __slots__ = ('body', 'keys', 'verb')

    def __init__(self, verb: str, keys: dict[str, str], body: bytes) -> None:
        self.verb = verb
        self.keys = keys
        self.body = body

    def number(self, key: str) -> int:
        """Returns the whole number under `key`. Raises ChannelFaultError when there is none."""
        value = self.keys.get(key, '')
        if not (value.isascii() and value.isdigit()):
            raise ChannelFaultError(f'{self.verb} without a number {key}')
        return int(value)

    def text(self) -> str:
        """Returns the body as text. Raises ChannelFaultError when it is not UTF-8."""
        try:
            return self.body.decode('utf-8')
        except UnicodeDecodeError as error:
            raise ChannelFaultError(f'the body of a {self.verb} frame is not UTF-8') from error


def decoded(content: bytes) -> Frame:
    """Takes what follows the length of a frame, returns the frame. Raises ChannelFaultError."""
    header, newline, body = content.partition(b'\n')
    if not newline or not header.isascii():
        raise ChannelFaultError(f'a malformed header: {header[:80]!r}')
    verb, *pairs = header.decode('ascii').split(' ')
    keys: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition('=')
        if not key or not equals or key in keys:
            raise ChannelFaultError(f'a malformed header: {header[:80]!r}')
        keys[key] = value
    return Frame(verb, keys, body)


class Channel:
    """This process's end of the private channel. Its descriptor blocks; only the main thread uses it."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self._descriptor = Descriptor(fd)
        self._held = bytearray()

    def is_intact(self) -> bool:
        """Returns whether the descriptor is still the channel: a cell can close it or put another file there."""
        return self._descriptor.is_intact()

    def read(self) -> list[Frame] | None:
        """Reads once, waiting when nothing is there.

        Returns the frames that are complete now, or None at end of file.
        """
        piece = system.receive(self.fd)
        if not piece:
            return None
        held = self._held
        held += piece
        frames = []
        start = 0
        while len(held) - start >= 4:
            length = int.from_bytes(held[start : start + 4], 'big')
            if not 1 <= length <= LONGEST:
                raise ChannelFaultError(f'a frame of {length} bytes')
            end = start + 4 + length
            if len(held) < end:
                break
            frames.append(decoded(bytes(held[start + 4 : end])))
            start = end
        del held[:start]
        return frames

    def send(self, header: str, body: bytes = b'') -> None:
        """Takes a header without its newline and a body, and writes the frame whole."""
        content = header.encode('ascii') + b'\n' + body
        system.transmit(self.fd, len(content).to_bytes(4, 'big') + content)

    def drop(self) -> None:
        """Closes this process's descriptor: in a fork child, which has nothing to say to the server, and in its own."""
        self._descriptor.close()
        self.fd = -1
