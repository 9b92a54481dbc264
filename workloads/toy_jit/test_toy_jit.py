# SPDX-License-Identifier: Apache-2.0
"""Tests the toy interpreter: shares, map, stubs, and its profile in perf.

Usage: test_toy_jit.py BUILD_DIRECTORY
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

BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
PROGRAMS = {name: BUILD / name for name in ("toy_jit_fp", "toy_jit_nofp")}
FUNCTIONS = ["<module>", "Parser.parse", "Parser.tokenize", "compute", "fold_right", "render", "render.<locals>.row"]


def map_of(pid):
    return pathlib.Path(f"/tmp/perf-{pid}.map")


class Results(WorkloadTest):
    def test_shares_are_as_planned(self):
        for program in PROGRAMS.values():
            result = result_of(program, "--seconds", "0.5")
            self.assertTrue(result["correct"])
            self.assertEqual([f["name"] for f in result["functions"]], [f"py::{n}:toy.py" for n in FUNCTIONS])
            self.assertAlmostEqual(sum(f["self_share"] for f in result["functions"]), 1, delta=0.001)
            self.assertAlmostEqual(result["functions"][0]["total_share"], 1, delta=0.001)
            for function in result["functions"]:
                self.assertAlmostEqual(function["self_share"], function["planned_share"], delta=0.05, msg=function)

    def test_calls_are_counted(self):
        result = result_of(PROGRAMS["toy_jit_nofp"], "--rounds", "20", "--work", "10", "--depth", "7")
        calls = {f["name"]: f["calls"] for f in result["functions"]}
        self.assertEqual(calls["py::fold_right:toy.py"], 140)
        self.assertEqual(calls["py::render.<locals>.row:toy.py"], 60)
        self.assertEqual(result["value"], 20 * 644)

    def test_many_functions_need_more_arenas(self):
        result = result_of(PROGRAMS["toy_jit_fp"], "--rounds", "1", "--extra-functions", "5000")
        self.assertEqual((result["stubs"], result["arenas"]), (5007, 2))

    def test_deep_recursion_works(self):
        for stub in ("frame", "plain"):
            result = result_of(PROGRAMS["toy_jit_nofp"], "--rounds", "2", "--depth", "10000", "--stub", stub)
            self.assertTrue(result["correct"])


class Map(WorkloadTest):
    def test_a_kept_map_names_every_stub(self):
        result = result_of(PROGRAMS["toy_jit_fp"], "--rounds", "1", "--keep-map")
        path = pathlib.Path(result["map"])
        try:
            lines = path.read_text().splitlines()
        finally:
            path.unlink()
        matches = [re.fullmatch(r"([0-9a-f]+) ([0-9a-f]+) py::(.+):toy\.py", line) for line in lines]
        self.assertEqual([m[3] for m in matches], FUNCTIONS)
        starts = [int(m[1], 16) for m in matches]
        self.assertEqual({b - a for a, b in zip(starts, starts[1:])}, {16 * ((result["stub_bytes"] + 15) // 16)})
        self.assertEqual({int(m[2], 16) for m in matches}, {result["stub_bytes"]})

    def test_arenas_are_never_writable_and_executable(self):
        with subprocess.Popen([PROGRAMS["toy_jit_fp"], "--seconds", "30"], stdout=subprocess.DEVNULL) as process:
            while not (map_of(process.pid).exists() and map_of(process.pid).read_text().count("\n") >= 7):
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            stub = int(map_of(process.pid).read_text().split()[0], 16)
            regions = pathlib.Path(f"/proc/{process.pid}/maps").read_text().splitlines()
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(10), -signal.SIGTERM)
        self.assertFalse(map_of(process.pid).exists(), "SIGTERM leaves no map behind")
        for region in regions:
            begin, end = (int(word, 16) for word in region.split()[0].split("-"))
            self.assertNotIn("wx", region.split()[1])
            if begin <= stub < end:
                self.assertEqual((region.split()[1], end - begin), ("r-xp", 65536))
                break
        else:
            self.fail("no region holds the stub")

    def test_no_map_stays_behind(self):
        process = subprocess.Popen([PROGRAMS["toy_jit_fp"], "--rounds", "1"], stdout=subprocess.DEVNULL)
        self.assertEqual(process.wait(10), 0)
        self.assertFalse(map_of(process.pid).exists())


class Flags(WorkloadTest):
    def test_impossible_flags_are_refused(self):
        program = PROGRAMS["toy_jit_fp"]
        self.assert_explained(program)
        self.assert_refused(program, "--depth", "0", says="--depth")
        self.assert_refused(program, "--seconds", "0")
        self.assert_refused(program, "--stub", "both", says="frame|plain")
        self.assert_refused(program, "--work", "0")
        self.assert_refused(program, "fib")


@unittest.skipUnless(perf_works(), "perf cannot sample all CPUs here")
class Profile(WorkloadTest):
    def stacks(self, program, *arguments, graph=("-g",)):
        """The functions of each sample in the evaluator, leaf first, and the program's own measurements."""
        with tempfile.TemporaryDirectory() as directory:
            data = f"{directory}/toy.data"
            result = result_of("perf", "record", "-a", "-F", "999", "-e", "cpu-clock", *graph, "-o", data, "--",
                               PROGRAMS[program], "--seconds", "0.7", "--keep-map", *arguments)
            stacks = [stack for stack in perf_stacks(data, program) if "toy_jit::evaluate" in stack]
            pathlib.Path(result["map"]).unlink()
        self.assertGreater(len(stacks), 100)
        return stacks, result

    def share(self, stacks, name):
        return sum(name in stack for stack in stacks) / len(stacks)

    def test_with_frame_pointers_chains_pass_through_the_stubs(self):
        stacks, result = self.stacks("toy_jit_fp")
        self.assertGreater(self.share(stacks, "main"), 0.99)
        for function in result["functions"]:
            self.assertAlmostEqual(self.share(stacks, function["name"]), function["total_share"], delta=0.08)
        for stack in stacks[:100]:
            upper = stack[stack.index("toy_jit::evaluate"):stack.index("main")]
            self.assertEqual(len(upper) % 3, 0)
            for at in range(0, len(upper), 3):
                self.assertEqual(upper[at], "toy_jit::evaluate")
                self.assertTrue(upper[at + 1].startswith("py::"))
                self.assertEqual(upper[at + 2], "toy_jit::Interpreter::call_function")

    def test_a_plain_stub_loses_its_caller(self):
        stacks, _ = self.stacks("toy_jit_fp", "--stub", "plain")
        self.assertGreater(self.share(stacks, "main"), 0.99)
        self.assertLess(self.share([s[s.index("toy_jit::evaluate"):] for s in stacks],
                                   "toy_jit::Interpreter::call_function"), 0.01)

    def test_without_frame_pointers_chains_break(self):
        stacks, _ = self.stacks("toy_jit_nofp")
        self.assertLess(self.share(stacks, "main"), 0.01)
        self.assertLess(sum(frame.startswith("py::") for stack in stacks for frame in stack), 0.01 * len(stacks))

    def test_unwind_tables_end_at_the_first_stub(self):
        stacks, _ = self.stacks("toy_jit_nofp", graph=("--call-graph", "dwarf"))
        self.assertLess(self.share(stacks, "main"), 0.01)
        named = sum(frame.startswith("py::") for stack in stacks for frame in stack)
        self.assertAlmostEqual(named / len(stacks), 1, delta=0.02)


if __name__ == "__main__":
    skips.main()
