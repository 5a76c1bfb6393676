"""What reticulate does to the Python that it starts, and a cell should not meet."""

import _thread
import builtins
import encodings
import os
import sys

from _console_runtime.signals import count_as_own

UNWOUND = ('(Unknown exception occurred)', 'KeyboardInterrupt')
"""What older versions say when R has left a function that Python called without an error: an interrupt, or `Q`."""


def settle(host) -> None:
    """Takes the R host, once reticulate has started Python."""
    folder = os.path.dirname(sys.modules['rpytools'].__file__)
    count_as_own(folder)
    restore_environment(host)
    tidy_path(os.path.dirname(folder))
    carry_interrupts(host)
    move_objects()


def restore_environment(host) -> None:
    """Has `os.environ` say what the process has: Python was started with a PYTHONPATH that is for that only."""
    variables = dict(entry.split(b'=', 1) for entry in host.environment().split(b'\0') if b'=' in entry)
    kept = os.environ._data
    kept.clear()
    kept.update(variables)


def tidy_path(bridge: str) -> None:
    """Makes sys.path what it is in a process of Python's own, with `bridge`, reticulate's folder, after the rest."""
    library = os.path.dirname(os.path.dirname(encodings.__file__))  # `os` can be frozen, and in no file
    needless = {
        bridge,
        os.path.join(os.path.dirname(bridge), 'config'),
        os.path.dirname(os.path.realpath(sys.executable)),
    }
    # Where the library would be, had the virtual environment one.
    place = os.path.join(sys.prefix, sys.platlibdir)
    supposed = os.path.join(place, os.path.basename(library))
    if supposed != library:
        archive = 'python{}{}.zip'.format(*sys.version_info)
        needless |= {supposed, os.path.join(supposed, 'lib-dynload'), os.path.join(place, archive)}
        sys.base_prefix = sys.base_exec_prefix = os.path.dirname(os.path.dirname(library))
    sys.path[:] = [*dict.fromkeys(['', *(entry for entry in sys.path if entry not in needless)]), bridge]


def carry_interrupts(host) -> None:
    """Takes the R host. An interrupt that a function of R's took up, or had to leave, goes on in Python after it.

    Newer versions of reticulate do the first themselves, and have a call return the value alone. They also have R do
    what other threads want of it in the main one; with older ones, R would be on a strange stack and end the process.
    """
    call = sys.modules['rpycall'].call_r_function
    passes_on = hasattr(sys.modules['rpycall'], 'schedule_python_function_on_main_thread')
    main = _thread.get_ident()

    def call_r_function(*arguments, **keywords):
        if not passes_on and _thread.get_ident() != main:
            raise RuntimeError('R can be called from the main thread only, with this version of reticulate')
        try:
            result = call(*arguments, **keywords)
        finally:
            if host.interrupt_pending():
                _thread.interrupt_main()
        if type(result) is tuple and len(result) == 2 and result[1] is True and result[0] in UNWOUND:
            return 'KeyboardInterrupt', 'KeyboardInterrupt'
        return result

    for name in ('rpycall', 'rpytools.call', 'rpytools.thread'):
        if hasattr(sys.modules.get(name), 'call_r_function'):
            sys.modules[name].call_r_function = call_r_function


def move_objects() -> None:
    """Makes `r`, which reticulate has put into `__main__`, a name that every cell and module knows instead."""
    namespace = vars(sys.modules['__main__'])
    if 'r' in namespace:
        builtins.r = namespace.pop('r')
    for name in ('sys', 'R'):
        namespace.pop(name, None)
