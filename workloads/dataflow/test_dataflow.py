# SPDX-License-Identifier: Apache-2.0
"""Tests dataflow: results, errors, threads, the GIL, and its profile in perf.

Usage: test_dataflow.py BUILD_DIRECTORY
"""
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import skips
from checks import WorkloadTest, perf_stacks, perf_works, result_of

DATAFLOW = pathlib.Path(sys.argv.pop(1)).resolve() / "dataflow"
EVALUATOR = "_PyEval_EvalFrameDefault"


def wait_until(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("it did not happen in time")
        time.sleep(0.01)


class Results(WorkloadTest):
    def checksums(self, *arguments, variants):
        results = [result_of(DATAFLOW, *arguments, *variant) for variant in variants]
        for result in results:
            self.assertTrue(result["correct"], result)
        return {result["checksum"] for result in results}

    def test_words_are_counted_alike_by_any_number_of_workers(self):
        variants = [(), ("--workers", 2), ("--workers", 5, "--batch", 1), ("--batch", 5000)]
        self.assertEqual(self.checksums("--items", 3000, variants=variants), {"70d1d26e"})

    def test_windows_are_summed_alike_by_any_number_of_workers(self):
        variants = [(), ("--workers", 3), ("--workers", 11, "--batch", 7), ("--batch", 20000)]
        self.assertEqual(len(self.checksums("--shape", "windowing", "--items", 9999, variants=variants)), 1)

    def test_windows_and_keys_are_as_many_as_asked_for(self):
        result = result_of(DATAFLOW, "--shape", "windowing", "--items", 6000, "--window", 100, "--keys", 5)
        self.assertEqual(result["results"], 60 * 5)

    def test_fewer_items_than_workers(self):
        for shape in ("wordcount", "windowing"):
            self.assertTrue(result_of(DATAFLOW, "--shape", shape, "--items", 1, "--workers", 9)["correct"])

    def test_steps_pass_items_on(self):
        result = result_of(DATAFLOW, "--items", 3000, "--workers", 2)
        items = {step["step"]: step["items"] for step in result["steps"]}
        self.assertEqual(items["lines"], 3000)
        self.assertEqual(items["split"], 3000)
        self.assertEqual(items["lower"], 12 * 3000)
        self.assertEqual(items["stop"], items["lower"])
        self.assertEqual(items["word"], items["count"])
        self.assertEqual(items["rows"], result["results"])

    def test_a_limit_of_time(self):
        result = result_of(DATAFLOW, "--shape", "windowing", "--seconds", 0.3, "--workers", 2)
        self.assertTrue(result["correct"])
        self.assertGreaterEqual(result["wall_s"], 0.3)
        self.assertIsNone(result_of(DATAFLOW, "--seconds", 0.1, "--no-check")["correct"])


class Gil(WorkloadTest):
    def test_one_worker_runs_on_the_main_thread_and_hardly_waits(self):
        result = result_of(DATAFLOW, "--seconds", 0.5, "--no-check")
        self.assertEqual([thread["thread"] for thread in result["threads"]], ["main"])
        self.assertLess(result["gil_wait_share"], 0.1)
        self.assertAlmostEqual(sum(step["share"] for step in result["steps"]), 1, delta=0.15)

    def test_workers_wait_for_each_other(self):
        result = result_of(DATAFLOW, "--seconds", 1, "--workers", 4, "--no-check")
        self.assertEqual([thread["thread"] for thread in result["threads"]],
                         [f"dataflow:work-{number}" for number in range(4)])
        self.assertGreater(result["gil_wait_share"], 0.1)
        for thread in result["threads"]:
            self.assertGreater(thread["gil_wait_s"], 0)
            self.assertGreater(thread["gil_takes"], 100)
        held = sum(thread["gil_hold_s"] for thread in result["threads"])
        self.assertGreater(result["wall_s"] * 4, held + result["gil_wait_s"])

    def test_threads_have_names(self):
        command = [DATAFLOW, "--workers", "12", "--seconds", "30"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            def names():
                comms = pathlib.Path(f"/proc/{process.pid}/task").glob("*/comm")
                return {comm.read_text().strip() for comm in comms}
            wanted = {f"dataflow:work-{number}" for number in range(10)} | {"dataflow:work10", "dataflow:work11"}
            try:
                wait_until(lambda: wanted <= names())
            finally:
                process.send_signal(signal.SIGINT)
                messages = process.communicate(timeout=20)[1]
            self.assertEqual(process.returncode, 130)
            self.assertEqual(messages, "dataflow: The flow was interrupted; nothing was finished.\n")


class Refusals(WorkloadTest):
    def test_errors_in_user_code_end_the_flow(self):
        cases = [("wordcount", 4, step) for step in ("lines", "split", "lower", "stop", "word", "count", "write")]
        cases += [("wordcount", 1, "count"), ("windowing", 1, "row"), ("windowing", 3, "sum")]
        for shape, workers, step in cases:
            self.assert_refused(DATAFLOW, "--shape", shape, "--workers", workers, "--fail-in", step, status=1,
                                says=f"Step '{step}' failed with ValueError")
        self.assert_refused(DATAFLOW, "--workers", 4, "--fail-in", "stop", "--fail-at", 5000, status=1, says="'stop'")

    def test_impossible_flags_are_refused(self):
        self.assert_explained(DATAFLOW)
        self.assert_refused(DATAFLOW, "--workers", 0, says="--workers")
        self.assert_refused(DATAFLOW, "--workers", 100)
        self.assert_refused(DATAFLOW, "--batch", 0, says="--batch")
        self.assert_refused(DATAFLOW, "--shape", "join", says="--shape")
        self.assert_refused(DATAFLOW, "--items", 10, "--seconds", 1)
        self.assert_refused(DATAFLOW, "--seconds", "nan")
        self.assert_refused(DATAFLOW, "--keys", 0)
        self.assert_refused(DATAFLOW, "--window", -1)
        self.assert_refused(DATAFLOW, "--fail-in", "row", says="wordcount has the steps lines")
        self.assert_refused(DATAFLOW, "--items")
        self.assert_refused(DATAFLOW, "words.txt")


@unittest.skipUnless(perf_works(), "perf cannot sample all CPUs here")
class Profile(WorkloadTest):
    """Only stacks that reach the worker count: perf's stacks may end in libc. The lost ones are mostly outside of the
    steps (waiting, clocks), so steps are compared with each other."""

    def test_frames_alternate_and_have_their_shares(self):
        with tempfile.TemporaryDirectory() as directory:
            data = f"{directory}/flow.data"
            result = result_of("perf", "record", "-a", "-F", "999", "-e", "cpu-clock", "--call-graph", "dwarf", "-o",
                               data, "--", DATAFLOW, "--workers", 2, "--seconds", 1.2, "--no-check")
            stacks = perf_stacks(data, "dataflow:work-0", "dataflow:work-1")
        stacks = [stack for stack in stacks if "dataflow::Worker::run" in stack]
        self.assertGreater(len(stacks), 100)
        shares = result["frames"]
        counts = {frame: sum(any(name.endswith("::" + frame) for name in stack) for stack in stacks)
                  for frame in shares}
        for frame, count in counts.items():
            wanted = shares[frame] / sum(shares.values())
            self.assertAlmostEqual(count / sum(counts.values()), wanted, delta=0.12, msg=frame)
        interesting = re.compile(r"::(select_words|flat_map_items|FlatMap::on_batch)$")
        chains = {tuple(name.rsplit("dataflow::")[-1] for name in stack
                        if name == EVALUATOR or interesting.search(name)) for stack in stacks}
        self.assertIn((EVALUATOR, "select_words", EVALUATOR, "flat_map_items", EVALUATOR, "FlatMap::on_batch"), chains)


if __name__ == "__main__":
    skips.main()
