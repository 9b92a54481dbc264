#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A skip of any suite reaches the summary with its reason, and fails it where only listed reasons are allowed.

    skips_test.py UNIT_TESTS      UNIT_TESTS is a program of unit tests that needs the corpus
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import skips  # noqa: E402

UNIT_TESTS = sys.argv[1]
NO_CORPUS = "the corpus is not available; set WICK_CORPUS to its directory"
A_SUITE = f"""
import sys, unittest
sys.path.insert(0, {str(HERE)!r})
import skips
class Suite(unittest.TestCase):
    @unittest.skip("the moon is full")
    def test_one(self): pass
skips.main()
"""


class Skips(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = pathlib.Path(self.folder.name) / "skips"
        self.file.touch()

    def run_suite(self, *words, **variables):
        env = os.environ | {"WICK_SKIPS": str(self.file)} | variables
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, env=env)

    def summary(self, listed):
        env = {name: value for name, value in os.environ.items() if name != "WICK_SKIPS_LISTED"}
        return subprocess.run([sys.executable, HERE / "skips.py", self.file], capture_output=True, text=True, check=False,
                              env=env | ({"WICK_SKIPS_LISTED": "1"} if listed else {}))

    def skip(self, reason):
        return self.run_suite(sys.executable, HERE / "skips.py", "--skip", "suite: test", reason)

    def test_no_skip_passes(self):
        done = self.summary(listed=True)
        self.assertEqual((done.returncode, done.stdout), (0, "== skipped: 0\n"))

    def test_a_listed_reason_passes_and_is_shown(self):
        self.assertEqual(self.skip(NO_CORPUS).returncode, skips.EXIT_SKIPPED)
        done = self.summary(listed=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn(NO_CORPUS, done.stdout)
        self.assertIn("suite: test", done.stdout)

    def test_another_reason_fails_only_where_reasons_are_listed(self):
        self.skip(skips.ONLY_OWN_THREADS)
        self.assertEqual(self.summary(listed=False).returncode, 0)
        done = self.summary(listed=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"NOT ALLOWED: {skips.ONLY_OWN_THREADS}", done.stdout)

    def test_the_whole_reason_must_match(self):
        self.skip(f"{NO_CORPUS}, and the disk is full")
        self.assertEqual(self.summary(listed=True).returncode, 1)

    def test_suites_in_python_report(self):
        script = pathlib.Path(self.folder.name) / "run.py"
        script.write_text(A_SUITE)
        self.run_suite(sys.executable, script)
        self.assertIn("Suite.test_one\tthe moon is full\n", self.file.read_text())

    def test_unit_tests_report(self):
        self.run_suite(UNIT_TESTS, "--gtest_filter=*ramehop*", WICK_CORPUS="/nonexistent")
        lines = self.file.read_text().splitlines()
        self.assertTrue(lines)
        self.assertEqual({line.split("\t")[1] for line in lines}, {NO_CORPUS})

    def test_the_list_is_short(self):
        self.assertLessEqual(len(skips.allowed_reasons()), 10)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
