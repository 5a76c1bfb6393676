"""The orderly end: threads, `atexit` functions, finalizers and output, in Python's own order, but not for ever."""

import _thread
import atexit
import os
import sys

from _console_runtime import output
from _console_runtime.signals import signals

FAULT_STATUS = 70
PATIENCE = 0.3
"""Seconds for which threads that are no daemons are waited for."""


def fail(reason: str) -> None:
    """Takes why nothing more can be said to the server or believed of it, writes that, and ends the process at once."""
    output.release()
    output.say(f'{reason}\n')
    os._exit(FAULT_STATUS)


def broken(fault: Exception) -> None:
    """Takes what is wrong with a frame of the server, and ends the process at once."""
    fail(f'the private channel broke: {fault}')


def finish(status: int) -> None:
    """Takes the exit status. Returns when the interpreter can end by itself.

    Does not return when threads still run after PATIENCE, for which Python would wait for ever, or when Python has been
    told to ask for commands in the end: then `atexit` functions have run, and the process has ended without finalizers.
    """
    signals.over = True
    output.settle()
    if not threads_end() or sys.flags.inspect:
        atexit._run_exitfuncs()
        output.settle()
        os._exit(status)


def threads_end() -> bool:
    """Waits for the threads that Python would wait for. Returns whether all have ended in time."""
    threading = sys.modules.get('threading')
    if threading is None or not lasting_threads(threading):
        return True
    ended = _thread.allocate_lock()
    ended.acquire()

    def wait() -> None:
        # What executors have registered to stop their workers: without it, those would never end.
        for stop in reversed(getattr(threading, '_threading_atexits', ())):
            stop()
        for thread in lasting_threads(threading):
            thread.join()
        ended.release()

    _thread.start_new_thread(wait, ())
    return ended.acquire(timeout=PATIENCE)


def lasting_threads(threading) -> list:
    """Takes the threading module, returns the running threads that are neither the main one nor daemons."""
    main = threading.main_thread()
    return [thread for thread in threading.enumerate() if thread is not main and not thread.daemon]
