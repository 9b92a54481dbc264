#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`wick flow` against the truth: programs that generate_trace ran instruction by instruction, and a real recording with
perf's text of it. Usage: run.py WICK WORKLOADS, the latter the directory of the built workloads."""
import collections
import gzip
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import answers
import skips

WORKLOADS = pathlib.Path(sys.argv.pop()).resolve()
WICK = pathlib.Path(sys.argv.pop()).resolve()
CORPUS = pathlib.Path(os.environ.get("WICK_CORPUS") or "../shared/corpus")
GENERATE = WORKLOADS / "generate_trace"
PROGRAMS = WORKLOADS / "synthetic_trace"
Branch = collections.namedtuple("Branch", "source target instructions cycles mispredicted")


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120, **more)


def flow(*words):
    done = run(WICK, "flow", *words, "--json")
    if done.returncode != 0:
        raise AssertionError(f"{words}: {done.stderr}")
    return answers.parse(done.stdout)


def symbols(program):
    lines = run("nm", program).stdout.splitlines()
    return {name: int(address, 16) for address, _, name in map(str.split, lines)}


class Truth:
    """What a list of branches adds up to, computed as naively as possible."""

    def __init__(self, branches):
        self.branches = branches
        pairs = list(zip(branches, branches[1:]))
        self.blocks = collections.Counter((a.target, b.source) for a, b in pairs)
        self.cycles = collections.Counter()
        for a, b in pairs:
            self.cycles[a.target, b.source] += b.cycles
        self.instructions = {(a.target, b.source): b.instructions for a, b in pairs}
        self.edges = collections.Counter((b.source, b.target) for b in branches)

    def dominant_cycle(self):
        """The branches of the cycle that covers most processor cycles, as a set, and its instructions."""
        covered = collections.defaultdict(set)
        for first, branch in enumerate(self.branches):
            seen = [branch[:2]]
            for at in range(first + 1, len(self.branches)):
                if self.branches[at][:2] == seen[0]:
                    covered[frozenset(zip(seen, seen[1:] + seen[:1]))].update(range(first + 1, at + 1))
                    break
                if self.branches[at][:2] in seen:
                    break
                seen.append(self.branches[at][:2])
        best = max(covered, key=lambda cycle: sum(self.branches[at].cycles for at in covered[cycle]))
        return {edge for edge, _ in best}, sum(self.instructions[a[1], b[0]] for a, b in best)


