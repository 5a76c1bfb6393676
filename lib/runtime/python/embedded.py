"""The runtime in R's process: the R host owns the private channel and the main loop, and calls for Python cells."""

import builtins
import faulthandler
import sys

import _console_host
from _console_runtime import (
    children,
    console,
    debugging,
    display,
    ending,
    figures,
    imports,
    libraries,
    output,
    stdin,
    tracebacks,
)
from _console_runtime.channel import Frame
from _console_runtime.evaluator import Evaluator
from _console_runtime.host import Host
from _console_runtime.packages import Packages
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
        self._look()
        if self.ending:
            raise SessionEndingError

    def _look(self) -> None:
        self.epoch, self.interrupted, ending = _console_host.state()
        self.ending = bool(ending)

    def send(self, header: str, body: bytes = b'') -> None:
        """Takes the header and body of an event and sends it after everything that was written before it.

        Raises SessionEndingError when the server is gone.
        """
        output.release()
        _console_host.send(header, body)
        self._look()
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

    def __init__(self, imports_policy: str) -> None:
        channel = SharedChannel(3)
        self._host = host = EmbeddedHost(channel)
        terminal = Terminal(host)
        output.install()
        output.companion = _console_host.release
        faulthandler.enable(2, all_threads=False)
        stdin.install(terminal)
        display.install(host)
        figures.install(host)
        console.install()
        children.install(terminal.forked, channel.drop)
        imports.install({**libraries.ACTIONS, 'bdb': debugging.fit_bdb, 'subprocess': children.fit_subprocess})
        signals.share(_console_host)
        self._packages = Packages()
        if imports_policy == 'implicit':
            from _console_runtime import finder

            finder.install(host, self._packages)
        self._evaluator = Evaluator()
        self._settled = False
        self.release = output.release

    def evaluate(self, source: str, name: str) -> bool:
        """Takes a cell and its name in tracebacks, and runs it. Returns whether no exception ended it."""
        self._host._look()
        if not self._settled:
            self._settle()
        try:
            return self._evaluator.evaluate(source, name) is None
        except SessionEndingError:
            return False

    def activate(self, number: str, body: bytes) -> None:
        """Takes the number and the body of an `activate`, puts the packages in place and answers. No cell runs."""
        self._packages.carry_out(self._host, Frame('activate', {'id': number}, body))

    def _settle(self) -> None:
        """Before the first cell: undoes what reticulate does last when it starts Python."""
        self._settled = True
        signals.install()
        move_bridge()

    def finish(self) -> None:
        """Ends Python in an orderly way: threads, `atexit` functions, output."""
        import atexit

        try:
            ending.threads_end()
            atexit._run_exitfuncs()
        except BaseException as error:
            tracebacks.show(error)
        output.settle()


def move_bridge() -> None:
    """Makes `r`, which reticulate has put into `__main__`, a name that every cell and module knows instead."""
    namespace = vars(sys.modules['__main__'])
    if 'r' in namespace:
        builtins.r = namespace.pop('r')
    for name in ('sys', 'R'):
        namespace.pop(name, None)
