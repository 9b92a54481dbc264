# SPDX-License-Identifier: Apache-2.0
"""Tests truth and its variants: each runs a short form, its table adds up, and its file matches its name.

    test_truth.py BUILD_DIRECTORY
"""
import collections
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import checks
import skips

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import check_against_perf as checker  # noqa: E402

BUILD = pathlib.Path(sys.argv.pop())
PLAIN = BUILD / "truth"
SECONDS = 0.2
FREQUENCY = 1237  # not near a multiple of the kernel's tick (250 or 1000 Hz), to stay out of step with it
VARIANTS = ["fp", "O0", "O3", "nopie", "splitdwarf", "debuglink", "debugdata", "stripped", "zlib", "zstd",
            "static", "lld", "mold", "m32", "clang", "gcc"]


def remove_map(table):
    """Removes the file that the jit phase leaves for profilers; this test does not profile."""
    if table["perf_map"]:
        os.unlink(table["perf_map"])


def short_run(program, *flags):
    table = checks.result_of(program, "--seconds", SECONDS, *flags)
    remove_map(table)
    return table


def variants():
    """The variants that were built; CMake decides which to omit, and reports it."""
    return {name: BUILD / f"truth-{name}" for name in VARIANTS if (BUILD / f"truth-{name}").exists()}


def tool(*command):
    return checks.run(*command, errors="replace").stdout


def rows_of(table, phase):
    return [row for row in table["rows"] if row["phase"] == phase]


class Table(checks.WorkloadTest):
    def assert_adds_up(self, table, remainder):
        total = table["totals"]
        self.assertEqual(sum(row["cpu_ns"] for row in table["rows"]), total["attributed_ns"])
        self.assertEqual(total["attributed_ns"] + total["remainder_ns"], total["process_cpu_ns"])
        self.assertAlmostEqual(sum(row["share"] for row in table["rows"]), 1, places=3)
        self.assertGreaterEqual(total["remainder_ns"], 0)
        self.assertLess(total["remainder_share"], remainder, table["phases"])
        self.assertLess(table["clock"]["share"], 0.02)

    def assert_row_sane(self, row):
        self.assertGreater(row["cpu_ns"], 0, row)
        self.assertLessEqual(len(row["thread_name"]), 15, row)
        self.assertIn(row["mode"], ("user", "kernel", "either"))
        self.assertIn(row["self_function"], ("*", row["path"][-1]))
        self.assertTrue(set(row["inlined"]) <= set(row["path"]))
        self.assertFalse(set(row["absent"]) & set(row["path"]))

    def test_every_variant_runs_and_adds_up(self):
        self.assertTrue(PLAIN.exists())
        for name, program in {"plain": PLAIN, **variants()}.items():
            with self.subTest(name):
                table = short_run(program)
                self.assertEqual(table["build"]["variant"], name)
                self.assert_adds_up(table, remainder=0.15)
                for row in table["rows"]:
                    self.assert_row_sane(row)
                leaves = collections.Counter(row["symbol"] for row in table["rows"])
                self.assertEqual({leaf for leaf, count in leaves.items() if count > 1},
                                 {"shared_leaf", "thread_leaf", "*"})

    def test_the_splits_are_as_asked(self):
        table = checks.result_of(PLAIN, "--seconds", 0.4, "--phases", "paths,brief,alternate,threads")
        self.assert_adds_up(table, remainder=0.15)
        for phase, wanted in {"paths": (60, 30, 10), "brief": (50, 50), "alternate": (50, 50),
                              "threads": (50, 30, 20)}.items():
            for row, percent in zip(rows_of(table, phase), wanted):
                self.assertAlmostEqual(100 * row["phase_share"], percent, delta=4, msg=row)

    def test_processes_and_libraries(self):
        table = checks.result_of(PLAIN, "--seconds", 0.2, "--phases", "fork,exec,dlopen")
        roles = collections.Counter(process["role"] for process in table["processes"])
        self.assertEqual(roles, {"main": 1, "forked": 3, "executed": 3})
        self.assertGreater(table["opened_libraries"]["opens"], 2)
        self.assertGreater(table["opened_libraries"]["in_place_of_another"], 0)
        self.assertEqual(table["perf_map"], "")

    def test_the_perf_map_names_the_generated_code(self):
        if platform.machine() not in ("x86_64", "i686"):
            self.assert_refused(PLAIN, "--phases", "jit", says="is not in this build")
            return
        table = checks.result_of(PLAIN, "--seconds", 0.05, "--phases", "jit")
        lines = pathlib.Path(table["perf_map"]).read_text().splitlines()
        remove_map(table)
        names = {line.split()[2] for line in lines}
        self.assertEqual(names, {"truth_jit_alone", "truth_jit_below", "truth_jit_caller"})

    def test_flags(self):
        self.assert_explained(PLAIN)
        listing = checks.run(PLAIN, "--list").stdout
        self.assertIn("paths: three call paths", listing)
        self.assert_refused(PLAIN, "--seconds", "0", says="--seconds")
        self.assert_refused(PLAIN, "--phases", "paths,none", says="There is no phase 'none'")
        self.assert_refused(PLAIN, "--phases", "", says="There is no phase ''")
        self.assert_refused(PLAIN, "--phases", "paths,paths", says="twice")
        for garbage in ("x", "1", "1:", "0:5", "99:1000", "3:-1"):
            self.assert_refused(PLAIN, "--child", garbage, says="do not set it")
        self.assert_refused(PLAIN, "--nonsense")

    def test_a_build_refuses_what_it_cannot(self):
        if "static" not in variants():
            self.skipTest("truth-static was not built")
        for phase in ("dlopen", "plt"):
            self.assert_refused(variants()["static"], "--phases", phase, says="is not in this build")
        self.assertIn("not in this build", checks.run(variants()["static"], "--list").stdout)


