# SPDX-License-Identifier: Apache-2.0
"""Shared by the checks: wick's own numbers, and inputs to compare."""
import collections
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import answers

WICK = ""
ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = pathlib.Path(os.environ.get("WICK_CORPUS", ROOT.parent / "shared" / "corpus"))
NODE_MODULES = pathlib.Path(os.environ.get("NODE_MODULES", ROOT / "tests" / "consumers" / "node_modules"))
TOP = 10

WORK = """
#include <cstdio>
#include <cmath>
#include <thread>
static inline double inner(double x) { for (int i = 0; i < 40; ++i) x = std::sqrt(x + i); return x; }
__attribute__((noinline)) double hot(double x) {
  double s = 0;
  for (int i = 0; i < 200; ++i) s += inner(x + i);
  return s;
}
__attribute__((noinline)) double cold(double x) {
  double s = 0;
  for (int i = 0; i < 50; ++i) s += inner(x + i);
  return s;
}
void work() { double s = 0; for (int i = 0; i < 6000; ++i) { s += hot(i); s += cold(i); } std::printf("%f\\n", s); }
int main() { std::thread a(work); std::thread b(work); a.join(); b.join(); }
"""


class Consumers(unittest.TestCase):
    program = ""  # the consumer: without it the check is skipped

    @classmethod
    def setUpClass(cls):
        if cls.program and not shutil.which(cls.program):
            raise unittest.SkipTest(f"{cls.program} is not installed")
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.environment = dict(os.environ, HOME=cls.scratch.name, PPROF_TMPDIR=cls.scratch.name)

    def run_program(self, *command, env=None):
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, errors="replace",
                              cwd=self.folder, env=env or self.environment, timeout=120)
        self.assertEqual(done.returncode, 0, f"{command}: {done.stderr[-2000:]}")
        return done.stdout

    def wick(self, *arguments):
        return self.run_program(WICK, *arguments)

    def corpus(self, name):
        path = CORPUS / name
        if not path.exists():
            self.skipTest("the corpus is not available; set WICK_CORPUS to its directory")
        return path

    def report(self, path, by="function"):
        """(total, {name: (self, total)}) of `wick report`; rows of one name are added up."""
        answer = answers.parse(self.wick("report", path, "--by", by, "--limit", "0", "--json"))
        rows = collections.defaultdict(lambda: [0, 0])
        for row in answers.rows(answer):
            rows[row["name"]][0] += row.get("self", 0)
            rows[row["name"]][1] += row["total"]
        return answer["total"], {name: tuple(values) for name, values in rows.items()}

    def assert_same_top(self, found, expected, what):
        """Both are {name: number}: the ten largest are the same, by number where several are equal."""
        def largest(rows):
            return sorted(filter(None, rows.values()), reverse=True)[:TOP]
        self.assertEqual(largest(found), largest(expected), what)
        for name in sorted(expected, key=expected.get, reverse=True)[:TOP]:
            self.assertEqual(found.get(name, 0), expected[name], f"{what} of {name}")

    def compiled(self, *flags):
        """A program with known hot lines."""
        (self.folder / "work.cc").write_text(WORK)
        binary = self.folder / "work"
        self.run_program("g++", "-O2", "-g", "-pthread", "-o", binary, "work.cc", *flags)
        return binary

    def recording(self):
        """A recording of that program; skipped where the machine does not allow it."""
        binary = self.compiled()
        path = self.folder / "work.wick"
        done = subprocess.run([WICK, "record", "-o", path, "--", binary], capture_output=True, text=True, timeout=120)
        if done.returncode != 0 or not path.exists():
            self.skipTest(f"wick cannot record here: {done.stderr.strip()[-150:]}")
        return path
