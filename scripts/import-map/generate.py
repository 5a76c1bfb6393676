"""Makes lib/runtime/python/import_map.py: which PyPI distribution to prepare for an import of another name.

    python scripts/import-map/generate.py PIGAR_WHEEL POPULAR

PIGAR_WHEEL is what `pip download --no-deps pigar` gets: its database, under the BSD 3-Clause License, has the top-level
modules of all distributions on PyPI. POPULAR is a list of the most downloaded distributions, one name a line, the most
downloaded first: a module is mapped only to one of the first DEPTH of these, so that no import ever leads to something
that nobody knows. What names.py says comes before both.
"""

import re
import sqlite3
import sys
import tempfile
import zipfile
from collections import defaultdict
from pathlib import Path

import names

TARGET = Path(__file__).parents[2] / 'lib' / 'runtime' / 'python' / 'import_map.py'
DEPTH = 5000

HEADER = '''"""What is known of the names of modules. Made by scripts/import-map/generate.py: change names.py there.

Most of it comes from the database of pigar {version}, whose licence is in import_map.LICENSE.txt.
"""
'''


def normalised(name: str) -> str:
    """Takes the name of a distribution, returns it in the form in which names are compared."""
    return re.sub(r'[-_.]+', '-', name).lower()


def providers(wheel: zipfile.ZipFile, popular: list[str]) -> dict[str, list[str]]:
    """Takes pigar's wheel and popular distributions. Returns those that have each module, the most popular first."""
    rank = {name: place for place, name in enumerate(popular)}
    found = defaultdict(set)
    with tempfile.TemporaryDirectory() as folder:
        database = sqlite3.connect(wheel.extract('pigar/.db.sqlite3', folder))
        rows = database.execute(
            'select d.name, m.name from distributions d join top_level_module_names m on m.distribution_id = d.id'
        )
        for distribution, module in rows:
            if normalised(distribution) in rank and normalised(distribution) not in names.SKIPPED:
                found[module].add(normalised(distribution))
        database.close()
    return {module: sorted(having, key=rank.__getitem__) for module, having in found.items()}


def is_plain(module: str) -> bool:
    """Takes the name of a module, returns whether an import may lead from it to a distribution at all."""
    named = module.isascii() and module.isidentifier() and not module.startswith('_')
    reserved = (*sys.stdlib_module_names, *names.REMOVED, *names.OWN, *names.JUNK, *names.SHARED)
    return named and module not in reserved and not module.endswith(('_test', '_tests'))


def modules(having: dict[str, list[str]]) -> dict[str, str]:
    """Takes the popular distributions that have each module. Returns the one to prepare, where it has another name.

    A module that comes along with one of its distribution's own name is left out: hardly anybody imports it first.
    """
    best = {module: distributions[0] for module, distributions in having.items()}
    named_so = {distribution for module, distribution in best.items() if normalised(module) == distribution}
    found = {
        module: distribution
        for module, distribution in best.items()
        if is_plain(module) and distribution not in named_so
    }
    corrected = {**found, **names.MODULES}
    return {module: distribution for module, distribution in corrected.items() if normalised(module) != distribution}


def shown(name: str, entries: list[str], brackets: str, what: str) -> str:
    """Takes the name of a table, its entries, its brackets, and what it is. Returns its source, an entry a line."""
    return '\n'.join(
        [f'{name} = {brackets[0]}', *(f'    {entry},' for entry in entries), brackets[1], f'"""{what}"""', '']
    )


def pairs(table: dict) -> list[str]:
    """Takes a table, returns its entries as source, sorted."""
    return [f'{key!r}: {value!r}' for key, value in sorted(table.items())]


def main(wheel_file: str, popular_file: str) -> None:
    """Takes the paths of pigar's wheel and of the list, and writes the map and the licence beside it."""
    popular = [normalised(line.strip()) for line in Path(popular_file).read_text(encoding='utf-8').splitlines()][:DEPTH]
    with zipfile.ZipFile(wheel_file) as wheel:
        version = Path(wheel_file).name.split('-')[1]
        licence = wheel.read(f'pigar-{version}.dist-info/licenses/LICENSE').decode('utf-8')
        table = modules(providers(wheel, popular))
    parts = [
        HEADER.format(version=version),
        shown('MODULES', pairs(table), '{}', 'Distributions by the name of a module, where the names differ.'),
        shown(
            'SHARED', pairs(names.SHARED), '{}', 'Namespaces that many distributions have a part of, with some of them.'
        ),
        shown('REMOVED', sorted(map(repr, names.REMOVED)), '{}', 'What the standard library had once.'),
        shown('OWN', sorted(map(repr, names.OWN)), '{}', 'What projects call modules of their own.'),
    ]
    TARGET.write_text('\n'.join(parts), encoding='utf-8')
    TARGET.with_suffix('.LICENSE.txt').write_text(licence, encoding='utf-8')
    print(f'{len(table)} modules')


if __name__ == '__main__':
    main(*sys.argv[1:])
