"""Rewrites the packed relative relocations (DT_RELR) of shared libraries as ordinary ones, in place.

The libraries that a Node for musl brings are linked with the former, which musl understands from 1.2.4 on.
Debian 12 has 1.2.3.
usage: expand_relr.py LIBRARY...
"""

import sys

import lief

RELATIVE = {
    lief.ELF.ARCH.X86_64: lief.ELF.Relocation.TYPE.X86_64_RELATIVE,
    lief.ELF.ARCH.AARCH64: lief.ELF.Relocation.TYPE.AARCH64_RELATIVE,
}
TAGS = lief.ELF.DynamicEntry.TAG
WORD = 8


def expand(path: str) -> None:
    """Does so for one library of 64 bits and little-endian; one without such relocations stays as it is."""
    library = lief.parse(path)
    if not library.has(TAGS.RELR):
        return
    packed = [each for each in library.relocations if each.encoding == lief.ELF.Relocation.ENCODING.RELR]
    for each in packed:
        # A packed relocation has its addend in the place that it changes.
        addend = library.get_content_from_virtual_address(each.address, WORD)
        kind = RELATIVE[library.header.machine_type]
        ordinary = lief.ELF.Relocation(each.address, kind, lief.ELF.Relocation.ENCODING.RELA)
        ordinary.addend = int.from_bytes(bytes(addend), 'little')
        library.add_dynamic_relocation(ordinary)
    for tag in (TAGS.RELR, TAGS.RELRSZ, TAGS.RELRENT):
        library.remove(tag)
    how = lief.ELF.Builder.config_t()
    how.rela = True
    how.relr = False
    how.force_relocate = True
    library.write(path, how)


for name in sys.argv[1:]:
    expand(name)
