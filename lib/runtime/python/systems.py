"""What UNIX and Windows do differently is in `unix` and `windows`, with the same names; this is where one is chosen."""

import sys

if sys.platform == 'win32':
    from _console_runtime import windows as system
else:
    from _console_runtime import unix as system

__all__ = ['system']
