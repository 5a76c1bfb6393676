"""The runtime as a process of its own: the main loop between the private channel and the evaluator."""

import os
import sys
from collections import deque

from _console_runtime import evaluator
from _console_runtime.channel import Channel, ChannelFault, Frame

EXIT_FAULT = 70


def serve() -> None:
    """Answers the server's frames until it ends the session. Returns when the interpreter should finish."""
    channel = Channel(3)
    waiting: deque[Frame] = deque()
    try:
        while True:
            while waiting:
                frame = waiting.popleft()
                if frame.verb == "shutdown":
                    return
                answer(channel, frame)
            more = channel.frames()
            if more is None:
                return
            waiting.extend(more)
    except ChannelFault as fault:
        sys.stderr.write(f"the private channel broke: {fault}\n")
        sys.stderr.flush()
        os._exit(EXIT_FAULT)


def answer(channel: Channel, frame: Frame) -> None:
    """Does what one frame asks."""
    if frame.verb == "cell":
        cell = frame.number("id")
        evaluator.evaluate(frame.body.decode("utf-8"), cell)
        flush()
        channel.send(f"done id={cell}")
    elif frame.verb == "begin":
        channel.send("ready")
    elif frame.verb == "startup":
        evaluator.evaluate(frame.body.decode("utf-8"), 0)
        flush()
        channel.send("ready")
    elif frame.verb not in ("look", "interrupt", "ack"):
        raise ChannelFault(f"an unknown verb {frame.verb!r}")


def flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
