#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the answers of wick's DWARF reader, addr2line and llvm-symbolizer for the same random addresses.

    against_symbolizers.py LOOKUP [FILE...] [--count N] [--show N] [--only WAY]

Without FILE it uses its own program, compiled in every way that makes a difference in DWARF, the variants of `truth` if
they are built, and LOOKUP itself. Each address must give the same chain of functions, files, lines and columns as one
of the two tools. If the tools contradict each other, the one that agrees with wick is counted. Most contradictions are
in builds with split or packaged DWARF, whose files addr2line 2.40 does not read. The name of the outermost function is
not compared: wick takes it from the symbol table.
"""
import argparse
import collections
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import skips  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parents[1]
TRUTH = SOURCE / "build" / "workloads" / "truth"
LLVM = "llvm-symbolizer-19"  # older ones read neither zstd-compressed sections nor gcc's split DWARF


def code_sections(path):
    """(address, size) of the sections with code."""
    listing = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        fields = line.split("]", 1)[-1].split()
        if len(fields) > 7 and fields[1] in ("PROGBITS", "NOBITS") and "X" in fields[6]:
            yield int(fields[2], 16), int(fields[4], 16)


def random_addresses(path, count, seed=6):
    chooser = random.Random(seed)
    sections = [s for s in code_sections(path) if s[1] > 0]
    total = sum(size for _, size in sections)
    chosen = set()
    for _ in range(count):
        at = chooser.randrange(total)
        for start, size in sections:
            if at < size:
                chosen.add(start + at)
                break
            at -= size
    return sorted(chosen)


def asked(command, addresses):
    """The output of a tool that reads addresses, and its time in seconds."""
    text = "".join(f"0x{a:x}\n" for a in addresses)
    start = time.monotonic()
    run = subprocess.run(command, input=text, capture_output=True, text=True, errors="replace", check=True)
    return run.stdout, time.monotonic() - start, run.stderr


def wick_answers(tool, path, addresses):
    out, seconds, notes = asked([tool, path], addresses)
    answers = {}
    for line in out.splitlines():
        if line.startswith("0x") and "\t" not in line:
            frames = answers.setdefault(int(line, 16), [])
        else:
            name, place = line.split("\t")
            file, row, column = place.rsplit(":", 2)
            frames.append((name, file, int(row), int(column)))
    if not notes.rstrip().endswith(" different 0"):
        raise SystemExit(f"{path}: the answer depends on what else is asked for: {notes}")
    return answers, seconds, notes


def addr2line_answers(path, addresses):
    out, seconds, _ = asked(["addr2line", "-a", "-i", "-f", "-e", path], addresses)
    answers, lines = {}, iter(out.splitlines())
    for line in lines:
        if line.startswith("0x"):
            frames = answers.setdefault(int(line, 16), [])
            continue
        file, row = next(lines).split(" (discriminator")[0].rsplit(":", 1)
        frames.append((line, file, int(row) if row.isdigit() else 0, None))
    return answers, seconds


def llvm_answers(path, addresses):
    out, seconds, _ = asked([LLVM, "--obj=" + str(path), "--no-demangle", "-a", "-i", "-f"], addresses)
    answers = {}
    for block in out.split("\n\n"):
        lines = block.splitlines()
        if len(lines) < 3:
            continue
        frames = answers.setdefault(int(lines[0], 16), [])
        for name, place in zip(lines[1::2], lines[2::2]):
            file, row, column = place.rsplit(":", 2)
            frames.append((name, file, int(row), int(column)))
    return answers, seconds


def normal(frames, columns):
    """Frames in comparable form: paths without "." and "..". Code without DWARF has none: for it the tools
    print the name of the object file from the symbol table, without a line."""
    if not frames or len(frames) == 1 and frames[0][2] == 0 and "/" not in frames[0][1]:
        return []
    return [(name, str(pathlib.PurePosixPath(*plain_parts(file))), row, column if columns else None)
            for name, file, row, column in frames]


def plain_parts(file):
    parts = []
    for part in pathlib.PurePosixPath(file).parts:
        if part == ".." and parts and parts[-1] not in ("..", "/"):
            parts.pop()
        else:
            parts.append(part)
    return parts or ["."]


def without_outer_name(frames):
    """Both tools prefer the symbol table for the function that contains the code; other tests cover wick's table."""
    return frames[:-1] + [("", *frames[-1][1:])] if frames else frames


