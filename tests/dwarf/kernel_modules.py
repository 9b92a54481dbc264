#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the answers of wick and addr2line for every address of kernel modules: files that are not linked yet.

    kernel_modules.py WICK

The module is two object files joined by `ld -r`, as in the kernel's build. addr2line takes addresses of one section.
wick takes distances from the module's start in the kernel, where the code sections follow each other, except the init
sections. Compressed modules and separate debug files must give the same answers.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import skips  # noqa: E402

FIRST = """
static inline __attribute__((always_inline)) int twice(int x) {
  int sum = 0;
  for (int i = 0; i < x; i++) sum += i * x ^ sum;
  return sum;
}
extern int other(int);
int first(int x) { return twice(x) + other(x); }
__attribute__((section(".exit.text"))) int leave(int x) { return twice(x + 1); }
__attribute__((section(".init.text"))) int enter(int x) { return twice(x + 2); }
__attribute__((cold, noinline)) int rare(int x) { return twice(x + 3) * 3; }
"""
SECOND = """
static inline __attribute__((always_inline)) int thrice(int x) {
  int sum = 1;
  while (x-- > 0) sum += sum * x;
  return sum;
}
int other(int x) { return thrice(x) - 1; }
"""
# Compiler, prefix of its linker and addr2line. Not clang's DWARF 5, which addr2line 2.40 misreads before linking.
WAYS = [("gcc", "", 4), ("gcc", "", 5), ("clang-19", "", 4), ("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-", 4),
        ("aarch64-linux-gnu-gcc", "aarch64-linux-gnu-", 5)]


def answers(command):
    """One text for each address, without differences in spelling."""
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    out = re.sub(r" \(discriminator \d+\)", "", out).replace(":?", ":0")
    return [block.split("\n", 1)[1] for block in re.split(r"(?m)^(?=0x)", out)[1:]]


def code_sections(module):
    """(name, size, alignment)"""
    listing = subprocess.run(["readelf", "-SW", module], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        fields = line.split("]", 1)[-1].split()
        if len(fields) > 9 and "X" in fields[6] and not fields[0].startswith(".init"):
            yield fields[0], int(fields[4], 16), int(fields[-1])


def build(directory, compiler, prefix, version):
    module = directory / f"module-{compiler}-{version}.ko"
    for name, text in (("first", FIRST), ("second", SECOND)):
        (directory / (name + ".c")).write_text(text)
        subprocess.run([compiler, "-O2", f"-gdwarf-{version}", "-c", name + ".c"], cwd=directory, check=True)
    subprocess.run([prefix + "ld", "-r", "--build-id", "first.o", "second.o", "-o", module], cwd=directory, check=True)
    return module


def compared(wick, module, prefix):
    """Compares every address of the module, and returns the answers."""
    end, all_answers, different, asked = 0, [], 0, 0
    for name, size, alignment in code_sections(module):
        end = -(-end // alignment) * alignment
        if size > 0:
            theirs = answers([prefix + "addr2line", "-e", module, "-j", name, "-aif", *map(hex, range(size))])
            mine = answers([wick, "symbolize", "-a", "--exe", module, *map(hex, range(end, end + size))])
            for offset, (their, my) in enumerate(zip(theirs, mine, strict=True)):
                padding = their.endswith("\n??:0\n") and my == "??\n??:0\n"
                if their != my and not padding:
                    different += 1
                    print(f"{module.name} {name}+{offset:#x}: addr2line {their!r}, wick {my!r}")
            all_answers += mine
            asked += size
        end += size
    print(f"{module.name}: {asked} addresses, {different} different")
    return different == 0 and any("twice\n" in answer for answer in all_answers)


def same_elsewhere(wick, module, directory):
    """Compressed, and with its debug information in a separate file."""
    addresses = list(map(hex, range(0x60)))
    expected = answers([wick, "symbolize", "-a", "--exe", module, *addresses])
    packed = directory / "packed.ko"
    shutil.copy(module, packed)
    subprocess.run(["xz", "-k", packed], check=True)
    subprocess.run(["gzip", "-k", packed], check=True)
    stripped, debug = directory / "stripped.ko", directory / "stripped.ko.debug"
    subprocess.run(["objcopy", "--only-keep-debug", module, debug], check=True)
    subprocess.run(["objcopy", "--strip-debug", f"--add-gnu-debuglink={debug}", module, stripped], check=True)
    good = True
    for file in (f"{packed}.xz", f"{packed}.gz", stripped):
        if answers([wick, "symbolize", "-a", "--exe", file, *addresses]) != expected:
            print(f"{file} gives other answers than {module}")
            good = False
    return good


def main():
    wick = sys.argv[1]
    skips.skip_all_without({"addr2line": "binutils", "gcc": "gcc", "xz": "xz-utils"})
    good = True
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        for compiler, prefix, version in WAYS:
            if not shutil.which(compiler) or not shutil.which(prefix + "addr2line"):
                skips.report(f"{compiler}, DWARF {version}", f"{compiler} is not installed")
                continue
            module = build(directory, compiler, prefix, version)
            good = compared(wick, module, prefix) and good
        good = same_elsewhere(wick, directory / "module-gcc-5.ko", directory) and good
    return not good


if __name__ == "__main__":
    sys.exit(main())
