"""Matplotlib figures that pyplot knows, returned as PNG.

Imports nothing of Matplotlib: a session that does not plot does not pay.
"""

import io
import sys

from _console_runtime import tracebacks
from _console_runtime.signals import SessionEndingError

_host = None


def install(host) -> None:
    """Takes where pictures go."""
    global _host
    _host = host


def open_managers() -> list:
    """Returns pyplot's managers of open figures, in the order of their numbers."""
    helpers = sys.modules.get('matplotlib._pylab_helpers')
    return sorted(helpers.Gcf.figs.values(), key=lambda manager: manager.num) if helpers is not None else []


def send(managers: list) -> None:
    """Takes managers and sends the picture of each; one that cannot be drawn sends its traceback as text instead."""
    for manager in managers:
        image = io.BytesIO()
        try:
            manager.canvas.figure.savefig(image, format='png')
        except SessionEndingError:
            raise
        except Exception as error:
            tracebacks.show(error)
        else:
            _host.image('image/png', image.getvalue())


def close(managers: list) -> None:
    """Takes managers and closes their figures, those that are still open."""
    destroy = sys.modules['matplotlib._pylab_helpers'].Gcf.destroy
    for manager in managers:
        destroy(manager)


def send_and_close(managers: list) -> None:
    """Takes managers, sends their figures and closes them, also when an interrupt comes.

    Only the main thread talks to the session: called on another one, it leaves the figures open for the end of a cell.
    """
    if managers and _host.on_main_thread():
        try:
            send(managers)
        finally:
            close(managers)


def finish() -> None:
    """Sends every open figure and closes it: at the end of a cell."""
    send_and_close(open_managers())