def same(wick, other, columns):
    return without_outer_name(normal(wick, columns)) == without_outer_name(normal(other, columns))


class Comparison:
    def __init__(self, path):
        self.path = path
        self.counts = collections.Counter()
        self.neither = []
        self.seconds = {}

    def packed(self):
        packed = pathlib.Path(f"{self.path}.packed")
        return packed if packed.exists() else self.path

    def run(self, lookup, count):
        addresses = random_addresses(self.path, count)
        wick, self.seconds["wick"], self.notes = wick_answers(lookup, self.packed(), addresses)
        line, self.seconds["addr2line"] = addr2line_answers(self.path, addresses)
        other, self.seconds["llvm"] = llvm_answers(self.path, addresses)
        for address in addresses:
            mine = wick.get(address, [])
            by_line = same(mine, line.get(address, []), False)
            by_llvm = same(mine, other.get(address, []), True)
            kind = ("both" if by_line and by_llvm else "addr2line only" if by_line else
                    "llvm only" if by_llvm else "neither")
            self.counts[kind] += 1
            self.counts["with lines"] += bool(mine)
            self.counts["inlined"] += len(mine) > 1
            if kind == "neither":
                self.neither.append((address, mine, line.get(address), other.get(address)))

    def described(self):
        c = self.counts
        return (f"{pathlib.Path(self.path).name:28} lines {c['with lines']:6} inlined {c['inlined']:6} | "
                f"as both {c['both']:6}  llvm only {c['llvm only']:5}  addr2line only {c['addr2line only']:5}  "
                f"neither {c['neither']:4} | seconds " +
                "  ".join(f"{k} {v:.2f}" for k, v in self.seconds.items()) + " | " + self.notes.strip())


# Name: compiler, flags, commands to run afterwards, with the program's path filled in.
GCC, CLANG = "g++", "clang++"
WAYS = {
    **{f"gcc-dwarf{version}": (GCC, ["-O2", f"-gdwarf-{version}"]) for version in (2, 3, 4, 5)},
    **{f"clang-dwarf{version}": (CLANG, ["-O2", f"-gdwarf-{version}"]) for version in (2, 3, 4, 5)},
    "gcc-O0": (GCC, ["-O0", "-g"]),
    "gcc-O3-64bit-dwarf": (GCC, ["-O3", "-g", "-gdwarf64"]),
    "gcc-g1": (GCC, ["-O2", "-g1"]),
    "gcc-strict": (GCC, ["-O2", "-g", "-gstrict-dwarf"]),
    "gcc-sections": (GCC, ["-O2", "-g", "-ffunction-sections", "-Wl,--gc-sections"]),
    "gcc-types": (GCC, ["-O2", "-g", "-fdebug-types-section"]),
    "gcc-types4": (GCC, ["-O2", "-gdwarf-4", "-fdebug-types-section"]),
    "gcc-lto": (GCC, ["-O2", "-g", "-flto"]),
    "gcc-m32": (GCC, ["-O2", "-g", "-m32", "-idirafter", "/usr/include/x86_64-linux-gnu"]),
    "gcc-aarch64": ("aarch64-linux-gnu-g++", ["-O2", "-g"]),
    "gcc-zlib": (GCC, ["-O2", "-g", "-gz=zlib"]),
    # Neither tool reads this older compression any more, so they get the uncompressed program.
    "gcc-zlib-gnu": (GCC, ["-O2", "-g"], ["objcopy", "--compress-debug-sections=zlib-gnu", "{}", "{}.packed"]),
    "gcc-zstd": (GCC, ["-O2", "-g"], ["objcopy", "--compress-debug-sections=zstd", "{}"]),
    # addr2line 2.40 and llvm do not follow it into the shared file either.
    "gcc-dwz-shared": (GCC, ["-O2", "-g"], ["cp", "{}", "{}.packed"], ["cp", "{}", "{}.other"],
                       ["dwz", "-m", "{}.shared", "{}.packed", "{}.other"]),
    "gcc-split5": (GCC, ["-O2", "-g", "-gsplit-dwarf"]),
    "gcc-split4": (GCC, ["-O2", "-gdwarf-4", "-gsplit-dwarf"]),
    "gcc-package4": (GCC, ["-O2", "-gdwarf-4", "-gsplit-dwarf"], ["llvm-dwp-19", "-e", "{}", "-o", "{}.dwp"]),
    # Not gcc's DWARF 5: llvm-dwp 19 does not finish.
    "clang-lines": (CLANG, ["-O2", "-gline-tables-only"]),
    "clang-O0": (CLANG, ["-O0", "-g"]),
    "clang-lld": (CLANG, ["-O2", "-g", "-ffunction-sections", "-fuse-ld=lld", "-Wl,--gc-sections,--icf=all"]),
    "clang-split5": (CLANG, ["-O2", "-gdwarf-5", "-gsplit-dwarf"]),
    "clang-split4": (CLANG, ["-O2", "-gdwarf-4", "-gsplit-dwarf"]),
    "clang-split-inlining": (CLANG, ["-O2", "-gdwarf-5", "-gsplit-dwarf", "-fsplit-dwarf-inlining"]),
    "clang-package4": (CLANG, ["-O2", "-gdwarf-4", "-gsplit-dwarf"], ["llvm-dwp-19", "-e", "{}", "-o", "{}.dwp"]),
    "clang-package5": (CLANG, ["-O2", "-gdwarf-5", "-gsplit-dwarf"], ["llvm-dwp-19", "-e", "{}", "-o", "{}.dwp"]),
}


