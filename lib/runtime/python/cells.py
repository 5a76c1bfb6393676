"""The course of a cell, in whatever language: what it runs, what it raises, and the figures that it leaves open."""

import os

from _console_runtime import figures, output
from _console_runtime.channel import ChannelFaultError
from _console_runtime.signals import SessionEndingError, signals

PROCESS = os.getpid()
"""The process that runs cells: any other one that comes to the end of a cell is a fork child of it."""


def carry_out(run, show) -> BaseException | None:
    """Takes what runs the cell and what shows an exception. Returns the exception that ended it, shown, or None.

    An interrupt is for the cell from the beginning of `run` on. Raises SessionEndingError when the session ends
    meanwhile. Never returns in a fork child of the cell.
    """
    output.restore()
    try:
        error = raised_by(begin_and, run)
        if os.getpid() != PROCESS:
            leave_child(error, show)
        if error is not None:
            show(error)
        for step in (figures.finish, output.settle):  # a stream of the cell's own may take its time
            trouble = raised_by(step)
            if trouble is not None:
                show(trouble)
        return error
    finally:
        signals.end()


def begin_and(run) -> None:
    """Lets interrupts be for the cell, and runs it."""
    signals.begin()
    run()


def raised_by(step, *arguments) -> BaseException | None:
    """Calls a function of the runtime. Returns what it raised, but for what ends the session, which goes on."""
    try:
        step(*arguments)
    except (SessionEndingError, ChannelFaultError):
        raise
    except BaseException as error:
        return error
    return None


def leave_child(error: BaseException | None, show) -> None:
    """Ends a fork child at the end of its cell, as a script ends: with what it raised, and its status."""
    status = 0
    if isinstance(error, SystemExit):
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
        if status and not isinstance(error.code, int):
            output.say(f'{error.code}\n')
    elif error is not None:
        show(error)
        status = 1
    output.settle()
    os._exit(status & 0xFF)
