"""What must happen around the start of another process: output before it, a plain Python in a fork child."""

import os

from _console_runtime import output
from _console_runtime.signals import signals
from _console_runtime.systems import system


def install(*forked) -> None:
    """Takes functions to call in each fork child, and in the children of that one: they must bear being called again.

    What is held is written before any child starts.
    """

    def before() -> None:
        output.release()
        output.flusher.halt()

    def in_child() -> None:
        output.forked()
        signals.forked()
        for function in forked:
            function()

    system.around_forks(before, output.flusher.go_on, in_child, signals.numbers())
    system.around_hooks(signals.enter_hooks, signals.leave_hooks)
    for module, name in system.STARTERS:
        if hasattr(module, name):
            announced = after_output(getattr(module, name))
            setattr(module, name, announced)
            if hasattr(os, name):
                setattr(os, name, announced)


def after_output(start):
    """Takes a function that starts a process without a fork hook, returns it with what is held written first."""

    def started(*arguments, **keywords):
        output.release()
        return start(*arguments, **keywords)

    for name in ('__module__', '__name__', '__qualname__', '__doc__'):
        setattr(started, name, getattr(start, name))
    started.__wrapped__ = start
    return started


def fit_subprocess(subprocess) -> None:
    """Takes the subprocess module, whose children start without a fork hook."""
    system.fit_subprocess(subprocess, after_output)
