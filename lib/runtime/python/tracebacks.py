"""Shows exceptions the way Python does, without the runtime's own frames."""

import builtins
import sys

from _console_runtime import output, sources, stdlib
from _console_runtime.signals import SessionEndingError, is_own, signals

_builtins = dict(vars(builtins))
try:
    raise KeyError
except KeyError as example:
    Traceback = type(example.__traceback__)  # `types` would be one more module to load


def show(error: BaseException, codes: tuple = ()) -> None:
    """Takes an exception and writes its traceback to sys.stderr, or hands it to the cells' own sys.excepthook.

    `codes` are the code objects of the cell: frames outside the first of them are the runtime's way to get there.
    Whatever goes wrong, something is written, and nothing but SessionEndingError is raised. An interrupt can end only
    what the exception, a hook or a stream of a cell does meanwhile.
    """
    showing, signals.showing = signals.showing, True
    try:
        trim(error, codes)
        sys.last_type, sys.last_value, sys.last_traceback, sys.last_exc = type(error), error, error.__traceback__, error
        hook = getattr(sys, 'excepthook', sys.__excepthook__)
        if hook is sys.__excepthook__:
            write(error)
        else:
            run_hook(hook, error)
    except SessionEndingError:
        raise
    except BaseException as trouble:
        write_plainly(error, trouble)
    finally:
        signals.showing = showing


def run_hook(hook, error: BaseException) -> None:
    """Takes a cell's own excepthook and an exception for it.

    As in Python, both tracebacks are shown when the hook fails.
    """
    try:
        hook(type(error), error, error.__traceback__)
    except SessionEndingError:
        raise
    except BaseException as trouble:
        trim(trouble)
        put('Error in sys.excepthook:\n')
        write(trouble)
        put('\nOriginal exception was:\n')
        write(error)


def write(error: BaseException) -> None:
    """Takes an exception and writes its traceback with what cells have left intact: at worst without their lines."""
    try:
        text = text_of(error)
    except Exception:
        text = text_with_own_builtins(error)
    if text is None:
        sys.__excepthook__(type(error), error, error.__traceback__)
    else:
        put(text)


def text_with_own_builtins(error: BaseException) -> str | None:
    """Takes an exception, returns its traceback, made with builtins as they were; None when that does not help."""
    rebound = {name: value for name, value in vars(builtins).items() if _builtins.get(name, value) is not value}
    vars(builtins).update(_builtins)
    try:
        return text_of(error) if rebound else None
    except Exception:
        return None
    finally:
        vars(builtins).update(rebound)


def put(text: str) -> None:
    """Takes text and writes it to sys.stderr, or to fd 2 when a cell has put something there that takes no text."""
    try:
        sys.stderr.write(text)
    except SessionEndingError:
        raise
    except BaseException:
        output.release()
        output.say(text)


def text_of(error: BaseException) -> str:
    """Takes an exception, returns its traceback as Python would print it, with the lines of the cells."""
    traceback = stdlib.load('traceback')
    sources.publish(stdlib.load('linecache'))
    return ''.join(traceback.format_exception(type(error), error, error.__traceback__))


def write_plainly(error: BaseException, trouble: BaseException) -> None:
    """Takes an exception and why it could not be shown. Writes both names to fd 2: no code of theirs runs."""
    name_of = type.__dict__['__name__'].__get__
    output.say(f'{name_of(type(error))} (it could not be shown: {name_of(type(trouble))})\n')


def trim(error: BaseException, codes: tuple = ()) -> None:
    """Takes an exception and removes the runtime's frames from its traceback and those of all that it carries."""
    error.__traceback__ = without_own(since(error.__traceback__, codes))
    seen = {id(error)}
    waiting = related(error)
    while waiting:
        other = waiting.pop()
        if id(other) not in seen:
            seen.add(id(other))
            other.__traceback__ = without_own(other.__traceback__)
            waiting.extend(related(other))


def related(error: BaseException) -> list[BaseException]:
    """Takes an exception, returns those that would be shown with it: its cause, its context, the members of a group."""
    members = getattr(error, 'exceptions', ())
    candidates = [error.__cause__, error.__context__, *(members if isinstance(members, tuple) else ())]
    return [candidate for candidate in candidates if isinstance(candidate, BaseException)]


def since(entry, codes: tuple):
    """Takes the first entry of a traceback, returns the first that runs one of the `codes`; itself when none does."""
    first = entry
    while first is not None:
        if first.tb_frame.f_code in codes:
            return first
        first = first.tb_next
    return entry


def entered(frame, entry):
    """Takes a frame and the first entry of a traceback below it, or None. Returns a traceback that begins with it."""
    return Traceback(entry, frame, frame.f_lasti, frame.f_lineno)


def without_own(entry):
    """Takes the first entry of a traceback, unlinks those of the runtime, and returns the first that is left."""
    while entry is not None and is_own(entry.tb_frame.f_code):
        entry = entry.tb_next
    last = entry
    while last is not None:
        following = last.tb_next
        while following is not None and is_own(following.tb_frame.f_code):
            following = following.tb_next
        if following is not last.tb_next:
            last.tb_next = following
        last = following
    return entry
