#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lambdas and members of local types have the same names whether their DWARF is in the program or split off.

    split_scopes.py WICK

Inlined ones have no linkage name, so their scope comes from the enclosing entries, which a split program has in .dwo
files or in a .dwp.
"""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import skips  # noqa: E402

PROGRAM = """
#include <cstdlib>
namespace deep {
namespace {
struct Loop {
  template <class F> __attribute__((noinline)) long apply(F f, long n) {
    long sum = 0;
    for (long i = 0; i < n; i++) sum += f(i ^ sum);
    return sum;
  }
};
}
__attribute__((noinline)) long work(long n) {
  struct Inner { long go(long x) const { return x * 7 % 13; } } inner;
  return Loop().apply([&](long x) { return inner.go(x) * 3 + x % 17; }, n);
}
}
int main(int count, char**) { return static_cast<int>(deep::work(count)); }
"""


def answers(wick, directory, flags, package=False):
    """The answer for every byte of the program's code that has a line."""
    directory.mkdir()
    (directory / "program.cc").write_text(PROGRAM)
    subprocess.run(["g++", "-O2", *flags, "-c", "program.cc"], cwd=directory, check=True)
    subprocess.run(["g++", "program.o", "-o", "program"], cwd=directory, check=True)
    if package:
        subprocess.run(["dwp", "-e", "program", "-o", "program.dwp"], cwd=directory, check=True)
        for split in directory.glob("*.dwo"):
            split.unlink()
    symbols = subprocess.run(["nm", "-CS", "program"], cwd=directory, capture_output=True, text=True, check=True).stdout
    begin, size = next((int(f[0], 16), int(f[1], 16)) for f in map(str.split, symbols.splitlines())
                       if any("apply<" in word for word in f))
    command = [wick, "symbolize", "--with-columns", "--exe", "program", *map(hex, range(begin, begin + size))]
    out = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=True).stdout
    return out.replace(str(directory), "")


def main():
    wick = str(pathlib.Path(sys.argv[1]).resolve())
    skips.skip_all_without({"g++": "g++", "dwp": "binutils"})
    good = True
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for version in (4, 5):
            dwarf = f"-gdwarf-{version}"
            plain = answers(wick, root / f"plain{version}", [dwarf])
            if "deep::work::" not in plain or "::operator()" not in plain or "Inner::go" not in plain:
                print(f"DWARF {version}: lambdas have no scope:\n{plain}")
                good = False
            for package in (False, True):
                if package and version == 5:
                    continue  # dwp 2.40 makes packages of DWARF 4 only
                split = answers(wick, root / f"split{version}{package}", [dwarf, "-gsplit-dwarf"], package)
                if split != plain:
                    print(f"DWARF {version}, split: other names than in one piece:\n{split}\n{plain}")
                    good = False
    return not good


if __name__ == "__main__":
    sys.exit(main())