class Files(checks.WorkloadTest):
    """The output of readelf and objdump for each variant."""

    def setUp(self):
        if not variants():
            self.skipTest("no variants were built (WORKLOADS_VARIANTS=OFF)")

    def with_variant(self, name):
        if name not in variants():
            self.skipTest(f"truth-{name} was not built")
        return variants()[name]

    def sections(self, program):
        """Section name to flags."""
        listing = tool("readelf", "-SW", program)
        found = re.findall(r"^\s*\[ *\d+\] (\.\S+)\s+\S+\s+[0-9a-f]+ [0-9a-f]+ [0-9a-f]+ [0-9a-f]+ +([A-Za-z]*)",
                           listing, re.MULTILINE)
        return dict(found)

    def test_no_two_have_one_build_id(self):
        notes = {name: tool("readelf", "-n", program) for name, program in {"plain": PLAIN, **variants()}.items()}
        ids = {name: re.search(r"Build ID: ([0-9a-f]+)", text) for name, text in notes.items()}
        known = [match[1] for match in ids.values() if match]
        self.assertEqual(len(known), len(set(known)), ids)

    def test_symbols_and_debug_sections(self):
        self.assertIn(".debug_info", self.sections(PLAIN))
        self.assertIn(".symtab", self.sections(PLAIN))
        for name in ("stripped", "debuglink", "debugdata"):
            sections = self.sections(self.with_variant(name))
            self.assertNotIn(".symtab", sections, name)
            self.assertNotIn(".debug_info", sections, name)
            self.assertEqual(".gnu_debuglink" in sections, name == "debuglink")
            self.assertEqual(".gnu_debugdata" in sections, name == "debugdata")
        for name in ("zlib", "zstd"):
            self.assertIn("C", self.sections(self.with_variant(name))[".debug_info"])
        self.assertIn(".debug_addr", self.sections(self.with_variant("splitdwarf")))

    def test_debugdata_holds_the_functions(self):
        program = self.with_variant("debugdata")
        with tempfile.TemporaryDirectory() as scratch:
            packed, small = os.path.join(scratch, "small.xz"), os.path.join(scratch, "small")
            subprocess.run(["objcopy", "--dump-section", f".gnu_debugdata={packed}", program, "/dev/null"], check=True)
            with open(small, "wb") as file:
                subprocess.run(["xz", "--decompress", "--stdout", packed], stdout=file, check=True)
            names = tool("nm", "--demangle", small)
            self.assertIn("truth::shared_leaf(unsigned int)", names)
            self.assertNotIn(".debug_info", self.sections(small))

    def test_debuglink_file_has_everything(self):
        program = self.with_variant("debuglink")
        debug = pathlib.Path(f"{program}.debug")
        self.assertIn(debug.name, tool("readelf", "--string-dump=.gnu_debuglink", program))
        self.assertIn("truth::shared_leaf(unsigned int)", tool("nm", "--demangle", debug))

    def test_kinds_of_file(self):
        self.assertIn("DYN", tool("readelf", "-h", PLAIN))
        self.assertIn("EXEC", tool("readelf", "-h", self.with_variant("nopie")))
        self.assertNotIn("INTERP", tool("readelf", "-lW", self.with_variant("static")))
        self.assertIn("ELF32", tool("readelf", "-h", self.with_variant("m32")))
        for name, mark in (("lld", "LLD"), ("mold", "mold")):
            self.assertIn(mark, tool("readelf", "--string-dump=.comment", self.with_variant(name)))

    def test_frame_pointers(self):
        for name, program in (("plain", PLAIN), ("fp", self.with_variant("fp"))):
            code = tool("objdump", "--disassemble=_ZN5truth11route_shortEj", "--no-show-raw-insn", program)
            self.assertIn("route_short", code)
            self.assertEqual(bool(re.search(r"mov\s+%rsp,%rbp", code)), name == "fp")

    def test_the_table_has_the_tail_calls_of_the_build(self):
        for name in ("plain", "O0", "O3", "clang", "m32"):
            program = PLAIN if name == "plain" else variants().get(name)
            if program is None:
                continue
            code = tool("objdump", "--disassemble=_ZN5truth11tail_secondEj", "--no-show-raw-insn", program)
            jumps = bool(re.search(r"jmp\s+[0-9a-f]+ <_ZN5truth9tail_leafEj>", code))
            table = short_run(program, "--phases", "tail")
            row = rows_of(table, "tail")[0]
            self.assertEqual(jumps, "tail_second" in row["absent"], name)
            if name != "m32":  # if arguments are on the stack, the compiler is free
                self.assertEqual(jumps, name != "O0", name)


