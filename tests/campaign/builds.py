#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether wick notices real programs of Rust and Go that are built without optimisation, and no others.

Each program is built in both ways. `stat` looks at the file of the program, `report` at the functions with samples.
The directories are not Cargo's, so only the debug information can prove anything.

Usage: builds.py WICK
The exit status is 1 if a caution is missing or wrong.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

RUST = """
fn step(seed: u64, round: u64) -> u64 {
    let mixed = seed ^ (round << 7);
    let rotated = mixed.rotate_left(11);
    rotated.wrapping_mul(0x9e3779b97f4a7c15)
}
fn main() {
    let mut seed = 1;
    for round in 0..10_000_000u64 {
        seed = step(seed, round);
    }
    println!("{seed}");
}
"""
GO = """
package main

func step(seed uint64, round uint64) uint64 {
    mixed := seed ^ (round << 7)
    return mixed * 0x9e3779b97f4a7c15
}

func main() {
    var seed uint64 = 1
    for round := uint64(0); round < 100000000; round++ {
        seed = step(seed, round)
    }
    println(seed)
}
"""
# Name, source file, its text, the command that builds it, and the text of the build if it is not optimised.
PROGRAMS = [
    ("rust-debug", "program.rs", RUST, ["rustc", "-g", "-C", "opt-level=0"], "rustc"),
    ("rust-v0-debug", "program.rs", RUST, ["rustc", "-g", "-C", "opt-level=0", "-C", "symbol-mangling-version=v0"], "rustc"),
    ("rust", "program.rs", RUST, ["rustc", "-g", "-C", "opt-level=2"], None),
    ("go-debug", "program.go", GO, ["go", "build", "-gcflags=all=-N -l"], "Go "),
    ("go", "program.go", GO, ["go", "build"], None),
]


def cautions(wick, *words):
    done = subprocess.run([wick, *words], capture_output=True, text=True, check=True)
    return " ".join(json.loads(done.stdout)["cautions"])


def problems_of(wick, folder, name, source, text, build, wanted):
    (folder / source).write_text(text)
    program = str(folder / name)
    subprocess.run([*build, "-o", program, source], cwd=folder, check=True)
    profile = program + ".wick"
    subprocess.run([wick, "record", "-q", "-o", profile, "--", program], capture_output=True, check=True)
    for verb, said in (("stat", cautions(wick, "stat", "--json", "--", program)),
                       ("report", cautions(wick, "report", "--json", profile))):
        right = wanted in said and "without optimisation" in said if wanted else said == ""
        print(f"{name:14} {verb:7} {'as it should be' if right else 'WRONG'}: {said or 'no caution'}")
        if not right:
            yield f"{name}: {verb}"


def main():
    wick = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory(prefix="wick-builds-") as folder:
        wrong = [problem for row in PROGRAMS for problem in problems_of(wick, pathlib.Path(folder), *row)]
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
