#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""No line of any verb is wider than the terminal, and no two different functions have the same name on a screen: on the
profiles of the corpus, at 80, 100 and 120 columns. Usage: widths.py WICK [--all]

Each run takes every eighth profile; --all (in `make campaign`) takes all of them.
"""
import fcntl
import json
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import unicodedata
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "support"))
import answers  # noqa: E402
import skips  # noqa: E402

WICK = str(pathlib.Path(sys.argv[1]).resolve())
CORPUS = pathlib.Path(os.environ.get("WICK_CORPUS", SOURCE.parent / "shared" / "corpus"))
STEP = 1 if "--all" in sys.argv else 8
VERBS = [["report"], ["tree"], ["hot"], ["quality"], ["info"], ["sandwich", "."]]
FULL, CUT = 0, 3  # exit status of what is read in full, and of what was cut


def profiles():
    files = sorted(path for path in CORPUS.rglob("*") if path.is_file() and path.suffix != ".md")
    return [path for path in files[::STEP] if run("info", path).returncode in (FULL, CUT)]


def run(*words):
    return subprocess.run([WICK, *map(str, words)], capture_output=True, text=True, errors="replace")


def on_terminal(width, *words):
    """What a terminal shows: both outputs, without colours."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    child = subprocess.Popen([WICK, *map(str, words)], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 65536):
            shown += part
    except OSError:  # the end of a terminal
        pass
    os.close(ours)
    child.wait()
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode(errors="replace")).replace("\r", "\n")


def columns(line):
    wide = {"W": 2, "F": 2}
    return sum(0 if unicodedata.combining(c) else wide.get(unicodedata.east_asian_width(c), 1) for c in line)


def names_on_screen(lines):
    """The names of a table whose name column is called "function"."""
    found = next((match for line in lines if (match := re.search(r"  (function\s*)(?:$|\S)", line))), None)
    if found is None:
        return []
    begin, end = found.span(1)
    rows = lines[lines.index(found.string) + 1:]
    rows = rows[:rows.index("")] if "" in rows else rows
    return [line[begin:None if end == len(found.string) else end].rstrip() for line in rows if not line.startswith("(")]


class Screens(unittest.TestCase):
    def test_lines_fit(self):
        checked = 0
        for path in profiles():
            for verb, *argument in VERBS:
                for width in (80, 100, 120):
                    shown = run(verb, path, *argument, "--width", width, "--limit", 40).stdout
                    for line in shown.splitlines():
                        self.assertLessEqual(columns(line), width, f"{verb} {path} --width {width}: {line}")
                    checked += len(shown.splitlines())
        self.assertGreater(checked, 1000)

    def test_comparisons_and_sentences_fit(self):
        demo = SOURCE / "docs" / "demo" / "wick-itself.folded.gz"
        with tempfile.TemporaryDirectory() as scratch:
            stored = pathlib.Path(scratch, "a-profile-with-a-name-of-some-length.wick")
            run("convert", demo, "-o", stored)
            for words in [["diff", demo, demo], ["diff", demo, demo, demo], ["diff", *[demo] * 6],
                          ["convert", stored, "-o", stored.with_suffix(".cpuprofile")], ["timeline", stored],
                          ["symbolize", stored], ["report", demo, "--ignore", "a pattern of a few words " * 6]]:
                for width in (80, 100, 120):
                    shown = on_terminal(width, *words)
                    self.assertGreater(len(shown), 20, words)
                    for line in shown.splitlines():
                        self.assertLessEqual(columns(line), width, f"{words} at {width}: {line}")

    def test_names_have_the_room_of_a_comparison(self):
        """Of three sides, the shares before and after go first: the changes say the same."""
        demo = SOURCE / "docs" / "demo" / "wick-itself.folded.gz"
        lines = run("diff", demo, demo, demo, "--width", 80).stdout.splitlines()
        heading = next(line for line in lines if line.startswith("points 1"))
        self.assertLessEqual(heading.index("name"), 48, heading)

    def test_different_functions_look_different(self):
        """Rows of `report` are functions: as many different labels as different names are expected."""
        for path in profiles():
            answer = run("report", path, "--json")
            if answer.returncode not in (FULL, CUT):
                continue
            names = [row["name"] for row in answers.rows(json.loads(answer.stdout))[:40]]
            shown = names_on_screen(run("report", path, "--width", 80, "--limit", 40).stdout.splitlines())
            self.assertEqual(len(shown), len(names), path)
            self.assertGreaterEqual(len(set(shown)), len(set(names)), f"{path}: {shown}")


if __name__ == "__main__":
    if not CORPUS.is_dir():
        skips.skip_all("the corpus is not available; set WICK_CORPUS to its directory")
    unittest.main(argv=sys.argv[:1])
