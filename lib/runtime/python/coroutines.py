"""Top-level `await`: one event loop for all cells, made for the first that awaits, running only while one does."""

import atexit

from _console_runtime import debugging, stdlib
from _console_runtime.compiling import COROUTINE

asyncio = stdlib.load('asyncio')
PATIENCE = 0.3
"""Seconds that tasks may take to end once they are cancelled."""
_loop: asyncio.AbstractEventLoop | None = None


def run(codes: tuple, namespace: dict) -> None:
    """Takes the code objects of a cell and its globals, and runs them in the event loop.

    An exception from outside of them (an interrupt) cancels what they await.
    """
    global _loop
    if _loop is None or _loop.is_closed():
        _loop = asyncio.new_event_loop()
        atexit.register(close, _loop)
    asyncio.set_event_loop(_loop)
    task = _loop.create_task(steps(codes, namespace))
    try:
        _loop.run_until_complete(task)
    finally:
        if not task.done():
            _loop.run_until_complete(_cancelled(task))


async def steps(codes: tuple, namespace: dict) -> None:
    """Takes code objects and their globals, and runs them one after the other."""
    for code in codes:
        try:
            coroutine = eval(code, namespace)
            if code.co_flags & COROUTINE:
                await coroutine
        finally:
            debugging.leave()


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