def build(way, directory):
    """The program built this way, or None if that failed. Ways with the same flags share the objects. The .dwo files of
    a package are removed, so that only the package is read; it is the last way with its flags."""
    compiler, flags, *commands = WAYS[way]
    program = directory / way
    linking = [flag for flag in flags if flag.startswith(("-Wl", "-fuse-ld"))]
    compiling = [flag for flag in flags if flag not in linking]
    here = directory / (compiler + "".join(compiling).replace("/", "_"))
    if not here.exists():
        here.mkdir()
        for source in ("program", "part"):
            if not done([compiler, "-std=c++17", *compiling, "-c", HERE / (source + ".cc"), "-o", source + ".o"], here):
                return None
    if not done([compiler, *flags, "program.o", "part.o", "-o", program], here):
        return None
    for command in commands:
        if not done([part.format(program) for part in command], here):
            return None
    if "package" in way:
        for split in here.glob("*.dwo"):
            split.unlink()
    return program


def done(command, directory):
    if not shutil.which(command[0]):
        return False
    try:
        return subprocess.run(command, cwd=directory, capture_output=True, timeout=120).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def compared(path, arguments):
    comparison = Comparison(path)
    comparison.run(arguments.lookup, arguments.count)
    print(comparison.described())
    for address, *answers in comparison.neither[:arguments.show]:
        print(f"  0x{address:x}")
        for tool, frames in zip(("wick", "addr2line", "llvm"), answers):
            for frame in frames or ["-"]:
                print(f"    {tool:10} {frame}")
    return not comparison.neither and comparison.counts["with lines"] > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lookup")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--show", type=int, default=3)
    parser.add_argument("--only", default="", help="only ways to build whose name contains this")
    arguments = parser.parse_args()
    skips.skip_all_without({"addr2line": "binutils", LLVM: "llvm-19", "llvm-dwp-19": "llvm-19"})
    if arguments.files:
        return not all([compared(path, arguments) for path in arguments.files])
    good = True
    with tempfile.TemporaryDirectory() as directory:
        for way in filter(lambda name: arguments.only in name, WAYS):
            program = build(way, pathlib.Path(directory))
            if program is None:
                skips.report(way, "its compiler or linker is not installed, or fails")
            else:
                good = compared(program, arguments) and good
    variants = [TRUTH / name for name in ("truth", "truth-O0", "truth-O3", "truth-clang", "truth-m32",
                                          "truth-splitdwarf", "truth-zlib", "truth-zstd", "truth-lld", "truth-mold")]
    for path in [*filter(pathlib.Path.exists, variants), pathlib.Path(arguments.lookup)]:
        good = compared(path, arguments) and good
    return not good


if __name__ == "__main__":
    sys.exit(main())
