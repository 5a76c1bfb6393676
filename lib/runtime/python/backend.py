"""A Matplotlib backend that that sends figures to the session: Agg, and where a window would open, a picture.

Matplotlib loads it by name, as `module://_console_runtime.backend`, when nobody has chosen another.
"""

import sys
import time

from _console_runtime import figures
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg


class FigureManager(FigureManagerBase):
    """Shows one figure."""

    def show(self) -> None:
        """Sends the figure and closes it."""
        figures.send_and_close([self])


class FigureCanvas(FigureCanvasAgg):
    """Draws with Agg."""

    manager_class = FigureManager

    def start_event_loop(self, timeout: float = 0) -> None:
        """Takes seconds and waits for them: there are no events of a window."""
        time.sleep(max(timeout, 0))


def show(*_, **__) -> None:
    """`plt.show()`: sends the open figures, here in the text, and closes them.

    Called by `plt.pause()`, it leaves them open.
    """
    managers = figures.open_managers()
    if called_by_pause():
        figures.send(managers)
    else:
        figures.send_and_close(managers)


def called_by_pause() -> bool:
    """Returns whether pyplot's `pause` is what called `show`."""
    pause = sys.modules['matplotlib.pyplot'].pause.__code__
    frame = sys._getframe(2)
    return frame.f_code is pause or (frame.f_back is not None and frame.f_back.f_code is pause)