class Checker(checks.WorkloadTest):
    """Runs the checker on recordings made from the table itself."""

    @classmethod
    def setUpClass(cls):
        cls.table = short_run(PLAIN)
        cls.scale = 20_000 / cls.table["totals"]["process_cpu_ns"]

    def counts(self):
        return [round(row["cpu_ns"] * self.scale) for row in self.table["rows"]]

    def rest(self):
        return round(self.table["totals"]["remainder_ns"] * self.scale)

    def frames(self, row):
        frames = list(row["path"])
        for name, times in row["repeats"].items():
            at = frames.index(name)
            frames[at:at + 1] = [name] * times
        return frames + (["below"] if row["self_function"] == "*" else [])

    def folded(self, counts, threads=True):
        lines = [";".join(([row["thread_name"]] if threads else []) + self.frames(row)) + f" {count}"
                 for row, count in zip(self.table["rows"], counts)]
        return lines + [f"{self.table['thread_name']};_start {self.rest()}"] * threads + ["other;main 5000"] * threads

    def compare(self, lines, by="path"):
        return checker.compare(self.table, checker.read_samples(lines, self.table), by)

    def test_its_own_table_agrees(self):
        for by in ("path", "self"):
            result = self.compare(self.folded(self.counts()), by)
            self.assertTrue(result["agrees"], result)
            self.assertEqual(result["outside"], 0)
        recursion = next(line for line in result["rows"] if line["row"] == "direct_leaf")
        self.assertGreater(recursion["samples"], 0)

    def test_stacks_without_threads(self):
        result = self.compare(self.folded(self.counts(), threads=False), "self")
        self.assertTrue(result["agrees"], result)

    def test_one_row_too_heavy(self):
        counts = self.counts()
        counts[1] *= 2
        result = self.compare(self.folded(counts))
        self.assertFalse(result["agrees"])
        self.assertTrue(result["rows"][1]["far_outside"])

    def test_lost_callers_are_ambiguous(self):
        lines = [line.replace("main;three_paths;route_short;", "") for line in self.folded(self.counts())]
        result = self.compare(lines)
        self.assertEqual(result["ambiguous"], self.counts()[1])
        self.assertFalse(result["agrees"])
        self.assertTrue(self.compare(lines, "self")["agrees"])

    def test_perf_script_text(self):
        def sample(row):
            pid = next(p["pid"] for p in self.table["processes"] if p["role"] == row["role"])
            lines = [f"{row['thread_name']:>15} {pid}/{pid + 1} 12.345678: cpu-clock: "]
            if row["mode"] == "kernel":
                lines.append("\tffffffff81000c82 read_zero ([kernel.kallsyms])")
            for name in reversed(self.frames(row)):
                qualified = "main" if name == "main" else f"truth::{name}(unsigned int) [clone .cold]"
                lines.append(f"\t    55d0c0ffee {qualified} (/somewhere/truth)")
            return lines + [""]
        lines = [line for row, count in zip(self.table["rows"], self.counts()) for line in sample(row) * (count // 20)]
        samples = checker.read_samples(lines, self.table)
        result = checker.compare(self.table, samples)
        self.assertEqual(len(samples), sum(count // 20 for count in self.counts()))
        self.assertEqual(result["ambiguous"], 0)
        quality = next(line for line in result["rows"] if "recurse_direct" in line["row"])
        self.assertEqual((quality["path"], quality["depth"]), (1, 1))
        kernel = next(line for line in result["rows"] if "fill_from_kernel" in line["row"])
        self.assertEqual(kernel["kernel"], 1)

    def test_names(self):
        for name, wanted in {
                "truth::shared_leaf(unsigned int)": "shared_leaf", "truth::Guard::~Guard()": "~Guard",
                "truth::hold_guard(unsigned int) [clone .cold]": "hold_guard", "hold_guard.cold": "hold_guard",
                "truth::(anonymous namespace)::start(void* (*)(void*))": "start", "library_step@plt": "library_step",
                "void std::sort<int*>(int*, int*)": "sort"}.items():
            self.assertEqual(checker.bare(name), wanted)

    def test_what_cannot_be_read(self):
        script = pathlib.Path(__file__).parent / "check_against_perf.py"
        with tempfile.TemporaryDirectory() as scratch:
            table, text = pathlib.Path(scratch, "table.json"), pathlib.Path(scratch, "text")
            table.write_text(json.dumps(self.table))
            text.write_text("nothing of the kind\n")
            self.assert_refused(sys.executable, script, table, text, says="neither")
            self.assert_refused(sys.executable, script, table, pathlib.Path(scratch, "absent"))


class AgainstPerf(checks.WorkloadTest):
    """A system-wide recording by perf agrees with the table, by function."""

    def test_perf_agrees(self):
        if shutil.which("perf") is None:
            self.skipTest("perf is missing")
        # A virtual machine that is paused for a moment counts that time as the program's, and perf takes no samples.
        # A wrong table disagrees each time.
        for _ in range(3):
            result = self.compared_with_perf()
            if result["agrees"]:
                return
        self.fail(result)

    def compared_with_perf(self):
        with tempfile.TemporaryDirectory() as scratch:
            data = os.path.join(scratch, "perf.data")
            done = checks.run("perf", "record", "--no-bpf-event", "-a", "-F", FREQUENCY, "-e", "cpu-clock", "-o", data,
                              "--", PLAIN, "--seconds", "1.5")
            if "process_cpu_ns" not in done.stdout:
                self.skipTest(f"perf may not record the whole system here: {done.stderr.strip().splitlines()[:1]}")
            table = json.loads(done.stdout)
            text = checks.run("perf", "script", "-i", data, "-F", "comm,pid,tid,time,event,ip,sym,dso").stdout
            remove_map(table)
        return checker.compare(table, checker.read_samples(text.splitlines(), table), "self")


if __name__ == "__main__":
    skips.main()
