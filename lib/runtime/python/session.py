"""What the server has said about the session when it began (docs/private-channel.md)."""

import os

from _console_runtime import stdlib


class Session:
    """The facts of this session. There is one of it: `session`."""

    def __init__(self) -> None:
        self._folder: str | None = None
        self.packages = 'unknown'
        """Where Python packages come from: 'open' or 'fixed' when the server prepares them, 'own' when it does not."""

        self.duckdb = 'python'
        """The language whose DuckDB is the session's own: 'python' or 'r'."""

        self.beside_r = False
        """R runs in a process of its own, on the same terminal."""

    def learn(self, keys: dict[str, str]) -> None:
        """Takes the keys of the frame that begins the session."""
        self._folder = keys.get('folder')
        self.packages = keys.get('packages', self.packages)
        self.duckdb = keys.get('duckdb', self.duckdb)
        self.beside_r = keys.get('bridge') == 'none'

    def make_folder(self, name: str) -> str:
        """Takes a name and makes a folder of that name, which nobody else can look into. Returns its path.

        It is removed with this generation of the session. Raises OSError.
        """
        folder = os.path.join(self._place(), name)
        os.mkdir(folder, 0o700)
        return folder

    def _place(self) -> str:
        if self._folder is not None:
            place = stdlib.load('urllib.parse').unquote(self._folder)
            os.makedirs(place, 0o700, exist_ok=True)
            return place
        # In R's process: R removes its folder when it ends.
        return os.environ.get('R_SESSION_TMPDIR') or stdlib.load('tempfile').mkdtemp(prefix='console-')


session = Session()
