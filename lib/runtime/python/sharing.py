"""Signals where R lives in the same process: one SIGINT is for whichever of the two interpreters finds it first.

The host's own C handler marks a SIGINT in both. So it has to stay in place when Python sets a handler, and a handler
that runs here takes the mark in R away.
"""

import _signal
import _thread
import inspect

from _console_runtime.signals import signals


class Taking:
    """A SIGINT handler of a cell, which is not called for what R has taken up, and takes up what it is called for."""

    def __init__(self, host, handler) -> None:
        self._host = host
        self.handler = handler

    def __call__(self, number: int, frame):
        """Takes what Python gives to a handler of signals."""
        if self._host.take_interrupt():
            return self.handler(number, frame)
        return None


def install(host) -> None:
    """Takes the R host, and has the signals of this interpreter shared with R."""
    signals.share(host, {inspect.getmro.__code__})
    share_setting(host)
    share_raising(host)


def share_setting(host) -> None:
    """Has the host's C handler back whenever Python has put its own in place, and hides what stands around handlers."""
    set_handler, get_handler = _signal.signal, _signal.getsignal

    def signal(signalnum, handler, /):
        own = signals.owns(handler)
        taking = signalnum == _signal.SIGINT and callable(handler) and not own
        previous = set_handler(signalnum, Taking(host, handler) if taking else handler)
        if taking or own:
            host.guard(signalnum)
        return bare(previous)

    def getsignal(signalnum, /):
        return bare(get_handler(signalnum))

    for function, original in ((signal, set_handler), (getsignal, get_handler)):
        function.__module__, function.__qualname__ = original.__module__, original.__qualname__
        function.__doc__, function.__text_signature__ = original.__doc__, original.__text_signature__
        setattr(_signal, original.__name__, function)


def bare(handler):
    """Takes a handler as Python keeps it, returns the one that was set."""
    return handler.handler if isinstance(handler, Taking) else handler


def share_raising(host) -> None:
    """Has what Python code raises without a signal (`_thread.interrupt_main`) marked in R too."""
    interrupt_main = _thread.interrupt_main

    def interrupt(signum=_signal.SIGINT, /):
        if signum == _signal.SIGINT:
            host.mark_interrupt()
        interrupt_main(signum)

    interrupt.__name__ = interrupt.__qualname__ = 'interrupt_main'
    interrupt.__module__, interrupt.__doc__ = interrupt_main.__module__, interrupt_main.__doc__
    _thread.interrupt_main = interrupt
