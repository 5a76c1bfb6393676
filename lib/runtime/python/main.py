"""The runtime as a process of its own: the main loop between the private channel and the evaluator."""

import atexit
import faulthandler

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
from _console_runtime.channel import Channel, ChannelFaultError, Frame
from _console_runtime.evaluators import Evaluators
from _console_runtime.host import Host
from _console_runtime.packages import Packages
from _console_runtime.session import session
from _console_runtime.signals import SessionEndingError, signals
from _console_runtime.terminal import Terminal

TERMINATED_STATUS = 143
STARTUP = 0
"""The number under which the server interrupts the configured startup code: cells count from 1."""


class SetupFailedError(Exception):
    """There will be no session; the message is one sentence that says why."""


def serve(tell_failure, interrupts: list) -> int:
    """Answers the server's frames until the session ends. Returns the exit status of the process.

    `tell_failure` takes one sentence that says why the setup failed, and tells the server. `interrupts` is not empty
    when a SIGINT has come since the hello.
    """
    channel = Channel(3)
    host = Host(channel)
    terminal = Terminal(host)
    output.install()
    faulthandler.enable(2, all_threads=False)
    stdin.install(terminal)
    display.install(host)
    figures.install(host)
    console.install(host)
    children.install(terminal.forked, channel.drop)
    imports.install({**libraries.ACTIONS, 'bdb': debugging.fit_bdb, 'subprocess': children.fit_subprocess})
    signals.install()
    signals.arrived = bool(interrupts)
    atexit.register(signals.quiet)  # the first to be registered is the last to be called
    packages = Packages()
    evaluators = Evaluators(host)
    status = 0
    try:
        while True:
            while not host.tasks:
                if wait(host):
                    host.absorb()
            perform(host, terminal, evaluators, packages, host.tasks.popleft())
    except SetupFailedError as failure:
        tell_failure(str(failure))
        status = 1
    except SessionEndingError:
        if signals.terminated and not host.told_to_end():
            status = TERMINATED_STATUS
    except ChannelFaultError as fault:
        ending.broken(fault)
    ending.finish(status)
    return status


def wait(host: Host) -> bool:
    """Waits while there is nothing to do. Returns whether the server has said something.

    A signal handler that a cell has set can run meanwhile; what it raises is shown, as at Python's own prompt.
    """
    try:
        return bool(signals.select([host.fd], None))
    except SessionEndingError:
        raise
    except BaseException as error:
        tracebacks.show(error)
        return False


def perform(host: Host, terminal: Terminal, evaluators: Evaluators, packages: Packages, frame: Frame) -> None:
    """Does what one frame asks. Raises SetupFailedError when the configured startup code does not run to its end."""
    if frame.verb == 'cell':
        cell = frame.number('id')
        if session.beside_r:
            terminal.bring_here()
        run(host, evaluators, frame, cell, f'<cell {cell}>')
        host.send(f'done id={cell}')
        return
    if frame.verb == 'activate':
        packages.carry_out_alone(host, frame)
        return
    session.learn(frame.keys)
    if session.beside_r:
        from _console_runtime import beside

        beside.install()
    if frame.keys.get('imports') == 'implicit':
        from _console_runtime import finder

        finder.install(host, packages)
    if frame.verb == 'startup':
        error = run(host, evaluators, frame, STARTUP, '<startup>')
        if error is not None:
            host.check()
            raise SetupFailedError(f'the configured startup code ended with {type(error).__name__}')
    host.send('ready')


def run(host: Host, evaluators: Evaluators, frame: Frame, cell: int, name: str) -> BaseException | None:
    """Runs the source in a frame, under its number and its name in tracebacks. Returns the exception that ended it.

    When an interrupt for it has come before it could begin, it does not run, and ends with that.
    """
    if signals.arrived:
        signals.arrived = False
        host.absorb_waiting()
        if host.interrupted == cell:
            interrupt = KeyboardInterrupt()
            tracebacks.show(interrupt)
            output.settle()
            return interrupt
    return evaluators.of(frame.keys).evaluate(frame.text(), name)
