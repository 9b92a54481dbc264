#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""wick diff --repeat and --git with real programs: filters apply, and a signal stops it without leaving
unfinished results.

    run.py WICK

Skipped, with a message, if nothing can be recorded or there is no C compiler.
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import answers  # noqa: E402
import skips  # noqa: E402

WICK = str(pathlib.Path(sys.argv[1]).resolve())
# A shell that starts the tests in the background lets them ignore SIGINT, and wick then ignores it too.
signal.signal(signal.SIGINT, signal.default_int_handler)
PROGRAM = """
static volatile double sink;
__attribute__((noipa)) static void spin(long rounds) { for (long i = 0; i < rounds; i++) sink += i; }
__attribute__((noipa)) static void work(long rounds) { spin(rounds); sink += 1; }
__attribute__((noipa)) static void other(long rounds) { spin(rounds); sink += 2; }
#include <stdlib.h>
int main(int count, char** words) {
  for (int i = 0; i < 20; i++) {
    work(count > 1 ? atol(words[1]) : 1000000);
    other(1000000);
  }
}
"""


class Recorded(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.holder.name)
        (cls.folder / "work.c").write_text(PROGRAM)
        cls.temporary = cls.folder / "temporary"
        cls.temporary.mkdir()
        cls.environment = {**os.environ, "TMPDIR": str(cls.temporary)}
        cls.compile(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    @staticmethod
    def compile(folder):
        subprocess.run(["cc", "-O1", "-g", "work.c", "-o", "work"], cwd=folder, check=True)

    def diff(self, *words, status=0, cwd=None):
        done = subprocess.run([WICK, "diff", *words], capture_output=True, text=True, timeout=120,
                              env=self.environment, cwd=cwd or self.folder)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def rows(self, *words, **more):
        return answers.parse(self.diff("--json", *words, **more).stdout)

    def stopped(self, words, number, until, cwd=None):
        """Starts it, sends the signal once `until` holds, and returns its output."""
        started = subprocess.Popen([WICK, "diff", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=self.environment, cwd=cwd or self.folder)
        deadline = time.monotonic() + 30
        while not until():
            self.assertLess(time.monotonic(), deadline, "it never came so far")
            time.sleep(0.02)
        begun = time.monotonic()
        started.send_signal(number)
        out, said = started.communicate(timeout=30)
        self.assertLess(time.monotonic() - begun, 10)
        self.assertEqual(started.returncode, 128 + number, said)
        self.assertEqual(out, "")
        self.assertEqual(list(self.temporary.iterdir()), [], "nothing is left in the temporary directory")
        return said

    def test_a_slower_function_is_found(self):
        answer = self.rows("--repeat", "3", "--unify", "none", "--", "./work", "1000000", "--", "./work", "3000000")
        verdicts = {row["name"]: row["verdict"] for row in answers.rows(answer)}
        self.assertEqual(verdicts["spin"], "slower", answers.rows(answer))

    def test_a_disturbed_run_is_named_and_does_not_decide(self):
        # Two warm-up runs, then A B, B A, A B: the eighth run is the third after. It does twenty times the work.
        counter = self.folder / "runs"
        line = f"echo >> {counter}; n=500000; test $(wc -l < {counter}) != 8 || n=10000000; exec ./work $n"
        answer = self.rows("--repeat", "6", "--", "sh", "-c", line, "--", "sh", "-c", line)
        notes = " ".join(answer["notes"])
        self.assertRegex(notes, r"Run 3 after took \d+\.\d+ m?s, \d[\d.]* times the median of such runs")
        self.assertTrue("Run 3 after is not in the rows" in notes or notes.count(" took ") > 1, notes)
        counter.unlink()
        answer = self.rows("--repeat", "6", "--rerun", "20", "--", "sh", "-c", line, "--", "sh", "-c", line)
        self.assertIn("Repeated (--rerun): Run 3 after took", " ".join(answer["notes"]))
        self.assertIn(6, [row["runs"] for row in answers.rows(answer, "sides")])

    def test_sides_that_are_built_differently_are_named_first(self):
        for level in ("O0", "O2"):
            subprocess.run(["gcc", f"-{level}", "-g", "work.c", "-o", f"work-{level}"], cwd=self.folder, check=True)
            subprocess.run([WICK, "record", "-q", "-o", f"{level}.wick", "--", f"./work-{level}"], cwd=self.folder,
                           check=True)
        wanted = (r"The sides are built differently: O0\.wick \(GCC [0-9.]+, -O0\), O2\.wick \(GCC [0-9.]+, -O2\), seen in "
                  r"\w+")
        lines = self.diff("O0.wick", "O2.wick").stdout.splitlines()
        self.assertRegex(lines[0], "^Caution: " + wanted)
        self.assertRegex(lines[1], r"^Caution: O0\.wick: \d+\.\d % of the cost is in code built without optimisation")
        self.assertRegex(self.rows("O0.wick", "O2.wick")["cautions"][0], wanted)
        self.assertEqual(self.rows("O2.wick", "O2.wick")["cautions"], [])

    def test_filters_apply_to_what_is_recorded(self):
        answer = self.rows("--repeat", "2", "--focus", "^work$", "--measure", "total", "--", "./work", "--", "./work")
        names = {row["name"] for row in answers.rows(answer)}
        self.assertIn("work", names)
        self.assertNotIn("other", names)
        self.assertEqual(len([note for note in answer["notes"] if note.startswith("The filters keep ")]), 1, answer["notes"])
        answer = self.rows("--repeat", "2", "--hide", "^spin$", "--", "./work", "--", "./work")
        self.assertNotIn("spin", {row["name"] for row in answers.rows(answer)})

    def test_the_event_is_recorded(self):
        answer = self.rows("--repeat", "1", "--event", "page-faults", "--allow-loss", "100", "--", "./work", "--", "./work")
        self.assertIn("page-faults", json.dumps(answer))

    def test_flags_that_would_do_nothing_are_answered(self):
        commands = ["--", "./work", "--", "./work"]
        for flags, message in [(["--symfs", "x"], "--symfs works on files"),
                               (["--tsc-ghz", "2"], "--tsc-ghz works on files"),
                               (["--build", "make"], "--build needs --git"),
                               (["--focus", "("], "regular expression")]:
            self.assertIn(message, self.diff("--repeat", "1", *flags, *commands, status=2).stderr)
        for flags in [["--keep", "x"], ["-F", "99"], ["--build", "make"]]:
            said = self.diff(*flags, "a.folded", "b.folded", status=2).stderr
            self.assertIn("which record both sides", said)

    def test_signals_while_recording(self):
        for number in [signal.SIGINT, signal.SIGTERM]:
            kept = self.folder / f"kept-{number}"
            said = self.stopped(["--repeat", "50", "--keep", str(kept), "--", "./work", "--", "./work"], number,
                                lambda kept=kept: (kept / "after-1.wick").exists() and len(list(kept.iterdir())) >= 3)
            self.assertIn(f"Stopped by {number.name}; nothing was compared", said)
            whole = sorted(kept.iterdir())
            self.assertGreaterEqual(len(whole), 2)
            self.assertFalse((kept / "warm-up.wick").exists())
            for file in whole:
                subprocess.run([WICK, "report", file], check=True, capture_output=True)
        said = self.stopped(["--repeat", "50", "--", "./work", "--", "./work"], signal.SIGTERM,
                            lambda: any(self.temporary.glob("*/before-2.wick")))
        self.assertIn("no recordings were saved", said)

    def repository(self):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        git = ["git", "-c", "user.name=t", "-c", "user.email=t@t", "-C", str(folder)]
        subprocess.run([*git, "init", "-q"], check=True)
        for rounds in ["1000000", "3000000"]:
            (folder / "work.c").write_text(PROGRAM.replace(": 1000000", ": " + rounds))
            subprocess.run([*git, "add", "work.c"], check=True)
            subprocess.run([*git, "commit", "-qm", rounds], check=True)
        return folder

    @unittest.skipUnless(shutil.which("git"), "git is not there")
    def test_two_commits(self):
        folder = self.repository()
        answer = self.rows("--git", "HEAD~1..HEAD", "--build", "cc -O1 -g work.c -o work", "--repeat", "3", "--measure",
                         "total", "--focus", "^work$", "--", "./work", cwd=folder)
        rows = {row["name"]: row for row in answers.rows(answer)}
        self.assertEqual(rows["work"]["verdict"], "slower", answer)
        self.assertNotIn("other", rows)

    @unittest.skipUnless(shutil.which("git"), "git is not there")
    def test_signals_while_building(self):
        folder = self.repository()
        mark = folder / "building"
        build = f"trap '' TERM; echo $$ >{mark}; sleep 60 & wait; sleep 60"
        said = self.stopped(["--git", "HEAD~1..HEAD", "--build", build, "--", "./work"], signal.SIGTERM,
                            lambda: mark.exists() and mark.read_text().endswith("\n"), cwd=folder)
        self.assertIn("Stopped by SIGTERM", said)
        self.assertFalse(pathlib.Path(f"/proc/{mark.read_text().strip()}").exists(), "the build still runs")
        trees = subprocess.run(["git", "worktree", "list"], cwd=folder, capture_output=True, text=True, check=True)
        self.assertEqual(len(trees.stdout.splitlines()), 1)

    def killed(self, words, until, cwd=None):
        """The same with kill -9, which leaves no time to clean up."""
        started = subprocess.Popen([WICK, "diff", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   env=self.environment, cwd=cwd or self.folder)
        deadline = time.monotonic() + 30
        while not until():
            self.assertLess(time.monotonic(), deadline, "it never came so far")
            time.sleep(0.02)
        started.kill()
        started.wait()
        deadline = time.monotonic() + 10
        while list(self.temporary.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(list(self.temporary.iterdir()), [], "nothing is left in the temporary directory")

    def check_ends(self, pid):
        """Another process ends it, perhaps a moment after the folder is gone."""
        deadline = time.monotonic() + 10
        while pathlib.Path(f"/proc/{pid}").exists():
            self.assertLess(time.monotonic(), deadline, "the program still runs")
            time.sleep(0.02)

    def test_kill_9_leaves_neither_folder_nor_program(self):
        mark = self.folder / "running"
        line = f"echo $$ >{mark}; exec sleep 60"
        self.killed(["--repeat", "2", "--", "sh", "-c", line, "--", "sh", "-c", line],
                    lambda: mark.exists() and mark.read_text().endswith("\n"))
        self.check_ends(mark.read_text().strip())

    @unittest.skipUnless(shutil.which("git"), "git is not there")
    def test_kill_9_leaves_no_worktree(self):
        folder = self.repository()
        mark = folder / "building"
        build = f"echo $$ >{mark}; sleep 60 & wait"
        self.killed(["--git", "HEAD~1..HEAD", "--build", build, "--", "./work"],
                    lambda: mark.exists() and mark.read_text().endswith("\n"), cwd=folder)
        self.check_ends(mark.read_text().strip())
        trees = subprocess.run(["git", "worktree", "list"], cwd=folder, capture_output=True, text=True, check=True)
        self.assertEqual(len(trees.stdout.splitlines()), 1, trees.stdout)


def may_record():
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([WICK, "record", "-q", "-o", folder + "/x.wick", "--", "true"], check=False,
                              capture_output=True).returncode == 0


if __name__ == "__main__":
    skips.skip_all_without({"cc": "gcc"})
    if not may_record():
        skips.skip_all("nothing can be recorded here; see `wick doctor`")
    skips.main(sys.argv[2:])
