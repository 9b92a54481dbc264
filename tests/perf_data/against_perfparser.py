#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares stacks with inlined functions, name by name, with the expected results of perfparser's own tests.

Recordings of branch stacks are left out: perfparser shows their sampled function twice.

Usage: against_perfparser.py WICK     (WICK_CORPUS: the directory with perfparser/)

The recordings include the recorded program. perfparser's text has two lines a frame: the address and its location,
then the function, with "(inlined)" if it is inlined; its kernel frames have no names. Template arguments and
parameters are spelled in several ways, so names are compared without them.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import skips  # noqa: E402

CASES = [("vector_static_gcc", "perf.data", "vector_static_gcc_v9.1.0"),
         ("vector_static_gcc", "perf.data.zstd", "vector_static_gcc_v9.1.0"),
         ("fork_static_gcc", "perf.data.zstd", "fork")]
# Other names of the same code; perfparser names entries of the PLT after the symbol before them.
SAME = {"__ieee754_hypot": "__hypot_finite", "__hypot": "hypot", "__cos@plt": "_init", "__sin@plt": "_init"}


def unpacked(path):
    """Qt's container: the size in four bytes, then zlib."""
    return zlib.decompress(path.read_bytes()[4:])


def folded(name):
    """Removes template arguments, parameters and the suffixes of clones."""
    before = None
    name = name.replace("(anonymous namespace)", "{anonymous}").replace("operator()", "operator{}")
    while name != before:
        before, name = name, re.sub(r"<[^<>]*>|\([^()]*\)", "", name)
    name = re.sub(r"\s+const$|\[abi:\w+\]|\.(?:isra|part|constprop|cold)\.?\d*", "", name).strip()
    name = name.rsplit(" ", 1)[-1]  # without its return type
    return SAME.get(name, name)


def expected_stacks(text):
    """[(time, [(function, inlined)])], user frames only."""
    stacks = []
    lines = text.splitlines()
    for line in lines:
        if line and not line.startswith("\t"):
            stacks.append((line.split("\t")[3], []))
        elif line.startswith("\t") and line.count("\t") >= 3 and stacks:
            last = line.split("\t")[-1]
            # The function's line: "SYMBOL BINARY PATH [(inlined)]"; the address line ends in two numbers.
            found = re.match(r"(.*) (\S+) (/\S+) ?(\(inlined\))?$", last)
            if found and not line.startswith("\tffffffff"):
                stacks[-1][1].append((folded(found[1]), bool(found[4])))
    return stacks


def wick_stacks(text):
    stacks = []
    for line in text.splitlines():
        if line and not line[0].isspace() and not line.startswith("#"):
            stacks.append((re.search(r"(\d+\.\d+):", line)[1], []))
        elif line.strip():
            found = re.match(r"\s+([0-9a-f]+) (.*) \((.*)\)$", line)
            if found and not found[3].startswith("[kernel") and not found[1].startswith("ffffffff"):
                name = re.sub(r"\+0x[0-9a-f]+$", "", found[2])
                if name != "[unknown]":
                    stacks[-1][1].append((folded(name), found[3] == "inlined"))
    return stacks


def compare(wick, corpus, folder, recording, program, directory):
    source = corpus / "perfparser" / folder
    expected_text = unpacked(source / f"{recording}.expected.txt.zlib").decode()
    data = directory / "perf.data"
    data.write_bytes(unpacked(source / f"{recording}.zlib"))
    for path in set(re.findall(rf"(/\S+/{re.escape(program)})\b", expected_text)):
        copy = pathlib.Path(f"{directory}/symfs{path}")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(unpacked(source / f"{program}.zlib"))
    text = subprocess.run([wick, "convert", data, "--symfs", directory / "symfs", "--to", "perf-script", "--allow-loss",
                           "100"], capture_output=True, text=True, check=True, env=os.environ | {"WICK_CACHE": "off"}).stdout
    wanted, got = expected_stacks(expected_text), wick_stacks(text)
    different = []
    frames = inlined = 0
    for (time, stack), (_, own) in zip(wanted, got):
        frames += len(stack)
        inlined += sum(is_inlined for _, is_inlined in stack)
        if stack != own:
            different.append((time, stack, own))
    print(f"{folder}/{recording}: {len(wanted)} samples, {len(got)} of wick; {frames} user frames, {inlined} inlined; "
          f"{len(different)} stacks differ")
    for time, stack, own in different[:3]:
        print(f"  {time}\n    perfparser {stack}\n    wick       {own}")
    return len(wanted) == len(got) and not different and frames > 100


def main():
    corpus = pathlib.Path(os.environ.get("WICK_CORPUS", "../shared/corpus"))
    if not (corpus / "perfparser").is_dir():
        skips.skip_all("the corpus is not available; set WICK_CORPUS to its directory")
    good = True
    for folder, recording, program in CASES:
        with tempfile.TemporaryDirectory() as directory:
            good = compare(sys.argv[1], corpus, folder, recording, program, pathlib.Path(directory)) and good
    return 0 if good else 1


sys.exit(main())
