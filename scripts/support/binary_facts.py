"""Says what is in programs and libraries for any system, as one JSON object by file name.

usage: binary_facts.py FILE...
"""

import json
import re
import sys

import lief

CPUS = {
    'X86_64': 'x64',
    'AMD64': 'x64',
    'AARCH64': 'arm64',
    'ARM64': 'arm64',
}


def of_elf(binary: lief.ELF.Binary) -> dict:
    """Facts about a program or library for Linux."""
    versions = {
        version.name for library in binary.symbols_version_requirement for version in library.get_auxiliary_symbols()
    }
    return {
        'cpu': CPUS[binary.header.machine_type.name],
        'loader': binary.interpreter if binary.has_interpreter else None,
        'libraries': sorted(binary.libraries),
        # Those of glibc; others have names of their own.
        'versions': sorted(name.removeprefix('GLIBC_') for name in versions if re.fullmatch(r'GLIBC_[0-9.]+', name)),
        'imports': sorted(symbol.name for symbol in binary.imported_symbols if symbol.name),
        'exports': sorted(symbol.name for symbol in binary.exported_symbols),
    }


def of_mach_o(binary: lief.MachO.Binary) -> dict:
    """Facts about one for macOS; symbols without the underscore that all of C have there."""
    return {
        'cpu': CPUS[binary.header.cpu_type.name],
        'libraries': sorted(library.name for library in binary.libraries),
        'oldest': '.'.join(str(part) for part in binary.build_version.minos),
        'signed': binary.has_code_signature,
        'imports': sorted(symbol.name.removeprefix('_') for symbol in binary.imported_symbols),
        'exports': sorted(symbol.name.removeprefix('_') for symbol in binary.exported_symbols),
    }


def of_pe(binary: lief.PE.Binary) -> dict:
    """Facts about one for Windows; names of libraries in small letters."""
    return {
        'cpu': CPUS[binary.header.machine.name],
        'libraries': sorted({library.name.lower() for library in binary.imports}),
        'imports': sorted(entry.name for library in binary.imports for entry in library.entries if entry.name),
        'exports': sorted(function.name for function in binary.exported_functions),
    }


def facts_of(path: str) -> dict:
    """All that is said about one file."""
    binary = lief.parse(path)
    if isinstance(binary, lief.ELF.Binary):
        return {'format': 'elf', **of_elf(binary)}
    if isinstance(binary, lief.MachO.Binary):
        return {'format': 'mach-o', **of_mach_o(binary)}
    return {'format': 'pe', **of_pe(binary)}


print(json.dumps({path: facts_of(path) for path in sys.argv[1:]}))
