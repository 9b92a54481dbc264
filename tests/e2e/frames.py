#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the frames of `wick flame --flamegraph-pl` with tables made by flamegraph.pl itself.

Usage: frames.py CORPUS. Each table of CORPUS/FlameGraph/expected-frames has a row a frame: y, x, width, fill,
title, label; flamegraph.pl writes frames in random order, so they are compared as sets.
"""
import html
import pathlib
import re
import subprocess
import sys

OPTIONS = {
    "dd-default": [],
    "dd-flamechart": ["--order", "input"],
    "dd-hash": ["--hash"],
    "dd-inverted": ["--inverted"],
    "dd-minwidth5": ["--min-width", "5"],
    "dd-reverse": ["--reverse"],
    "dd-width800-height20": ["--width", "800", "--height", "20"],
    "diff": [],
    "diff-negate": ["--negate"],
}
FRAME = re.compile(r'<title>([^<]*)</title><rect x="([^"]+)" y="([^"]+)" width="([^"]+)"[^>]* fill="([^"]+)"[^>]*/>'
                   r'\s*<text[^>]*>([^<]*)</text>')


def drawn_frames(folded, options):
    svg = subprocess.run(["wick", "flame", "--flamegraph-pl", *options, "--unit", "samples", folded, "-o", "-"],
                         capture_output=True, text=True, check=True).stdout
    return sorted((y, x, width, fill, html.unescape(title), html.unescape(label).strip())
                  for title, x, y, width, fill, label in FRAME.findall(svg))


def expected_frames(table):
    rows = (line.split("\t") for line in table.read_text().splitlines() if not line.startswith("#"))
    return sorted((*row[:5], row[5].strip() if len(row) > 5 else "") for row in rows)


def main(corpus):
    root = pathlib.Path(corpus) / "FlameGraph"
    inputs = {"dd": root / "test/results/perf-dd-stacks-01-collapsed-all.txt",
              "diff": root / "expected-frames/diff-input.txt"}
    for name, options in OPTIONS.items():
        drawn = drawn_frames(inputs[name.split("-")[0]], options)
        expected = expected_frames(root / "expected-frames" / f"{name}.tsv")
        same = drawn == expected
        missing = sorted(set(expected) - set(drawn))
        print(name, "equal" if same else f"differs, first in {missing[:1]} of {len(missing)}")


if __name__ == "__main__":
    main(sys.argv[1])
