# SPDX-License-Identifier: Apache-2.0
"""Tests python_truth: its shares, phases and errors.

Usage: test_python_truth.py PROGRAM
"""
import sys
import unittest

from checks import WorkloadTest, result_of, run

PROGRAM = sys.argv.pop(1)
WEIGHTS = {"methods": 15, "closure": 10, "recursion": 15, "sort": 12, "match": 8, "generator": 10, "made": 5, "fold": 10,
           "umlaut": 5, "calls": 10, "thread": 10, "tasks": 12, "released": 12, "held": 8, "callback": 5}


class PythonTruth(WorkloadTest):
    def test_shares_are_those_of_the_weights(self):
        result = result_of(PROGRAM, "--seconds", 1)
        self.assertEqual({row["phase"] for row in result["rows"]}, set(WEIGHTS))
        for phase, weight in WEIGHTS.items():
            share = sum(row["share"] for row in result["rows"] if row["phase"] == phase)
            # Each of two threads that share the GIL runs until it has spent its time.
            self.assertAlmostEqual(share, weight / sum(WEIGHTS.values()), delta=0.025, msg=phase)
        totals = result["totals"]
        self.assertGreater(totals["rounds"], 1000)
        self.assertEqual(sum(result["gil"].values()), totals["cpu_ns"])
        self.assertEqual(totals["cpu_ns"], sum(row["cpu_ns"] for row in result["rows"]))
        self.assertEqual(totals["remainder_ns"], totals["process_cpu_ns"] - totals["cpu_ns"])

    def test_only_the_named_phases_run(self):
        rows = result_of(PROGRAM, "--seconds", 0.1, "--phases", "fold,thread")["rows"]
        self.assertEqual([row["self_function"] for row in rows], ["fold_leaf", "thread_leaf"])

    def test_tasks_have_their_shares(self):
        result = result_of(PROGRAM, "--seconds", 0.5, "--phases", "tasks")
        shares = {task["task"]: task["share"] for task in result["tasks"]}
        for task, share in (("fetch", 1 / 2), ("parse", 1 / 3), ("store", 1 / 6)):
            self.assertAlmostEqual(shares[task], share, delta=0.03, msg=task)

    def test_time_without_the_gil_is_that_of_native_code(self):
        result = result_of(PROGRAM, "--seconds", 0.5, "--phases", "released,held")
        released = [row for row in result["rows"] if row["gil"] == "released"]
        self.assertEqual([row["native_function"] for row in released], ["truth_released_leaf"])
        self.assertEqual(result["gil"]["released_ns"], released[0]["cpu_ns"])

    def test_errors_are_sentences(self):
        for flags, message in ((("--phases", "x"), "there is no phase x"), (("--seconds", "0"), "a time above 0")):
            done = run(PROGRAM, *flags)
            self.assertEqual(done.returncode, 2)
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    unittest.main()
