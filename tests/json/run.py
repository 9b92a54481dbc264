#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The JSON of every verb against docs/json.md: the page's example is real, its recipes run, its words are those that
wick uses, and what each verb prints has the documented shape and sections. Usage: run.py WICK
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "support"))
import answers  # noqa: E402

WICK = str(pathlib.Path(sys.argv[1]).resolve())
PAGE = (SOURCE / "docs" / "json.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.M | re.S)
# As `perf script` prints it: time, threads, modules and addresses.
RECORDING = "".join(f"app 7/{8 + i % 2} [00{i % 2}] 10.{i:03}: 1000000 cpu-clock:u:\n\t{0x1234 + 4 * (i % 3):x} "
                    f"copy+0x{0x34 + 4 * (i % 3):x} (/bin/app)\n\t1108 main+0x8 (/bin/app)\n\n" for i in range(200))


def table(heading):
    """Rows of the table below a heading of the page, without its head."""
    part = PAGE.split(f"\n## {heading}\n", 1)[1].split("\n## ")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines()
            if line.startswith("| `")]


def words(cell):
    return re.findall(r"`([\w-]+)`", cell)


SECTIONS = {verb: words(cells[1]) for cells in table("Sections by verb") for verb in words(cells[0])}


class JsonTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="wick-json-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "wick").symlink_to(WICK)
        for name in ("before.txt", "after.txt"):
            (self.folder / name).write_text(RECORDING)

    def shell(self, text):
        path = f"{self.folder / 'bin'}:{os.environ['PATH']}"
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", text], cwd=self.folder, capture_output=True, text=True,
                              env=os.environ | {"PATH": path}, check=False)
        self.assertEqual(done.returncode, 0, f"{text}{done.stderr}")
        return done.stdout

    def check_verb(self, verb, *more):
        done = subprocess.run([WICK, verb, "--json", *more], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = answers.parse(done.stdout)
        self.assertEqual(answer["verb"], verb)
        self.assertTrue(answers.rows(answer), f"{verb} has no rows")
        undocumented = set(answer["sections"]) - set(SECTIONS[verb])
        self.assertFalse(undocumented, f"docs/json.md does not list these sections of {verb}")
        return answer

    def test_the_example_is_what_wick_prints(self):
        (_, command), (language, expected) = BLOCKS[:2]
        self.assertEqual(language, "json")
        self.assertEqual(answers.parse(self.shell(command)), answers.parse(expected))
        self.assertEqual(self.shell(command).count("\n{"), 8, "columns and rows are lines")

    def test_the_recipes_run(self):
        recipes = [text for language, text in BLOCKS[2:] if language == "sh"]
        self.assertEqual(self.shell("".join(recipes)), "75.0 % parse\n25.0 % send\n 0.0 % main\n['parse', 'send', 'main']\n")

    def test_the_page_lists_every_word(self):
        self.assertEqual(sorted(word for cells in table("Kinds and roles") for word in words(cells[0])),
                         sorted(answers.ROLES))
        for word in answers.TOP + answers.SECTION + answers.COLUMN + answers.OPTIONAL + answers.LOSS + answers.SHAPES \
                + answers.KINDS + answers.TONES:
            self.assertIn(f"`{word}`", PAGE)

    def test_analyses(self):
        for verb in ("report", "hot", "tree", "flame", "quality", "timeline"):
            self.check_verb(verb, "before.txt")
        self.check_verb("sandwich", "before.txt", "copy")
        self.check_verb("report", "before.txt", "--by", "module")

    def test_tracks_refer_to_each_other(self):
        events = [{"ph": "X", "name": f"load {i % 3}", "pid": 1, "tid": 1, "ts": 1000 * i, "dur": 600} for i in range(9)]
        events += [{"ph": "X", "name": "part", "pid": 1, "tid": 1, "ts": 1000 * i + 100, "dur": 200} for i in range(9)]
        events += [{"ph": "i", "name": "mark", "pid": 1, "tid": 1, "ts": 2000, "s": "t"},
                   {"ph": "C", "name": "heap", "pid": 1, "ts": 3000, "args": {"bytes": 7}}]
        (self.folder / "trace.json").write_text(json.dumps({"traceEvents": events}))
        answer = self.check_verb("timeline", "trace.json")
        tracks = answers.rows(answer)
        spans = answers.rows(answer, "tracks_spans")
        self.assertEqual(len(spans), 18)
        self.assertEqual({tracks[row["track"]]["kind"] for row in spans}, {"spans"})
        self.assertEqual(sorted({(row["name"][:4], row["depth"]) for row in spans}), [("load", 0), ("part", 1)])
        self.assertEqual([(row["name"], row["time_ns"]) for row in answers.rows(answer, "tracks_marks")], [("mark", 2e6)])
        points = [row for row in answers.rows(answer, "tracks_points") if row["line"] == "heap bytes"]
        self.assertEqual([(row["value"], row["time_ns"]) for row in points], [(7, 3e6)])

    def test_trees_have_depth_and_parents(self):
        rows = answers.rows(self.check_verb("tree", "before.txt"))
        self.assertEqual([(row["depth"], row["parent"]) for row in rows], [(0, None), (1, 0)])

    def test_diff(self):
        answer = self.check_verb("diff", "before.txt", "after.txt", "--as", "run", "--fail-if", "total>+50%")
        self.assertEqual({row["verdict_tone"] for row in answers.rows(answer)}, {"neutral"})
        self.assertEqual(answer["figures"]["no_evidence"], 1)
        sides = answers.rows(answer, "sides")
        self.assertAlmostEqual(sides[0]["duration"], 0.199e9, delta=0.01e9)
        self.check_verb("diff", "before.txt", "--detect", "5")

    def test_annotate(self):
        (self.folder / "work.c").write_text("int main(void) { volatile int i = 0; while (i < 9) ++i; return 0; }\n")
        self.shell("cc -g -o work work.c")
        start = next(line for line in self.shell("nm work").splitlines() if line.endswith(" T main")).split()[0]
        path, address = self.folder / "work", int(start, 16)
        (self.folder / "work.txt").write_text(f"work 7/7 [000] 1.000: 1000000 cpu-clock:u:\n\t{address + 4:x} main+0x4 ({path})\n\n")
        answer = self.check_verb("annotate", "work.txt", "main")
        self.assertEqual(answer["sections"]["instructions"]["shape"], "code")
        self.assertEqual(answers.rows(answer, "function")[0]["name"], "main")

    def test_verbs_that_are_not_analyses(self):
        self.check_verb("formats")
        self.check_verb("doctor")
        self.check_verb("size", WICK)
        self.check_verb("size", WICK, "--tree")
        facts = {row["name"]: row for row in answers.rows(self.check_verb("info", "before.txt"))}
        self.assertEqual(facts["threads"]["number"], 2)
        self.assertEqual(facts["size"]["number"], len(RECORDING))
        self.assertIsNone(facts["format"]["number"])

    def test_measured_runs(self):
        answer = self.check_verb("stat", "--", "true")
        metrics = {row["name"]: row for row in answers.rows(answer)}
        self.assertEqual(metrics["wall"]["unit"], "nanoseconds")
        self.assertGreater(metrics["wall"]["value"], 1e4)
        run = answer["sections"]["runs"]
        self.assertEqual(run["rows"][0]["wall"], metrics["wall"]["value"])
        self.assertEqual({column["name"]: column.get("unit") for column in run["columns"]}["wall"], "nanoseconds")
        self.check_verb("stat", "-r", "10", "--", "true", "--", "true")

    def test_a_sweep(self):
        (self.folder / "plan.toml").write_text('command = "echo took {n}"\nrepeats = 2\nwarmup = 0\n[axes]\nn = [1, 2]\n'
                                               "[metrics.took]\nregex = 'took (\\S+)'\nunit = \"ms\"\n")
        self.shell("wick sweep plan.toml > /dev/null 2>&1")
        answer = self.check_verb("sweep", "plan.sweep")
        self.assertEqual([row["took"] for row in answers.rows(answer)], [1, 2])
        self.assertEqual(len([row for row in answers.rows(answer, "values") if row["metric"] == "took"]), 4)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
