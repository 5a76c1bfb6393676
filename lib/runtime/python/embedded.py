"""The runtime in R's process: the R host owns the private channel and the main loop, and calls for Python cells."""

import atexit
import builtins
import faulthandler
import gc
import os
import sys

import _console_host
from _console_runtime import (
    bridge,
    children,
    console,
    debugging,
    display,
    ending,
    figures,
    imports,
    libraries,
    output,
    sharing,
    stdin,
    tracebacks,
    turns,
)
from _console_runtime.cells import raised_by
from _console_runtime.channel import Frame
from _console_runtime.evaluators import Evaluators
from _console_runtime.host import Host
from _console_runtime.packages import Packages
from _console_runtime.session import session
from _console_runtime.signals import SessionEndingError, signals
from _console_runtime.terminal import Terminal


class SharedChannel:
    """What the host in this process knows of the channel: its descriptor, as long as this is not a fork child."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    def is_intact(self) -> bool:
        """Returns True: the R host looks itself whenever it uses the channel."""
        return True

    def drop(self) -> None:
        """In a fork child, which has nothing to say to the server."""
        self.fd = -1


class EmbeddedHost(Host):
    """The server, as the rest of the runtime sees it, through the R host."""

    def absorb(self) -> None:
        """Takes in what the server has said, waiting if it has said nothing.

        Raises SessionEndingError when that is to end.
        """
        _console_host.absorb()
        self.look()
        if self.ending:
            raise SessionEndingError

    def look(self) -> None:
        """Learns what the R host has taken in."""
        self.epoch, self.interrupted, ending = _console_host.state()
        self.ending = bool(ending)

    def send(self, header: str, body: bytes = b'') -> None:
        """Takes the header and body of an event and sends it after everything that was written before it.

        Raises SessionEndingError when the server is gone.
        """
        output.release()
        _console_host.send(header, body)
        self.look()
        if self.ending:
            raise SessionEndingError

    def place(self, verb: str, keys: str, body: bytes) -> None:
        """Sends an event with a place in the text: its verb, the keys after its number, and its body."""
        output.release()
        _console_host.place(verb, keys, body)

    def request(self, module: str, distribution: str) -> Frame:
        """Takes a missing module and the distribution that should have it.

        Returns the server's answer: `activate` or `unprepared`. Raises SessionEndingError.
        """
        output.release()
        answer = _console_host.ask('request', f'language=python module={module} distribution={distribution}', b'')
        if answer is None:
            raise SessionEndingError
        verb, number, body = answer
        return Frame(verb, {'id': str(number)}, body)


class Runtime:
    """What the R host calls."""

    def __init__(self, beginning: dict[str, str]) -> None:
        """Takes keys of the frame that begins the session; what the server has not said is empty."""
        session.learn({key: value for key, value in beginning.items() if value})
        channel = SharedChannel(3)
        self._host = host = EmbeddedHost(channel)
        self._builtins = dict(vars(builtins))
        terminal = Terminal(host)
        output.install()
        turns.companion = _console_host
        faulthandler.enable(2, all_threads=False)
        stdin.install(terminal)
        display.install(host)
        figures.install(host)
        console.install(host)
        children.install(terminal.forked, channel.drop)
        enter, leave = _console_host.enter_fork, _console_host.leave_fork
        os.register_at_fork(before=enter, after_in_parent=leave, after_in_child=leave)
        imports.install({**libraries.ACTIONS, 'bdb': debugging.fit_bdb, 'subprocess': children.fit_subprocess})
        self._packages = Packages()
        if beginning['imports'] == 'implicit':
            from _console_runtime import finder

            finder.install(host, self._packages)
        self._evaluators = Evaluators(host)
        self._evaluators.prepare()

    def settle(self) -> None:
        """Once reticulate has started Python: undoes what of its doing a cell would meet."""
        sharing.install(_console_host)
        signals.install()
        bridge.settle(_console_host)
        builtins.input = self._builtins['input']

    def evaluate(self, source: str, name: str, language: str, connection: str) -> bool:
        """Takes a cell, its name in tracebacks, its language, and what an SQL cell runs over ('selected', 'managed').

        Runs it, and returns whether no exception ended it.
        """
        self._host.look()
        # What came since the cell began is for it, and an older mark is for nobody.
        signals.arrived = _console_host.take_interrupt()
        try:
            return self._evaluators.of({'language': language, 'connection': connection}).evaluate(source, name) is None
        except SessionEndingError:
            return False

    def activate(self, number: str, body: bytes) -> str:
        """Takes the number and the body of an `activate`, puts the packages in place and answers the server.

        Returns '' or why nothing has changed.
        """
        return self._packages.carry_out_alone(self._host, Frame('activate', {'id': number}, body)) or ''

    def end_cell(self) -> None:
        """A cell of R's is over: shows the figures that it left open, and takes back the handlers that it set."""
        self._host.look()
        try:
            for step in (figures.finish, output.settle):
                trouble = raised_by(step)
                if trouble is not None:
                    tracebacks.show(trouble)
        except SessionEndingError:
            return
        finally:
            signals.end()

    def release(self) -> None:
        """Writes out what is held."""
        output.release()

    def finish(self) -> None:
        """Ends Python in an orderly way: threads, `atexit` functions, the objects of `__main__`, output."""
        signals.over = True
        for step in (ending.threads_end, atexit._run_exitfuncs, clear_main):
            error = raised_by(step)
            if error is not None:
                tracebacks.show(error)
        output.settle()


def clear_main() -> None:
    """Lets go of what cells have defined, as the end of a Python process does, so that finalizers run."""
    namespace = vars(sys.modules['__main__'])
    for name in list(namespace):
        if not name.startswith('__'):
            del namespace[name]
    gc.collect()
