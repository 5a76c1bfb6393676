"""How widely used libraries are fitted to the session, once a cell has imported them."""

import _thread
import sys

from _console_runtime import sources, tracebacks
from _console_runtime.systems import system

WIDTH = 200
"""Columns that NumPy and pandas may use, unless somebody has chosen otherwise."""


def fit_numpy(numpy) -> None:
    """Takes the NumPy module and widens what it prints."""
    if numpy.get_printoptions()['linewidth'] == 75:
        numpy.set_printoptions(linewidth=WIDTH)


def fit_pandas(pandas) -> None:
    """Takes the pandas module and widens what it prints.

    Where it believes to be in a terminal, it leaves out columns to fit into that one's 80, whatever `display.width` is.
    So it gets the number of columns that it has elsewhere.
    """
    if pandas.get_option('display.width') == 80:
        pandas.set_option('display.width', WIDTH)
        if pandas.get_option('display.max_columns') == 0:
            pandas.set_option('display.max_columns', 20)


def fit_matplotlib(matplotlib) -> None:
    """Takes the Matplotlib module and makes the session's backend the default.

    MPLBACKEND and a matplotlibrc come first.
    """
    from matplotlib import rcsetup

    if dict.__getitem__(matplotlib.rcParams, 'backend') is rcsetup._auto_backend_sentinel:
        matplotlib.rcParams['backend'] = 'module://_console_runtime.backend'


def fit_threading(threading) -> None:
    """Takes the threading module.

    Before 3.13, Python itself reports a thread's exception without the lines of cells.
    """
    if sys.version_info < (3, 13) and threading.excepthook is threading.__excepthook__:
        threading.excepthook = show_in_thread


def show_in_thread(details) -> None:
    """Takes what a threading.excepthook is given, and writes what Python would."""
    if details.exc_type is not SystemExit and details.exc_value is not None:
        name = details.thread.name if details.thread is not None else _thread.get_ident()
        sys.stderr.write(f'Exception in thread {name}:\n{tracebacks.text_of(details.exc_value)}')


ACTIONS = {
    'linecache': sources.publish,
    'threading': fit_threading,
    'numpy': fit_numpy,
    'pandas': fit_pandas,
    'matplotlib': fit_matplotlib,
    **system.ACTIONS,
}
