#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a variant of a linked program by moving its symbols and debug sections elsewhere.

    repack.py KIND INPUT OUTPUT

debuglink   stripped; everything is in OUTPUT.debug, which .gnu_debuglink names with a checksum
debugdata   stripped; .gnu_debugdata contains an xz-compressed ELF file with only the symbol table of functions
stripped    only the dynamic symbols are left
zlib, zstd  debug sections compressed in place (SHF_COMPRESSED)
"""
import lzma
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def call(*command, **more):
    return subprocess.run([str(word) for word in command], check=True, text=True, **more)


def debuglink(source, target):
    debug = target.with_name(target.name + ".debug")
    call("objcopy", "--only-keep-debug", source, debug)
    # The link contains the bare file name and the file's CRC, so it is added in the directory of the debug file.
    call("objcopy", "--strip-all", f"--add-gnu-debuglink={debug.name}", source, target.resolve(), cwd=debug.parent)


def symbols(*command):
    listing = call("nm", "--format=posix", "--defined-only", *command, stdout=subprocess.PIPE).stdout
    rows = [line.split() for line in listing.splitlines()]
    return {row[0] for row in rows if len(row) > 1 and row[1] in "TtWw"}


def debugdata(source, target):
    """The recipe of Fedora's find-debuginfo: retain the functions that are not in the dynamic symbol table."""
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        scratch = pathlib.Path(scratch)
        keep, small, packed = scratch / "keep", scratch / "small", scratch / "small.xz"
        keep.write_text("\n".join(sorted(symbols(source) - symbols("--dynamic", source))) + "\n")
        call("objcopy", "--only-keep-debug", source, small)
        call("objcopy", "--strip-all", "--remove-section=.comment", f"--keep-symbols={keep}", small)
        packed.write_bytes(lzma.compress(small.read_bytes()))
        call("objcopy", "--strip-all", f"--add-section=.gnu_debugdata={packed}", source, target)


def stripped(source, target):
    call("objcopy", "--strip-all", source, target)


def compressed(source, target, how):
    call("objcopy", f"--compress-debug-sections={how}", source, target)


KINDS = {
    "debuglink": debuglink,
    "debugdata": debugdata,
    "stripped": stripped,
    "zlib": lambda source, target: compressed(source, target, "zlib"),
    "zstd": lambda source, target: compressed(source, target, "zstd"),
}


def main(kind, source, target):
    for tool in ("objcopy", "nm"):
        if shutil.which(tool) is None:
            return f"repack.py: {tool} is missing; install binutils."
    source, target = pathlib.Path(source).resolve(), pathlib.Path(target).resolve()
    KINDS[kind](source, target)
    os.chmod(target, 0o755)
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in KINDS:
        sys.exit(f"repack.py: usage: repack.py {'|'.join(KINDS)} INPUT OUTPUT.")
    sys.exit(main(*sys.argv[1:]))
