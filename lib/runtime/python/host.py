"""The server, as the rest of the runtime sees it: what it has said, and what is sent to it in its place."""

import _thread
from _collections import deque

from _console_runtime import ending, output
from _console_runtime.channel import Channel, ChannelFaultError, Frame
from _console_runtime.signals import SessionEndingError, signals
from _console_runtime.systems import system

CLOSED = "the cell closed Console's private channel (file descriptor 3), so the worker has to end"


class Host:
    """The server, as the rest of the runtime sees it."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self.main_thread = _thread.get_ident()
        self.tasks: deque[Frame] = deque()
        """What is to be done, in order."""
        self.ending = False
        """The server ends the session, or is gone."""
        self.epoch = 0
        """How often input had been pushed to the terminal, by the last `look`."""
        self.interrupted = -1
        """The cell that the last `interrupt` was for."""
        self._placed = 0
        self._events = 0
        self._requests = 0
        self._asking = False
        self._answer: Frame | None = None
        self._reads = 0
        self._announced = False

    @property
    def fd(self) -> int:
        """The descriptor to wait for: when it can be read, there is something to absorb."""
        return self._channel.fd

    def on_main_thread(self) -> bool:
        """Returns whether the caller may talk to the server: it is the main thread, and not that of a fork child."""
        return self._channel.fd >= 0 and _thread.get_ident() == self.main_thread

    def check(self) -> None:
        """Ends the process when a cell has closed the channel: no cell can have a result any more."""
        if not self._channel.is_intact():
            ending.fail(CLOSED)

    def absorb(self) -> None:
        """Takes in what the server has said, waiting if it has said nothing.

        Raises SessionEndingError when that is to end. Does not return when it cannot be understood.
        """
        self.check()
        try:
            frames = self._channel.read()
            for frame in frames or ():
                self._take(frame)
        except ChannelFaultError as fault:
            ending.broken(fault)
        if frames is None:
            self.ending = True
        if self.ending:
            raise SessionEndingError

    def absorb_waiting(self) -> None:
        """Takes in what the server has said, if anything, without waiting.

        Raises SessionEndingError when that is to end.
        """
        while system.readable([self.fd], 0):
            self.absorb()

    def told_to_end(self) -> bool:
        """Returns whether the server has ended the session: it may have said so while nobody listened."""
        try:
            self.absorb_waiting()
        except SessionEndingError:
            return True
        return self.ending

    def _take(self, frame: Frame) -> None:
        if frame.verb in ('cell', 'startup', 'begin'):
            self.tasks.append(frame)
        elif frame.verb in ('activate', 'unprepared'):
            self._take_answer(frame)
        elif frame.verb == 'look':
            self.epoch = frame.number('epoch')
        elif frame.verb == 'ack':
            self._placed = frame.number('id')
        elif frame.verb == 'interrupt':
            self.interrupted = frame.number('cell')
        elif frame.verb == 'shutdown':
            self.ending = True
        else:
            raise ChannelFaultError(f'an unknown verb {frame.verb!r}')

    def _take_answer(self, frame: Frame) -> None:
        if self._asking and frame.number('id') == self._requests:
            self._answer = frame
        elif frame.verb == 'activate':
            self.tasks.append(frame)

    def send(self, header: str, body: bytes = b'') -> None:
        """Takes the header and body of an event and sends it after everything that was written before it.

        Raises SessionEndingError when the server is gone.
        """
        output.release()
        self.check()
        try:
            self._channel.send(header, body)
        except (BrokenPipeError, ConnectionResetError):
            self.ending = True
            raise SessionEndingError from None

    def image(self, mime: str, data: bytes) -> None:
        """Takes a picture, and returns when it has its place in the text.

        Does nothing in a fork child or another thread.
        """
        if self.on_main_thread():
            self.place('image', f'mime={mime}', data)

    def table(self, preview: bytes) -> None:
        """Takes the preview of a result, encoded, and returns when it has its place in the text."""
        self.place('table', '', preview)

    def place(self, verb: str, keys: str, body: bytes) -> None:
        """Takes verb, keys after the number, and body of an event. Returns when it has its place in the text."""
        self._events += 1
        self.send(f'{verb} id={self._events} {keys}'.rstrip(), body)
        while self._placed < self._events:
            self.absorb()

    def request(self, module: str, distribution: str) -> Frame:
        """Takes a missing module and the distribution that should have it.

        Returns the server's answer: `activate` or `unprepared`.
        """
        self._requests += 1
        self._asking = True
        try:
            self.send(f'request id={self._requests} module={module} distribution={distribution}')
            while self._answer is None:
                self.absorb()
            return self._answer
        finally:
            self._asking = False
            self._answer = None

    @property
    def watches_reads(self) -> bool:
        """Whether the server is to be told of a read that finds nothing: it is for a cell, in this process."""
        return signals.running and self._channel.fd >= 0

    def begin_read(self) -> None:
        """A managed read begins."""
        self.check()
        self._reads += 1
        self._announced = False

    def starved(self) -> None:
        """The managed read has found nothing."""
        self._announced = True
        self.send(f'starved read={self._reads} epoch={self.epoch}')

    def end_read(self) -> None:
        """The managed read is over."""
        if self._announced:
            self._announced = False
            self.send(f'fed read={self._reads}')
