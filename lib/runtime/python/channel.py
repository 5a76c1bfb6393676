"""The private channel: frames on fd 3, as docs/private-channel.md lays them down."""

import os

LONGEST = 256 * 1024 * 1024


class ChannelFault(Exception):
    """The server broke the format: nothing that it says can be trusted any more."""


class Frame:
    """One message: its verb, the keys of its header, and its body as bytes."""

    __slots__ = ("verb", "keys", "body")

    def __init__(self, verb: str, keys: dict[str, str], body: bytes) -> None:
        self.verb = verb
        self.keys = keys
        self.body = body

    def number(self, key: str) -> int:
        """Returns the whole number under `key`. Raises ChannelFault when there is none."""
        value = self.keys.get(key, "")
        if not (value.isascii() and value.isdigit()):
            raise ChannelFault(f"{self.verb} without a number {key}")
        return int(value)


def decoded(content: bytes) -> Frame:
    """Takes what follows the length of a frame, and returns the frame. Raises ChannelFault."""
    header, newline, body = content.partition(b"\n")
    if not newline or not header.isascii():
        raise ChannelFault(f"a malformed header: {header[:80]!r}")
    verb, *pairs = header.decode("ascii").split(" ")
    keys: dict[str, str] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not key or not equals or key in keys:
            raise ChannelFault(f"a malformed header: {header[:80]!r}")
        keys[key] = value
    return Frame(verb, keys, body)


class Channel:
    """One end of the private channel. Blocking; used by the main thread only."""

    def __init__(self, fd: int) -> None:
        self.fd = fd
        self._held = bytearray()

    def frames(self) -> "list[Frame] | None":
        """Reads once, waiting if nothing is there. Returns the frames that are complete now, or None at end of file."""
        try:
            piece = os.read(self.fd, 1 << 20)
        except ConnectionResetError:
            return None
        if not piece:
            return None
        held = self._held
        held += piece
        complete = []
        start = 0
        while len(held) - start >= 4:
            length = int.from_bytes(held[start : start + 4], "big")
            if not 1 <= length <= LONGEST:
                raise ChannelFault(f"a frame of {length} bytes")
            if len(held) - start - 4 < length:
                break
            complete.append(decoded(bytes(held[start + 4 : start + 4 + length])))
            start += 4 + length
        del held[:start]
        return complete

    def send(self, header: str, body: bytes = b"") -> None:
        """Takes a header without its newline and a body, and writes the frame whole."""
        content = header.encode("ascii") + b"\n" + body
        frame = memoryview(len(content).to_bytes(4, "big") + content)
        while frame:
            frame = frame[os.write(self.fd, frame) :]
