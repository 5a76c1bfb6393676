"""How widely used libraries are fitted to the session, once a cell has imported them."""

from _console_runtime import sources

WIDTH = 200
"""Columns that NumPy and pandas may use, unless somebody has chosen otherwise."""


def fit_numpy(numpy) -> None:
    """Takes the NumPy module and widens what it prints."""
    if numpy.get_printoptions()['linewidth'] == 75:
        numpy.set_printoptions(linewidth=WIDTH)


def fit_pandas(pandas) -> None:
    """Takes the pandas module and widens what it prints."""
    if pandas.get_option('display.width') == 80:
        pandas.set_option('display.width', WIDTH)


def fit_matplotlib(matplotlib) -> None:
    """Takes the Matplotlib module and makes the session's backend the default. MPLBACKEND and a matplotlibrc come first."""
    from matplotlib import rcsetup

    if dict.__getitem__(matplotlib.rcParams, 'backend') is rcsetup._auto_backend_sentinel:
        matplotlib.rcParams['backend'] = 'module://_console_runtime.backend'


ACTIONS = {
    'linecache': sources.publish,
    'numpy': fit_numpy,
    'pandas': fit_pandas,
    'matplotlib': fit_matplotlib,
}
