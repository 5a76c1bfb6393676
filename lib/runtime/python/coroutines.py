"""Top-level `await`: one event loop for all cells, made for the first that awaits, running only while one does."""

import atexit

from _console_runtime import debugging, stdlib, tracebacks
from _console_runtime.compiling import COROUTINE
from _console_runtime.signals import is_own, is_standard

asyncio = stdlib.load('asyncio')
types = stdlib.load('types')
PATIENCE = 0.3
"""Seconds that tasks may take to end once they are cancelled."""
_loop: asyncio.AbstractEventLoop | None = None


def run(codes: tuple, namespace: dict) -> None:
    """Takes the code objects of a cell and its globals, and runs them in the event loop.

    An exception from outside of them (an interrupt) cancels what they await. One that has met nothing but the event
    loop is shown as one of where they await.
    """
    global _loop
    if _loop is None or _loop.is_closed():
        _loop = asyncio.new_event_loop()
        atexit.register(close, _loop)
    asyncio.set_event_loop(_loop)
    task = _loop.create_task(steps(codes, namespace))
    try:
        _loop.run_until_complete(task)
    except BaseException as error:
        if task.done():
            raise
        place = suspended(task.get_coro()) if is_of_loop(error.__traceback__) else error.__traceback__
        end(task)
        raise error.with_traceback(place)  # noqa: B904 (it is the same one)


async def steps(codes: tuple, namespace: dict) -> None:
    """Takes code objects and their globals, and runs them one after the other."""
    for code in codes:
        try:
            coroutine = eval(code, namespace)
            if code.co_flags & COROUTINE:
                await coroutine
        finally:
            debugging.leave()


def end(task) -> None:
    """Takes the task of a cell that is to end, and cancels it. A further interrupt ends the wait for that."""
    try:
        _loop.run_until_complete(_cancelled(task))
    except KeyboardInterrupt as error:
        if not is_of_loop(error.__traceback__):
            raise


def is_of_loop(entry) -> bool:
    """Takes the first entry of a traceback, returns whether the runtime's and the standard library's are all it has."""
    while entry is not None and (is_own(entry.tb_frame.f_code) or is_standard(entry.tb_frame)):
        entry = entry.tb_next
    return entry is None


def suspended(awaited):
    """Takes a suspended coroutine, returns the traceback of where it and all that it awaits are."""
    frames = []
    while isinstance(awaited, (types.CoroutineType, types.GeneratorType)):
        is_coroutine = isinstance(awaited, types.CoroutineType)
        frames.append(awaited.cr_frame if is_coroutine else awaited.gi_frame)
        awaited = awaited.cr_await if is_coroutine else awaited.gi_yieldfrom
    place = None
    for frame in reversed(frames):
        place = tracebacks.entered(frame, place)
    return place


def close(loop) -> None:
    """Takes the cells' event loop and closes it, at the end of the process, after its tasks have been cancelled."""
    tasks = asyncio.all_tasks(loop)
    if tasks:
        loop.run_until_complete(_cancelled(*tasks))
    loop.close()


async def _cancelled(*tasks) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks, timeout=PATIENCE)
