#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""generate_trace: perf reads the branches of the truth, and the knobs do what they say. The last argument is the directory
of the built workloads."""
import pathlib
import shutil
import sys
import tempfile
import unittest

import checks
import skips

BUILD = pathlib.Path(sys.argv.pop()).resolve()
GENERATE = BUILD / "generate_trace"
PROGRAMS = BUILD / "synthetic_trace"


class GenerateTrace(checks.WorkloadTest):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.data = pathlib.Path(self.directory.name) / "perf.data"
        self.truth = pathlib.Path(self.directory.name) / "truth"

    def generate(self, program, *flags):
        """The branches of the truth, oldest first: from, to, cycles, mispredicted."""
        checks.result_of(GENERATE, "--output", self.data, "--truth", self.truth, *flags, "--", PROGRAMS / program)
        rows = [line.split() for line in self.truth.read_text().splitlines() if line.startswith("branch")]
        return [(int(row[1], 16), int(row[2], 16), int(row[4]), row[5] == "1") for row in rows]

    def stacks(self):
        """What perf prints: the entries of each stack, newest first."""
        if not shutil.which("perf"):
            self.skipTest("perf is not installed")
        text = checks.run("perf", "script", "-i", self.data, "-F", "brstack").stdout
        stacks = []
        for line in filter(str.strip, text.splitlines()):
            entries = [entry.split("/") for entry in line.split()]
            stacks.append([(int(e[0], 16), int(e[1], 16), int(e[5]), e[2] == "M") for e in entries])
        return stacks

    def test_perf_reads_the_truth(self):
        for depth in 8, 16, 32:
            branches = self.generate("calls", "--depth", depth, "--period", 50)
            ends = range(50, len(branches) + 1, 50)
            self.assertEqual(self.stacks(), [branches[max(0, end - depth):end][::-1] for end in ends])

    def test_tiles_have_each_block_once(self):
        branches = self.generate("nested_loops", "--depth", 8, "--tile")
        pairs = [pair for stack in self.stacks() for pair in zip(stack[1:], stack)][::1]
        expected = list(zip(branches, branches[1:]))
        self.assertEqual(sorted(pairs), sorted(expected))

    def test_duplicates_and_lost_entries(self):
        self.generate("calls", "--depth", 8, "--period", 10, "--duplicates", 100)
        stacks = self.stacks()
        self.assertTrue(all(stack[0] == stack[1] and len(stack) == 8 for stack in stacks))
        self.generate("calls", "--depth", 8, "--period", 10, "--lost", 50)
        lengths = [len(stack) for stack in self.stacks()]
        self.assertTrue(all(length < 8 for length in lengths[:3]) or sum(lengths) < 6 * len(lengths))

    def test_processors_and_filters(self):
        self.generate("calls", "--processor", "amd", "--depth", 16)
        self.assertEqual({entry[2] for stack in self.stacks() for entry in stack}, {0})
        self.generate("calls", "--filter", "return", "--period", 20)
        text = checks.run("objdump", "-d", PROGRAMS / "calls").stdout
        returns = {int(line.split(":")[0], 16) for line in text.splitlines() if line.endswith("ret")}
        self.assertEqual({entry[0] for stack in self.stacks() for entry in stack}, returns)

    def test_flags(self):
        self.assert_explained(GENERATE)
        self.assert_refused(GENERATE, "--depth", "1", "--", "true", says="--depth")
        self.assert_refused(GENERATE, says="no program")
        self.assert_refused(GENERATE, "--", "/no/such/program", status=1, says="cannot run")


if __name__ == "__main__":
    skips.main()