class Generated(unittest.TestCase):
    def setUp(self):
        if not GENERATE.exists():
            self.skipTest("generate_trace is not built (make workloads)")
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.data = pathlib.Path(self.directory.name) / "perf.data"

    def generate(self, program, *flags):
        truth = self.data.with_suffix(".truth")
        done = run(GENERATE, "--output", self.data, "--truth", truth, *flags, "--", PROGRAMS / program)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [line.split()[1:] for line in truth.read_text().splitlines() if line.startswith("branch")]
        return Truth([Branch(int(r[0], 16), int(r[1], 16), int(r[2]), int(r[3]), int(r[4])) for r in rows])

    def assert_equals_truth(self, answer, truth):
        blocks = {(int(row["begin"], 16), int(row["end"], 16)): row for row in answers.rows(answer, "blocks")}
        self.assertEqual({key: row["count"] for key, row in blocks.items()}, truth.blocks)
        self.assertEqual({key: row["instructions"] for key, row in blocks.items()}, truth.instructions)
        self.assertEqual({key: row["cycles"] for key, row in blocks.items()}, truth.cycles)
        self.assertEqual(answer["figures"]["broken"], 0)
        self.assertNotIn("unbalanced", answer["sections"])

    def assert_cycle(self, answer, truth):
        edges, instructions = truth.dominant_cycle()
        rows = answers.rows(answer, "cycle")
        blocks = {(int(row["begin"], 16), int(row["end"], 16)) for row in rows}
        self.assertEqual({end for _, end in blocks}, {source for source, _ in edges})
        self.assertEqual({begin for begin, _ in blocks}, {target for _, target in edges})
        self.assertEqual(sum(row["instructions"] for row in rows), instructions)
        self.assertEqual(answer["figures"]["cycle_instructions"], instructions)

    def test_blocks_instructions_cycles_and_the_dominant_cycle(self):
        for program in "nested_loops", "calls":
            for depth in 8, 16, 32:
                with self.subTest(program=program, depth=depth):
                    truth = self.generate(program, "--depth", depth, "--tile")
                    answer = flow(self.data)
                    self.assert_equals_truth(answer, truth)
                    self.assert_cycle(answer, truth)

    def test_trip_counts(self):
        self.generate("nested_loops", "--tile", "--depth", 16)
        loops = {int(row["head"], 16): row for row in answers.rows(flow(self.data), "loops")}
        address = symbols(PROGRAMS / "nested_loops")
        # The first round has no branch before it, and the last one none after it: they are in no block.
        inner = loops[address["inner"]]
        self.assertEqual((inner["executions"], inner["entered"]), (40 * 5 - 2, 39))
        self.assertAlmostEqual(inner["trips"], (40 * 5 - 2) / 39)
        self.assertEqual(loops[address["outer"]]["executions"], 39)
        self.generate("calls", "--tile", "--depth", 16)
        loops = {int(row["head"], 16): row for row in answers.rows(flow(self.data), "loops")}
        spin = loops[symbols(PROGRAMS / "calls")["spin"] + 5]
        self.assertEqual((spin["trips"], spin["executions"], spin["entered"]), (9, 63, 7))

    def test_repeated_entries_are_dropped_only_where_they_are_impossible(self):
        truth = self.generate("calls", "--depth", 8, "--period", 7, "--duplicates", 100)
        answer = flow(self.data)
        loop_of_one_block = symbols(PROGRAMS / "calls")["spin"] + 7
        stacks = answer["figures"]["stacks"]
        samples = truth.branches[6::7]
        possible = sum(branch.source == loop_of_one_block for branch in samples)
        self.assertGreater(possible, 0)
        self.assertEqual(answer["figures"]["dropped"], stacks - possible)
        self.assertEqual(sum(row["count"] for row in answers.rows(answer, "dropped")), stacks - possible)
        self.assertEqual(answer["figures"]["broken"], 0)

    def test_lost_entries_are_seen_and_other_blocks_stay_right(self):
        self.generate("calls", "--depth", 32, "--period", 31, "--lost", 10)
        answer = flow(self.data)
        self.assertGreater(answer["figures"]["broken"], 0)
        self.assertIn("unbalanced", answer["sections"])
        self.assertIn("do not follow each other", " ".join(answer["notes"]))

    def test_no_ipc_without_cycles(self):
        for flags in ("--processor", "amd", "--depth", 16), ("--no-cycles",):
            self.generate("nested_loops", *flags)
            answer = flow(self.data)
            self.assertTrue(all(row["ipc"] is None for row in answers.rows(answer, "blocks")))
            self.assertIn("without cycles", " ".join(answer["notes"]))
            self.assertEqual(answers.rows(answer, "cycle")[0]["begin"], hex(symbols(PROGRAMS / "nested_loops")["inner"]))

    def test_the_image_may_be_absent_later(self):
        program = pathlib.Path(self.directory.name) / "moved"
        program.write_bytes((PROGRAMS / "nested_loops").read_bytes())
        program.chmod(0o755)
        done = run(GENERATE, "--output", self.data, "--", program)
        self.assertEqual(done.returncode, 0, done.stderr)
        before = flow(self.data)
        self.assertEqual(run(WICK, "convert", self.data, "-o", self.data.with_suffix(".wick")).returncode, 0)
        program.unlink()
        after = flow(self.data.with_suffix(".wick"))
        self.assertEqual(before["sections"], after["sections"])
        without = flow(self.data)
        self.assertTrue(all(row["instructions"] is None for row in answers.rows(without, "blocks")))
        self.assertEqual([row["count"] for row in answers.rows(without)], [row["count"] for row in answers.rows(before)])
        self.assertIn("no number of instructions", " ".join(without["notes"]))

    def test_text_of_perf_gives_the_same(self):
        self.generate("calls", "--depth", 16, "--period", 15)
        expected = flow(self.data)
        for field in "brstack", "brstackinsn":
            text = run("perf", "script", "-i", self.data, "-F", f"comm,tid,time,event,ip,{field}").stdout
            path = pathlib.Path(self.directory.name) / "text"
            path.write_text(text)
            answer = flow(path)
            def counts(one):
                return sorted((r["from"], r["to"], r["count"], r["cycles"], r["mispredicted"]) for r in answers.rows(one))

            self.assertEqual(counts(answer), counts(expected), field)
            if field == "brstackinsn":
                def sizes(one):
                    return {(r["begin"], r["end"]): r["instructions"] for r in answers.rows(one, "blocks")}

                self.assertEqual(sizes(answer), sizes(expected))

    def test_a_function(self):
        self.generate("calls")
        answer = flow(self.data, "spin")
        self.assertTrue(all("spin" in row["name"] + row["to_code"] for row in answers.rows(answer)))
        refused = run(WICK, "flow", self.data, "no_such_function")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("no_such_function", refused.stderr)

    def test_the_graph_is_drawn(self):
        self.generate("calls")
        for ending in ("svg", "dot"):
            picture = self.data.with_suffix("." + ending)
            done = run(WICK, "flow", self.data, "-o", picture)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("spin", picture.read_text())

    def test_two_recordings_add_up(self):
        self.generate("nested_loops", "--tile", "--depth", 16)
        stored = self.data.with_suffix(".wick")
        self.assertEqual(run(WICK, "convert", self.data, "-o", stored).returncode, 0)
        one, two = flow(self.data), flow(self.data, stored)
        self.assertEqual([2 * row["count"] for row in answers.rows(one, "blocks")],
                         [row["count"] for row in answers.rows(two, "blocks")])
        self.assertEqual(answers.rows(one, "cycle"), answers.rows(two, "cycle"))

    def test_recordings_without_branches(self):
        path = pathlib.Path(self.directory.name) / "a.folded"
        path.write_text("main;work 7\n")
        refused = run(WICK, "flow", path)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("no branch stacks", refused.stderr)


