# SPDX-License-Identifier: Apache-2.0
"""Tests python_truth: its shares, phases and errors.

Usage: test_python_truth.py PROGRAM
"""
import sys
import unittest

from checks import WorkloadTest, result_of, run

PROGRAM = sys.argv.pop(1)
WEIGHTS = {"methods": 15, "closure": 10, "recursion": 15, "sort": 12, "match": 8, "generator": 10, "made": 5, "fold": 10,
           "umlaut": 5, "thread": 10}


class PythonTruth(WorkloadTest):
    def test_shares_are_those_of_the_weights(self):
        result = result_of(PROGRAM, "--seconds", 1)
        self.assertEqual({row["phase"] for row in result["rows"]}, set(WEIGHTS))
        for row in result["rows"]:
            self.assertAlmostEqual(row["share"], WEIGHTS[row["phase"]] / 100, delta=0.02, msg=row["phase"])
        totals = result["totals"]
        self.assertEqual(totals["cpu_ns"], sum(row["cpu_ns"] for row in result["rows"]))
        self.assertEqual(totals["remainder_ns"], totals["process_cpu_ns"] - totals["cpu_ns"])

    def test_only_the_named_phases_run(self):
        rows = result_of(PROGRAM, "--seconds", 0.1, "--phases", "fold,thread")["rows"]
        self.assertEqual([row["self_function"] for row in rows], ["fold_leaf", "thread_leaf"])

    def test_errors_are_sentences(self):
        for flags, message in ((("--phases", "x"), "there is no phase x"), (("--seconds", "0"), "a time above 0")):
            done = run(PROGRAM, *flags)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
