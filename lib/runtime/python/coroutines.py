"""Top-level `await`: one event loop for all cells, made for the first that awaits, running only while one does."""

from _console_runtime import stdlib

asyncio = stdlib.load('asyncio')
_loop: asyncio.AbstractEventLoop | None = None


def run(coroutine):
    """Takes the coroutine of a cell, returns what it returns.

    An exception from outside it (an interrupt) cancels it first.
    """
    global _loop
    if _loop is None or _loop.is_closed():
        _loop = asyncio.new_event_loop()
    asyncio.set_event_loop(_loop)
    task = _loop.create_task(coroutine)
    try:
        return _loop.run_until_complete(task)
    finally:
        if not task.done():
            _loop.run_until_complete(_cancelled(task))


async def _cancelled(task) -> None:
    task.cancel()
    await asyncio.wait([task])