class Recorded(unittest.TestCase):
    """A recording of a Skylake server with perf's text of it, and texts with what llvm-profgen makes of them."""

    def setUp(self):
        self.data = CORPUS / "lbr" / "propeller_sample_1.perfdata1"
        if not self.data.exists():
            self.skipTest("the corpus is not available; set WICK_CORPUS to its directory")

    def test_blocks_and_edges_are_those_of_llvm_profgen(self):
        folder = CORPUS / "llvm-project" / "llvm-profgen"
        for text, expected, base in (("noprobe.mmap.perfscript", "noinline-noprobe.test", 0),
                                     ("inline-noprobe.perfscript", "inline-noprobe.test", 0x400000)):
            lines = (folder / "expected" / expected).read_text()
            ranges = re.findall(r"RAW-PROFILE-NEXT: (\w+)-(\w+):(\d+)", lines)
            jumps = re.findall(r"RAW-PROFILE-NEXT: (\w+)->(\w+):(\d+)", lines)
            self.assertGreater(len(ranges), 2)
            answer = flow(folder / text)

            def counts(section, first, last):
                return sorted((hex(int(row[first], 16) - base), hex(int(row[last], 16) - base), row["count"])
                              for row in answers.rows(answer, section))

            def wanted(rows):
                return sorted(("0x" + first, "0x" + last, int(count)) for first, last, count in rows)

            self.assertEqual(counts("blocks", "begin", "end"), wanted(ranges), text)
            self.assertEqual(counts("edges", "from", "to"), wanted(jumps), text)

    def test_edges_are_those_of_perf(self):
        expected = collections.defaultdict(lambda: [0, 0, 0])
        repeated = 0
        with gzip.open(CORPUS / "lbr" / "expected.brstack.propeller_sample_1.txt.gz", "rt") as text:
            for line in text:
                newest_first = [entry.split("/")[:2] for entry in line.split() if "/" in entry]
                repeated += len(newest_first) > 1 and newest_first[0] == newest_first[1]
                for entry in line.split():
                    if "/" in entry:
                        source, target, prediction, _, _, cycles = entry.split("/")[:6]
                        row = expected[int(source, 16), int(target, 16)]
                        row[0] += 1
                        row[1] += int(cycles)
                        row[2] += prediction == "M"
        answer = flow(self.data, "--debug-dir", CORPUS / "lbr")
        rows = answers.rows(answer)
        self.assertEqual(sorted([row["count"], row["cycles"], row["mispredicted"]] for row in rows),
                         sorted(expected.values()))
        self.assertEqual(answer["figures"]["branches"], 119424)
        # No block of this program branches to itself.
        self.assertEqual(answer["figures"]["dropped"], repeated)
        self.assertGreater(repeated, 900)


if __name__ == "__main__":
    skips.main()
