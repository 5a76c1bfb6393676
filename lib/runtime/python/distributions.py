"""What is installed in a folder, as its .dist-info folders tell: importlib.metadata would cost 20 ms and 40 modules."""

import os


class Distribution:
    """One installed distribution."""

    def __init__(self, folder: str, record: str, version: str) -> None:
        self._record = os.path.join(folder, record, 'RECORD')
        self.version = version

    def files(self) -> set[str]:
        """Returns its files, relative to the folder that it is installed in, with `/`. Raises OSError."""
        with open(self._record, encoding='utf-8') as lines:
            return {file_of(line) for line in lines if not line.isspace()}

    def folders(self) -> set[str]:
        """Returns the folders that it has files in, at all levels, relative and with `/`. Raises OSError."""
        folders: set[str] = set()
        for file in self.files():
            folder = file.rpartition('/')[0]
            while folder and folder not in folders:
                folders.add(folder)
                folder = folder.rpartition('/')[0]
        return folders


def file_of(line: str) -> str:
    """Takes a line of a RECORD (`path,hash,size`, the path quoted when it has a comma or a quote), returns the path."""
    path = line.rstrip('\r\n').rsplit(',', 2)[0]
    if path.startswith('"'):
        path = path[1:-1].replace('""', '"')
    return path


def normalised(name: str) -> str:
    """Takes the name of a distribution, returns it in the form in which names are compared."""
    parts = name.lower().replace('_', '-').replace('.', '-').split('-')
    return '-'.join(part for part in parts if part)


def installed(folder: str | None) -> dict[str, Distribution]:
    """Takes a folder (None: nothing is installed), returns its distributions by normalised name. Raises OSError."""
    found = {}
    for entry in os.listdir(folder) if folder else ():
        stem, kind = os.path.splitext(entry)
        if kind == '.dist-info':
            name, _, version = stem.rpartition('-')
            found[normalised(name)] = Distribution(folder, entry, version)
    return found


def differing_folders(old: str | None, new: str) -> set[str]:
    """Takes two folders with distributions; the first may be None, for nothing. Raises OSError.

    Returns the folders inside, relative and with `/`, with files of distributions that are in one of the two only, or
    in both with different versions.
    """
    before, after = installed(old), installed(new)
    folders: set[str] = set()
    for one, other in ((before, after), (after, before)):
        for name, distribution in one.items():
            if name not in other or other[name].version != distribution.version:
                folders |= distribution.folders()
    return folders
