#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares where wick and objdump place the start and end of the instructions of whole libraries.

    against_objdump.py BOUNDARIES [FILE...] [--show N]

Without FILE: the C library, the loader, libcrypto, libstdc++ and the crypto library's AVX-512 code, the variants of
`truth` if they are built (32-bit among them), BOUNDARIES itself, and an AArch64 program if the cross compiler is
installed. Each function in the symbol tables or the unwind tables is decoded from its start, so that data between
functions does not count.
Every instruction must have the same address and length as in objdump.

objdump prints "(bad)" for bytes that it cannot decode, and treats `fwait` and the next instruction as one. Such
instructions are counted, not compared. Entries of the unwind tables that start inside an instruction are left out and
counted, too: those of signal returns and of the PLT start a byte or more before their code.
"""
import argparse
import collections
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import skips  # noqa: E402

SOURCE = pathlib.Path(__file__).resolve().parents[2]
TRUTH = SOURCE / "build" / "workloads" / "truth"
LIBRARIES = ["libc.so.6", "ld-linux-x86-64.so.2", "libcrypto.so.3", "libm.so.6", "libstdc++.so.6"]
PLACES = [pathlib.Path(p) for p in ("/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib64", "/usr/lib64")]
LINE = re.compile(r"^ *([0-9a-f]+):\t((?:[0-9a-f]{2,8} )+) *(?:\t(.*))?$")


def functions(path, beginnings):
    """(begin, end) of the functions in the symbol and unwind tables, without overlaps; and how many were left out
    because no instruction starts where they do."""
    ranges, left_out = set(), 0
    for table in (["-s"], ["--dyn-syms"]):
        listing = subprocess.run(["readelf", "-W", *table, path], capture_output=True, text=True).stdout
        for line in listing.splitlines():
            fields = line.split()
            if len(fields) > 7 and fields[3] in ("FUNC", "IFUNC") and fields[6].isdigit():
                size = int(fields[2], 0)
                if size > 0:
                    ranges.add((int(fields[1], 16), int(fields[1], 16) + size))
    frames = subprocess.run(["readelf", "-W", "--debug-dump=frames", path], capture_output=True, text=True).stdout
    for begin, stop in re.findall(r" FDE .* pc=([0-9a-f]+)\.\.([0-9a-f]+)", frames):
        inside = int(begin, 16) not in beginnings
        left_out += inside
        if not inside:
            ranges.add((int(begin, 16), int(stop, 16)))
    result, end = [], 0
    for begin, stop in sorted(ranges):
        if begin >= end:
            result.append((begin, stop))
            end = stop
    return result, left_out


def objdump_boundaries(tool, path):
    """{address: (length, text)} of all instructions that objdump decodes."""
    command = [tool, "-dz", "--wide", "--insn-width=16", path]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace")
    found = {}
    for line in run.stdout:
        match = LINE.match(line)
        if match:
            digits = match[2].replace(" ", "")
            found[int(match[1], 16)] = (len(digits) // 2, match[3] or "")
    run.wait()
    return found


def wick_boundaries(tool, path, ranges):
    text = "".join(f"{begin:x} {end:x}\n" for begin, end in ranges)
    out = subprocess.run([tool, path], input=text, capture_output=True, text=True, check=True).stdout
    for line in out.splitlines():
        address, length, *kind = line.split()
        yield int(address, 16), int(length), kind[0] if kind else ""


def compared(path, arguments, objdump="objdump"):
    theirs = objdump_boundaries(objdump, path)
    ranges, left_out = functions(path, theirs)
    counts, differences = collections.Counter(), []
    skip_until = 0
    for address, length, kind in wick_boundaries(arguments.boundaries, path, ranges):
        if address < skip_until:
            continue
        if address not in theirs:
            counts["differs"] += 1
            differences.append((address, length, "no instruction begins here"))
            continue
        their_length, text = theirs[address]
        if "(bad)" in text:
            counts['no answer'] += 1
        elif length == 1 and their_length > 1 and text.startswith(("fst", "fsa", "fin", "fcl", "fld", "fwait")):
            counts["fwait"] += 1
            skip_until = address + their_length
        elif length != their_length:
            counts["differs"] += 1
            differences.append((address, length, f"objdump: {their_length} {text}"))
        else:
            counts["same"] += 1
            counts["unnamed"] += kind == "unnamed"
    print(f"{path.name:28} functions {len(ranges):6} | same {counts['same']:8}  of these without name "
          f"{counts['unnamed']:6}  differ {counts['differs']:4}  objdump has no answer {counts['no answer']:4}  "
          f"fwait {counts['fwait']:3}  entries left out {left_out}")
    for address, length, text in differences[:arguments.show]:
        print(f"  0x{address:x}: {length}; {text}")
    return counts


def aarch64_program(directory):
    """A program for AArch64 and the objdump that reads it; nothing if the cross tools are not installed."""
    compiler, objdump = shutil.which("aarch64-linux-gnu-g++"), shutil.which("aarch64-linux-gnu-objdump")
    if not compiler or not objdump:
        return None
    program = pathlib.Path(directory) / "aarch64"
    sources = [SOURCE / "tests" / "dwarf" / name for name in ("program.cc", "part.cc")]
    run = subprocess.run([compiler, "-std=c++17", "-O2", "-static", *sources, "-o", program], capture_output=True)
    return (program, objdump) if run.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("boundaries")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--show", type=int, default=5)
    arguments = parser.parse_args()
    skips.skip_all_without({"objdump": "binutils", "readelf": "binutils"})
    if arguments.files:
        return any(compared(path, arguments)["differs"] for path in arguments.files)
    total = collections.Counter()
    found = [place / name for name in LIBRARIES for place in PLACES if (place / name).exists()]
    paths = {path.resolve(): path for path in found}
    for name in LIBRARIES:
        if not any(path.name == name for path in paths.values()):
            print(f"{name:28} is left out: it is not installed")
    variants = [TRUTH / name for name in ("truth", "truth-O0", "truth-O3", "truth-clang", "truth-m32", "truth-static")]
    for path in variants:
        if not path.exists():
            skips.report(path.name, "it is not built (make workloads)")
    for path in [*paths.values(), *filter(pathlib.Path.exists, variants), pathlib.Path(arguments.boundaries)]:
        total += compared(path, arguments)
    with tempfile.TemporaryDirectory() as directory:
        if foreign := aarch64_program(directory):
            total += compared(foreign[0], arguments, foreign[1])
        else:
            skips.report("aarch64", "its compiler or objdump is not installed (package g++-aarch64-linux-gnu)")
    print(f"{total['same']} instructions have the same place and length, {total['differs']} differ")
    return total["differs"] > 0 or total["same"] < 100_000


if __name__ == "__main__":
    sys.exit(main())
