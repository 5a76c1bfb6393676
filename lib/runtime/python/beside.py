"""A session whose R runs beside this Python, in a process of its own: what `r` is then."""

import builtins

EXPLANATION = (
    'R and Python do not share objects in this session: the R package reticulate is missing, or this Python has no '
    'shared library that could be loaded into R. R cells work beside Python; pass values in files'
)


class Objects:
    """`r`, which says why it has no objects of R's."""

    def __repr__(self) -> str:
        return f'<r: {EXPLANATION}>'

    def __getattr__(self, name: str):
        if name.startswith('__'):
            raise AttributeError(name)
        raise RuntimeError(EXPLANATION)

    def __setattr__(self, name: str, value) -> None:
        raise RuntimeError(EXPLANATION)

    def __getitem__(self, name):
        raise RuntimeError(EXPLANATION)

    def __setitem__(self, name, value) -> None:
        raise RuntimeError(EXPLANATION)


def install() -> None:
    """Makes `r` a name that every cell and module knows, without putting it into anybody's globals."""
    builtins.r = Objects()
