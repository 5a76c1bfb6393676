"""Debuggers that a cell starts: they stay in the frames of cells."""

import sys

from _console_runtime.signals import is_own


def fit_bdb(bdb) -> None:
    """Takes the bdb module: debuggers do not stop in frames of the runtime, nor show those below a cell's."""
    stop_here, get_stack = bdb.Bdb.stop_here, bdb.Bdb.get_stack

    def stop_here_outside(self, frame) -> bool:
        return not is_own(frame.f_code) and stop_here(self, frame)

    def get_stack_outside(self, frame, traceback):
        stack, index = get_stack(self, frame, traceback)
        own = [place for place, (entry, _) in enumerate(stack[: index + 1]) if is_own(entry.f_code)]
        below = own[-1] + 1 if own else 0
        return stack[below:], index - below

    bdb.Bdb.stop_here = stop_here_outside
    bdb.Bdb.get_stack = get_stack_outside


def leave() -> None:
    """Ends what a debugger watches, at the end of a cell.

    Other trace functions, such as that of a coverage tool, stay.
    """
    bdb = sys.modules.get('bdb')
    if bdb is not None and isinstance(getattr(sys.gettrace(), '__self__', None), bdb.Bdb):
        sys.settrace(None)
