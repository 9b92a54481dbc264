#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records real programs and compares the profiles with what the programs report about themselves.

    run.py WICK [TRUTH] [-k NAME]

Needs permission for one event on each CPU (root, or CAP_PERFMON); without it everything is skipped, with a message.
Shares are checked against their 95 % intervals widened by half, since the machine runs other tests at the same time.
"""
import contextlib
import fcntl
import json
import math
import os
import pathlib
import platform
import pty
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import answers  # noqa: E402
import skips  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
WICK = str(pathlib.Path(sys.argv[1]).resolve())
# Node 20 writes JS:, Node 18 the kind of code; the mark is the compiler's tier.
V8_NAME_OF_HOT = re.compile(r"(JS|LazyCompile|Function):[~^+*]?hot .*hot\.js")
TRUTH = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 and not sys.argv[2].startswith("-") else None


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120, **more)


def bpf_is_allowed():
    rows = answers.rows(answers.parse(run(WICK, "doctor", "--json").stdout))
    return any(row["what"] == "BPF" and row["verdict"] == "ok" for row in rows)


def mount_tracefs():
    """systemd mounts it when it is first used; a machine without systemd may not have it."""
    if os.geteuid() == 0 and not os.path.exists("/sys/kernel/tracing/events"):
        run("mount", "-t", "tracefs", "tracefs", "/sys/kernel/tracing")


def wait_until_busy(recorder):
    """Waits until the recorded program has used some CPU time, however busy the machine is."""
    for _ in range(300):
        time.sleep(0.1)
        for pid in run("pgrep", "-P", str(recorder)).stdout.split():
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            if int(fields[11]) > 0.3 * os.sysconf("SC_CLK_TCK"):
                return


PARANOID = pathlib.Path("/proc/sys/kernel/perf_event_paranoid")


def may_set_paranoid():
    try:
        PARANOID.write_text(PARANOID.read_text())
        return os.geteuid() == 0
    except OSError:
        return False


@contextlib.contextmanager
def paranoid(value):
    """Sets the kernel's switch, and restores it whatever happens."""
    before = PARANOID.read_text()
    try:
        PARANOID.write_text(str(value))
        yield
    finally:
        PARANOID.write_text(before)


IN_MEMORY = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile unsigned long sink;
__attribute__((noinline)) void spin_in_memory(long n) { while (n--) sink = sink * 3 + 1; }
__attribute__((noinline)) void outer_work(void) { spin_in_memory(200000000); __asm__ volatile(""); }
int main(int count, char** words, char** environment) {
  if (count > 1) { outer_work(); return 0; }
  int copy = memfd_create("copy", 0), own = open("/proc/self/exe", O_RDONLY);
  static char bytes[1 << 16];
  for (ssize_t n; (n = read(own, bytes, sizeof bytes)) > 0;) if (write(copy, bytes, n) != n) return 1;
  char* const next[] = {"copy", "again", 0};
  fexecve(copy, next, environment);
  return 1;
}
"""


class Recorded:
    """A profile, read through wick's own verbs."""

    def __init__(self, path, result):
        self.path, self.result = path, result

    def json(self, verb, *flags):
        # status 3: done, but much was lost
        done = run(WICK, verb, self.path, "--json", "--limit", "0", *flags)
        assert done.returncode in (0, 3), done.stderr
        return answers.parse(done.stdout)

    def rows(self, verb, *flags):
        return answers.rows(self.json(verb, *flags))

    def seconds(self):
        return self.json("report")["total"] / 1e9

    def samples(self):
        return self.json("report")["samples"]

    def total_of(self, function):
        rows = [row for row in self.rows("report") if row["name"] == function]
        return rows[0] if rows else None

    def complete(self, *flags):
        quality = self.json("quality", *flags)
        return quality["figures"]["complete"] / max(1, quality["samples"])

    def lost(self):
        return sum(loss["count"] or 0 for loss in self.json("report")["loss"]
                   if loss["what"] == "samples" and loss["data_loss"])

    def facts(self):
        return {row["name"]: row["value"] for row in self.rows("info")}


class RecordTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="wick-record-")
        os.chmod(cls.folder, 0o777)
        cls.program = cls.folder + "/programs"
        subprocess.run(["cc", "-O2", "-g", "-fomit-frame-pointer", "-pthread", "-o", cls.program, HERE / "programs.c"],
                       check=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)

    def wick_for_all(self):
        """A copy that other users can run: the build may be below a home directory that they cannot read."""
        return shutil.copy(WICK, self.folder + "/wick")

    def record(self, *words, flags=(), before=()):
        path = f"{self.folder}/{self.id().rsplit('.', 1)[-1]}.wick"
        result = run(*before, WICK, "record", "-o", path, *flags, "--", self.program, *words, cwd=self.folder)
        return Recorded(path, result)

    # ---- What the recorder sees ----

    def test_split_status_and_whole_stacks(self):
        got = self.record("split", 1.5, 7)
        self.assertEqual(got.result.returncode, 7, got.result.stderr)
        cpu = float(got.result.stdout.split()[-1])
        self.assertAlmostEqual(got.seconds(), cpu, delta=0.02 * cpu + 0.02)
        self.assertEqual(got.lost(), 0)
        self.assertGreaterEqual(got.complete(), 0.995)
        for function, share in (("seventy", 0.7), ("thirty", 0.3)):
            row = got.total_of(function)
            slack = 0.5 * (row["total_share_high"] - row["total_share_low"])
            self.assertLess(row["total_share_low"] - slack, share)
            self.assertGreater(row["total_share_high"] + slack, share)

    def test_506_threads_are_seen_in_full(self):
        for frequency in ("999", "4999"):
            got = self.record("threads", 506, 2, flags=["-F", frequency])
            cpu = float(got.result.stdout.split()[-1])
            self.assertGreater(got.seconds(), 0.98 * cpu)
            # The aim is 1.02, and 1.006 to 1.011 is measured (docs/decisions/0009); other load disturbs.
            self.assertLess(got.seconds(), 1.03 * cpu)
            self.assertEqual(got.lost(), 0)
            self.assertGreaterEqual(got.complete(), 0.995)

    def test_short_lived_threads_get_their_share(self):
        got = self.record("alternating", 2)
        main, thread = (got.total_of(name)["total_share"] for name in ("in_main", "in_thread"))
        self.assertAlmostEqual(main / (main + thread), 0.5, delta=max(0.05, 1.5 / math.sqrt(got.samples())))

    def test_a_loop_in_step_with_the_clock_has_its_shares(self):
        """Its period is close to a third of the clock's. With a fixed period half of the time was 42 to 65 %.

        Other load disturbs, so one of three recordings must be right for each kind of clock.
        """
        period = 1e9 / 997
        for flags in ([], ["--per-thread"], ["-c", str(round(period))], ["--per-thread", "-c", str(round(period))]):
            wrong = []
            while len(wrong) < 3 and min(wrong, default=1) >= 0.04:
                got = self.record("in_step", 2, period / 3 * 1.0001, flags=["-e", "cpu-clock", *flags])
                shares = {row["name"]: row["total_share"] for row in got.rows("report")}
                wrong.append(max(abs(shares[f"takes_{part}"] - part / 100) for part in (50, 30, 15)))
            self.assertLess(min(wrong), 0.04, f"{flags}: {wrong}")

    def test_deep_stacks(self):
        got = self.record("deep", 180)
        self.assertGreaterEqual(got.complete(), 0.995)

    def test_stacks_of_megabytes(self):
        for what in (("deep", 20000), ("wide",)):
            got = self.record(*what)
            self.assertGreaterEqual(got.complete(), 0.9, what)
            self.assertGreater(got.total_of("main")["total_share"], 0.9, what)

    def test_deep_stacks_behind_jumps(self):
        """Stacks of 100 KB and more, after a tail call or a call through a pointer."""
        for way in ("tail", "pointer"):
            if way == "pointer" and not bpf_is_allowed():
                self.skipTest("BPF is not allowed here: beyond 62 KB, calls through pointers are not certain")
            got = self.record("behind", way)
            self.assertGreaterEqual(got.complete(), 0.995, way)
            self.assertGreater(got.total_of("main")["total_share"], 0.995, way)

    def test_deep_stacks_without_bpf(self):
        got = self.record("behind", "tail", flags=["--per-thread"])
        self.assertGreaterEqual(got.complete(), 0.9)

    def test_contexts_that_were_made(self):
        got = self.record("contexts", 1)
        self.assertGreaterEqual(got.complete(), 0.995)
        self.assertGreater(got.total_of("in_context")["total_share"], 0.3)

    def test_handlers_on_their_own_stack(self):
        """Of 0.1 to 2 ms, interrupting another depth each time: only a stack that was read at once is consistent.

        The recorder needs one sample of a thread's handlers before the kernel can copy the stack they interrupt. On a
        busy machine that is late: a recorder that does not run for 60 ms at the start loses about 100 samples.
        """
        if not bpf_is_allowed():
            self.skipTest("BPF is not allowed here: a handler has returned before its caller's stack can be read")
        for how in ("", "brief-deep", "nested-deep", "brief-nested-threads-deep", "brief-moving"):
            got = self.record("handlers", 4 if how else 2, how)
            self.assertGreaterEqual(got.complete(), 0.9, how)
            self.assertGreaterEqual(got.complete("--time", "1.."), 0.995, how)
            self.assertGreater(got.total_of("gets_signal")["total_share"], 0.9, how)
            folded = run(WICK, "convert", got.path, "--to", "folded", "-o", "-").stdout
            depths = [line.count(";gets_signal_below") for line in folded.splitlines() if ";gets_signal;" in line]
            self.assertLessEqual(max(depths), 150, how)
            self.assertEqual(len(set(depths)) > 140, "deep" in how, how)

    def goroutine_stacks(self, *build, flags=()):
        """{stack of functions: samples} of a program with the shape of Go's runtime."""
        program = self.folder + "/goroutines"
        subprocess.run(["cc", "-O1", "-no-pie", *build, "-o", program, HERE / "goroutines.c", HERE / "goroutines.S"],
                       check=True)
        got = self.record_any(program, flags=flags)
        folded = run(WICK, "convert", got.path, "--to", "folded", "--mode", "user").stdout
        stacks = {}
        for line in folded.splitlines():
            names, count = line.rsplit(" ", 1)
            stacks[names] = stacks.get(names, 0) + int(count)
        return got, stacks

    def test_goroutines_whose_stack_the_runtime_has_left(self):
        """As in Go: the caller of systemstack is on another stack, which only the kernel can copy at that moment."""
        if platform.machine() != "x86_64":
            self.skipTest("the code is that of x86-64")
        if not bpf_is_allowed():
            self.skipTest("BPF is not allowed here: a goroutine continues before its stack can be read")
        for build in ((), ("-s",)):
            got, stacks = self.goroutine_stacks(*build)
            whole = "runtime.goexit;main.work;"
            expected = {whole + "main.grow;runtime.systemstack;main.burn", whole + "runtime.morestack;main.burn",
                        "runtime.mcall;main.schedule;main.burn"}
            common = {stack for stack, count in stacks.items() if ";main.burn" in stack and count > 20}
            self.assertEqual(common, expected, (build, stacks))
            self.assertGreater(got.complete(), 0.97, got.result.stderr)

    def test_goroutines_without_bpf_are_not_called_complete(self):
        if platform.machine() != "x86_64":
            self.skipTest("the code is that of x86-64")
        got, stacks = self.goroutine_stacks(flags=["--per-thread"])
        self.assertIn("runtime.systemstack;main.burn", stacks)
        self.assertLess(got.complete(), 0.2, stacks)
        self.assertIn("copies the stack of the goroutine", run(WICK, "quality", got.path).stdout)

    def test_handlers_on_their_own_stack_without_bpf(self):
        got = self.record("handlers", 1, "", flags=["--per-thread"])
        self.assertGreaterEqual(got.complete(), 0.9)

    @unittest.skipUnless(TRUTH and TRUTH.exists(), "the workload truth is not built (make workloads)")
    def test_stacks_beyond_their_copy(self):
        """125 KB of recursion, and handlers with a stack of their own."""
        path = self.folder + "/beyond.wick"
        run(WICK, "record", "-o", path, "--", TRUTH, "--phases", "recursion,signal,jit", "--seconds", "4")
        got = Recorded(path, None)
        self.assertGreaterEqual(got.complete(), 0.9)
        for function in ("truth::wide_leaf", "truth::elsewhere_leaf"):
            rows = [row for row in got.rows("report", "--focus", function, "--limit", "0")
                    if row["name"] in ("main", function)]
            totals = {row["name"]: row["total"] for row in rows}
            self.assertGreater(totals.get("main", 0), 0.4 * totals[function], function)
        folded = run(WICK, "convert", path, "--to", "folded", "--focus", "truth::wide_leaf", "-o", "-").stdout
        depths = {line.count("truth::recurse_wide") for line in folded.splitlines()
                  if "main;" in line and "truth::wide_leaf " in line}
        self.assertEqual(depths, {500}, "outer frames are of the same stack as inner ones")

    def test_small_files(self):
        got = self.record("split", 1.2, flags=["-F", "4999"])
        self.assertLess(os.path.getsize(got.path) / got.samples(), 100)

    def test_debian_python(self):
        path = self.folder + "/python.wick"
        run(WICK, "record", "-q", "-o", path, "--", "/usr/bin/python3", "-c",
            "x = sum(i * i for i in range(4_000_000))")
        self.assertGreaterEqual(Recorded(path, None).complete(), 0.99)

    def test_no_stacks_are_not_called_incomplete(self):
        got = self.record("split", "0.2", flags=["--call-graph", "none"])
        self.assertIn("without stacks", got.result.stderr)
        self.assertNotIn("of the stacks complete", got.result.stderr)

    def test_missing_frame_pointers_are_reported(self):
        got = self.record("split", "0.3", flags=["--call-graph", "fp"])
        self.assertIn("built without frame pointers", got.result.stderr)
        self.assertNotIn("frame pointers", self.record("split", "0.3").result.stderr)

    def build_of(self, name, *compiler):
        """Compiles the program in another way and records it."""
        program, path = f"{self.folder}/{name}", f"{self.folder}/{name}.wick"
        subprocess.run([*compiler, "-Wno-attributes", "-pthread", "-o", program, HERE / "programs.c"], check=True)
        done = run(WICK, "record", "-o", path, "--", program, "split", "0.4", cwd=self.folder)
        return Recorded(path, done)

    def test_a_fault_at_the_stack_pointer_has_the_function_that_caused_it(self):
        """The page is not in memory yet, so nothing of the stack can be copied."""
        program, path = f"{self.folder}/fresh_stack", f"{self.folder}/fresh_stack.wick"
        subprocess.run(["gcc", "-O1", "-g", "-pthread", "-o", program, HERE / "fresh_stack.c"], check=True)
        got = Recorded(path, run(WICK, "record", "-F", "1999", "-o", path, "--", program, cwd=self.folder))
        reasons = [row["reason"] for row in got.json("quality")["sections"].get("reasons", {"rows": []})["rows"]]
        self.assertNotIn("no user stack was recorded", reasons)
        self.assertGreater(got.total_of("descend")["total_share"], 0.7)

    def test_code_without_optimisation_is_named_first(self):
        got = self.build_of("unoptimised", "gcc", "-O0", "-g")
        wanted = re.compile(r"(\d+\.\d) % of the cost is in code built without optimisation \(unoptimised: GCC [0-9.]+, "
                            r"-O0\): build with -O2 -g and record again\.")
        self.assertRegex(got.result.stderr, wanted)
        for verb in ("report", "hot", "tree", "info", "quality"):
            first = run(WICK, verb, got.path).stdout.splitlines()[0]
            self.assertRegex(first, "^Caution: " + wanted.pattern, verb)
            self.assertGreater(float(wanted.search(first).group(1)), 50)
        for verb in ("sandwich", "annotate"):
            first = run(WICK, verb, got.path, "seventy").stdout.splitlines()[0]
            self.assertRegex(first, "^Caution: " + wanted.pattern, verb)
        self.assertRegex(run(WICK, "report", got.path, "--csv").stderr, wanted)
        self.assertRegex(run(WICK, "flame", got.path).stdout, wanted)
        self.assertRegex(got.json("report")["cautions"][0], wanted)
        # The file alone has it: the program is gone, and so are its cached names.
        os.remove(f"{self.folder}/unoptimised")
        copy = f"{self.folder}/copy.wick"
        run(WICK, "convert", got.path, "-o", copy)
        self.assertRegex(Recorded(copy, None).json("report")["cautions"][0], wanted)

    def test_optimised_code_is_no_news(self):
        for level in ("-O2", "-Og"):
            got = self.build_of("optimised" + level, "gcc", level, "-g")
            self.assertEqual(got.json("report")["cautions"], [], level)
            self.assertNotIn("caution", got.result.stderr)
        stripped = self.build_of("without-debug", "gcc", "-O0")
        self.assertEqual(stripped.json("report")["cautions"], [], "nothing is proven")

    @unittest.skipUnless(shutil.which("clang"), "clang is not installed")
    def test_clang_is_known_by_its_variables(self):
        got = self.build_of("by-clang", "clang", "-O0", "-g")
        self.assertRegex(got.json("report")["cautions"][0], r"by-clang: clang [0-9.]+, variables in memory")
        for level in ("-O1", "-O2"):
            got = self.build_of("by-clang" + level, "clang", level, "-g")
            self.assertEqual(got.json("report")["cautions"], [], level)

    def test_a_debug_python_is_named(self):
        """No Python here is one, so a program plays it: it has the name and the function by which one is known."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        (folder / "python.c").write_text("""
            void _Py_NegativeRefcount(void) {}
            int main() { volatile unsigned x = 0; for (int i = 0; i < 300000000; i++) ++x; return 0; }""")
        subprocess.run(["gcc", "-O1", "-o", "python3.11d", "python.c"], cwd=folder, check=True)
        run(WICK, "record", "-q", "-o", "a.wick", "--", "./python3.11d", cwd=folder)
        cautions = Recorded(folder / "a.wick", None).json("report")["cautions"]
        self.assertRegex(cautions[0], r"a debug build of the interpreter \(python3.11d: CPython, Py_DEBUG\)")

    def test_files_without_build_id_at_one_path_are_two(self):
        """The program is replaced by another while it is recorded."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for name in ("older", "newer"):
            source = f"{name}.c"
            (folder / source).write_text(f"""
                __attribute__((noipa)) void {name}(volatile unsigned* x) {{ for (int i = 0; i < 300000000; i++) ++*x; }}
                int main() {{ unsigned x = 0; {name}(&x); return 0; }}""")
            subprocess.run(["cc", "-O1", "-Wl,--build-id=none", "-o", name, source], cwd=folder, check=True)
        path = folder / "two.wick"
        done = run(WICK, "record", "-o", path, "--", "sh", "-c", "mv older x; ./x; mv newer x; ./x", cwd=folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {row["name"]: row for row in Recorded(path, done).rows("report")}
        self.assertNotEqual(rows["older"]["module"], rows["newer"]["module"])
        for name in ("older", "newer"):
            self.assertGreater(rows[name]["self_share"], 0.2, name)

    @unittest.skipUnless(may_set_paranoid(), "needs root, to set kernel.perf_event_paranoid")
    def test_processes_of_others_are_reported(self):
        """At 0 and below, everybody may have one event for each CPU, and so record the processes of others."""
        target = subprocess.Popen([self.program, "split", "20"], stdout=subprocess.DEVNULL)
        try:
            with paranoid(2):
                done = run(self.wick_for_all(), "record", "-p", target.pid, "--duration", "0.2", "-o",
                           self.folder + "/others.wick", user="nobody", group="nogroup", extra_groups=[])
        finally:
            target.kill()
            target.wait()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"Process {target.pid} belongs to another user", done.stderr)

    def test_several_events(self):
        got = self.record("split", 0.5, flags=["-e", "cpu-clock,page-faults,context-switches"])
        facts = got.facts()
        self.assertIn("event cpu-clock", facts)
        self.assertIn("event page-faults", facts)

    def test_tracepoint(self):
        got = self.record("fork_storm", 20, flags=["-e", "sched:sched_process_fork"])
        if "tracefs" in got.result.stderr:
            self.skipTest("tracefs cannot be read here")
        self.assertEqual(got.samples(), 20)

    @unittest.skipUnless(TRUTH and TRUTH.exists(), "the workload truth is not built (make workloads)")
    def test_truth(self):
        path = self.folder + "/truth.wick"
        expected = self.folder + "/truth.json"
        with open(expected, "w") as out:
            subprocess.run([WICK, "record", "-q", "-o", path, "--", TRUTH, "--seconds", "5"], stdout=out, check=True,
                           timeout=120)
        script = self.folder + "/truth.perf.txt"
        run(WICK, "convert", path, "--to", "perf-script", "-o", script)
        checker = HERE.parent.parent / "workloads/truth/check_against_perf.py"
        verdict = run(sys.executable, checker, expected, script)
        # The rest is start-up and interrupts, which other tests on this machine increase.
        far = [line for line in verdict.stdout.splitlines() if "FAR OUT" in line and "(elsewhere)" not in line]
        self.assertEqual(far, [], verdict.stdout[-3000:])
        self.assertIn("path 100%", verdict.stdout)

    # ---- What the program says ----

    STEPS = "for step in 1 2 3; do echo step $step of 3 >&2; {0} split 0.3; done; echo all done; exec {0} split {1}"

    def watch(self, *flags, seconds=0):
        path = f"{self.folder}/{self.id().rsplit('.', 1)[-1]}.wick"
        script = self.STEPS.format(self.program, seconds)
        return Recorded(path, run(WICK, "record", "-q", "-o", path, *flags, "--", "sh", "-c", script))

    def test_marks_of_output(self):
        got = self.watch("--marker", "step ([0-9]+)")
        self.assertEqual(got.result.returncode, 0, got.result.stderr)
        self.assertEqual(got.result.stderr, "step 1 of 3\nstep 2 of 3\nstep 3 of 3\n")
        self.assertEqual(len(got.result.stdout.splitlines()), 5)
        marks = answers.rows(got.json("info"), "marks")
        self.assertEqual([(mark["mark"], mark["value"]) for mark in marks],
                         [("step 1", "1"), ("step 2", "2"), ("step 3", "3")])
        for before, after in zip(marks, marks[1:]):
            self.assertGreater(float(after["seconds"]) - float(before["seconds"]), 0.25)
        between = got.json("report", "--time", "@2..@step 3")["total"] / 1e9
        self.assertGreater(between, 0.2)
        self.assertLess(between, 0.6 * got.seconds())

    def test_marks_with_the_clock_of_the_program(self):
        got = self.watch("--marker", "step ([0-9]+)")  # numbers, to compare with
        path = self.folder + "/clock.wick"
        script = self.STEPS.replace("step $step of 3", "[00:00:2$step.500,000] step").format(self.program, 0)
        timed = Recorded(path, run(WICK, "record", "-q", "-o", path, "--marker", r"\[(.*)\] step", "--", "sh", "-c", script))
        self.assertEqual(timed.result.returncode, 0, timed.result.stderr)
        marks = answers.rows(timed.json("info"), "marks")
        self.assertEqual([mark["value"] for mark in marks], ["21.5", "22.5", "23.5"])
        between = timed.json("report", "--time", "@00:00:22..@00:00:23.000,000")["total"] / 1e9
        self.assertAlmostEqual(between, got.json("report", "--time", "@2..@3")["total"] / 1e9, delta=0.25)

    def test_marks_without_a_value_are_said(self):
        path = self.folder + "/unread.wick"
        script = 'for text in "Nov 19 04:21:37" "10:00:21 PM" "21,5" "phase two"; do echo "[$text] step"; done'
        got = Recorded(path, run(WICK, "record", "-q", "-o", path, "--marker", r"\[(.*)\] step", "--", "sh", "-c", script))
        self.assertEqual(got.result.returncode, 0, got.result.stderr)
        marks = answers.rows(got.json("info"), "marks")
        self.assertEqual([mark["value"] for mark in marks[1:3]], ["79221", "21.5"])
        self.assertGreater(float(marks[0]["value"]), 300 * 86400)
        self.assertFalse(marks[3]["value"])
        self.assertRegex(run(WICK, "info", path).stdout, r"1 mark, no value on the second clock: .*\(phase two\)")

    def test_stop_on_output(self):
        begin = time.monotonic()
        got = self.watch("--stop-on", "^all d[eo]ne$", seconds=30)
        self.assertLess(time.monotonic() - begin, 15)
        self.assertEqual(got.result.returncode, 0, got.result.stderr)
        self.assertGreater(got.seconds(), 0.8)

    def test_patterns_that_match_no_output_are_said(self):
        done = run(WICK, "record", "-o", self.folder + "/unmatched.wick", "--marker", "zz+", "--stop-on", "^over$", "--",
                   "sh", "-c", "echo hello")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("wick: --marker zz+ matches no line of the output: the recording has no marks.", done.stderr)
        self.assertIn("wick: --stop-on ^over$ matches no line of the output: the program ended by itself.", done.stderr)

    def test_terminal_stays_one(self):
        shown, inner = pty.openpty()
        size = b"\x1b\0\x4d\0\0\0\0\0"  # 27 rows, 77 columns
        fcntl.ioctl(inner, termios.TIOCSWINSZ, size)
        done = subprocess.run([WICK, "record", "-q", "-o", self.folder + "/tty.wick", "--marker", "x", "--", "sh", "-c",
                               "test -t 1 && test ! -t 2 && stty size <&1; printf 'a\\r\\nb'"], stdout=inner,
                              stderr=subprocess.PIPE, timeout=60, check=False)
        os.close(inner)
        self.assertEqual(done.returncode, 0, done.stderr)
        # The real terminal turns \n into \r\n, and nothing else does.
        self.assertEqual(os.read(shown, 1000), b"27 77\r\na\r\r\nb")
        os.close(shown)

    # ---- Targets ----

    def test_attach_by_name_and_pid(self):
        name = pathlib.Path(self.folder, f"named{os.getpid()}")
        shutil.copy(self.program, name)
        target = subprocess.Popen([name, "threads", "50", "6"], stdout=subprocess.DEVNULL)
        try:
            time.sleep(0.5)
            for who in (str(target.pid), name.name):
                path = self.folder + "/attach.wick"
                done = run(WICK, "record", "-p", who, "--duration", "1", "-o", path)
                self.assertEqual(done.returncode, 0, done.stderr)
                got = Recorded(path, done)
                self.assertGreater(got.samples(), 100)
                self.assertGreaterEqual(got.complete(), 0.995)
        finally:
            target.kill()
            target.wait()

    def test_server_and_client_in_one_file(self):
        server = subprocess.Popen([self.program, "threads", "1", "20"], stdout=subprocess.DEVNULL)
        try:
            time.sleep(0.3)
            got = self.record("split", 1, flags=["-p", str(server.pid)])
            self.assertEqual(got.facts()["processes"], "2")
        finally:
            server.kill()
            server.wait()

    def test_whole_machine(self):
        path = self.folder + "/all.wick"
        done = run(WICK, "record", "-a", "--duration", "0.5", "-o", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(Recorded(path, done).samples(), 0)

    def test_threads_that_start_while_each_gets_its_event(self):
        """They inherit an event, and get their own: only one may count."""
        path = self.folder + "/born.wick"
        target = subprocess.Popen([self.program, "born", "300", "2"], stdout=subprocess.PIPE, text=True)
        done = run(WICK, "record", "--per-thread", "-p", str(target.pid), "-o", path)
        cpu = float(target.communicate()[0].split()[-1])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(Recorded(path, done).seconds(), 1.05 * cpu)

    def test_server_and_client_by_thread(self):
        server = subprocess.Popen([self.program, "threads", "1", "20"], stdout=subprocess.DEVNULL)
        path = self.folder + "/both_by_thread.wick"
        try:
            time.sleep(0.3)
            run(WICK, "record", "--per-thread", "-p", str(server.pid), "-o", path, "--", self.program, "split", "0.5")
        finally:
            server.kill()
            server.wait()
        got = Recorded(path, None)
        for function in ("spin_until_stop", "seventy"):
            self.assertIsNotNone(got.total_of(function), function)

    def test_attached_target_ends(self):
        target = subprocess.Popen([self.program, "split", "1"], stdout=subprocess.DEVNULL)
        path = self.folder + "/ends.wick"
        recorder = subprocess.Popen([WICK, "record", "-q", "-p", str(target.pid), "-o", path])
        target.wait()
        self.assertEqual(recorder.wait(timeout=20), 0)
        self.assertGreater(Recorded(path, None).samples(), 100)

    def test_without_privilege(self):
        if os.geteuid() != 0:
            self.skipTest("needs root, to give it up")
        path = self.folder + "/user.wick"
        done = run(self.wick_for_all(), "record", "-o", path, "--", self.program, "threads", "200", "2",
                   cwd=self.folder, user="nobody", group="nogroup", extra_groups=[])
        if "does not allow you" in done.stderr:
            self.skipTest("users may not record here")
        got = Recorded(path, done)
        cpu = float(done.stdout.split()[-1])
        frequency = 997
        self.assertAlmostEqual(got.seconds() + got.lost() / frequency, cpu, delta=0.05 * cpu)

    # ---- Ends ----

    def start(self, *words, name="ended"):
        path = f"{self.folder}/{name}.wick"
        child = subprocess.Popen([WICK, "record", "-o", path, "--", self.program, *map(str, words)],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                 # A test in the background of a script inherits that this signal is ignored.
                                 preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        return child, path

    def test_signals_are_passed_on(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            child, path = self.start("split", 30)
            wait_until_busy(child.pid)
            child.send_signal(number)
            _, stderr = child.communicate(timeout=20)
            self.assertEqual(child.returncode, 128 + number, stderr)
            self.assertGreater(Recorded(path, None).samples(), 100)

    def test_nohup(self):
        path = self.folder + "/nohup.wick"
        child = subprocess.Popen(["nohup", WICK, "record", "-q", "-o", path, "--", self.program, "split", "1"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.5)
        child.send_signal(signal.SIGHUP)
        self.assertEqual(child.wait(timeout=60), 0)
        self.assertGreater(Recorded(path, None).seconds(), 0.9)

    def test_a_terminal_that_vanishes_ends_the_program(self):
        """wick leads the session, as below a terminal emulator: the kernel sends SIGHUP to wick alone."""
        for verb in ("record", "run"):
            path = f"{self.folder}/vanished_{verb}.wick"
            pid, terminal = pty.fork()
            if pid == 0:
                signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup lets the tests ignore it
                os.execv(WICK, [WICK, verb, "-o", path, "--", self.program, "split", "60"])
            time.sleep(1)
            os.close(terminal)
            began = time.monotonic()
            _, status = os.waitpid(pid, 0)
            self.assertLess(time.monotonic() - began, 20)
            self.assertEqual(os.waitstatus_to_exitcode(status), 128 + signal.SIGHUP, verb)
            self.assertGreater(Recorded(path, None).samples(), 100)
        self.assertIn("</html>", pathlib.Path(path).with_suffix(".html").read_text())

    def test_files_of_a_recording_are_private(self):
        """They hold stack bytes of other programs, whatever the umask and an older file say."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        for name in ("x.wick", "perf.data"):
            (folder / name).write_text("older")
            (folder / name).chmod(0o644)
        done = run("sh", "-c", f"umask 0; cd {folder} && exec {WICK} record -o x.wick --raw -- {self.program} split 0.3")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("x.wick", "perf.data"):
            self.assertEqual((folder / name).stat().st_mode & 0o777, 0o600, name)
        done = run("sh", "-c", f"umask 0; cd {folder} && exec {WICK} run --svg -o z.wick -- {self.program} split 0.3")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("z.wick", "z.html", "flamegraph.svg"):
            self.assertEqual((folder / name).stat().st_mode & 0o777, 0o600, name)
        child = subprocess.Popen([WICK, "record", "-q", "-o", folder / "y.wick", "--", self.program, "split", "30"])
        for _ in range(200):
            if (folder / "y.wick").exists():
                break
            time.sleep(0.05)
        self.assertEqual((folder / "y.wick").stat().st_mode & 0o777, 0o600, "while it grows")
        child.send_signal(signal.SIGTERM)
        child.wait(timeout=20)

    def test_too_few_descriptors_are_a_sentence(self):
        path = self.folder + "/few.wick"
        for most in range(4, 40):
            done = run("sh", "-c", f"ulimit -n {most}; exec setpriv --bounding-set=-sys_resource {WICK} record -o {path} --marker x "
                                   f"-- {self.program} split 0.05")
            self.assertIn(done.returncode, (0, 125, 127), f"ulimit -n {most}: {done.stderr}")
            self.assertNotIn("CHECK", done.stderr)
            if done.returncode != 0:
                self.assertRegex(done.stderr, r"wick: .*\.\n", f"ulimit -n {most}")

    def test_too_few_descriptors_do_not_look_like_a_missing_process(self):
        for verb in ("record", "stat"):
            output = ["-o", self.folder + "/few.wick"] if verb == "record" else []
            said = []
            for most in range(4, 12):
                words = " ".join([verb, "-p", str(os.getpid()), "--duration", "0.05", *output])
                said.append(run("sh", "-c", f"ulimit -n {most}; exec setpriv --bounding-set=-sys_resource {WICK} {words}").stderr)
            self.assertTrue(any("ulimit -n" in text for text in said), said)
            self.assertFalse([text for text in said if "no process" in text or "have ended" in text])

    def test_too_few_descriptors_leave_no_program_that_waits_to_begin(self):
        """`run` ends its program with itself; here it must end one that it has not released."""
        path = self.folder + "/few-run.wick"
        for most in range(10, 26):
            done = run("sh", "-c", f"ulimit -n {most}; exec setpriv --bounding-set=-sys_resource "
                                   f"timeout -s KILL 20 {WICK} run -o {path} -- {self.program} split 0.05")
            self.assertIn(done.returncode, (0, 125), f"ulimit -n {most}: {done.stderr}")

    def test_a_file_size_limit_is_a_full_disk(self):
        path = self.folder + "/limited.wick"
        done = run("bash", "-c", f"ulimit -f 4; exec {WICK} record -F 4999 -o {path} -- "
                                 f"sh -c '{self.program} threads 20 1.5; echo it went on'")
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertIn("ulimit -f", done.stderr)
        self.assertIn("it went on", done.stdout)
        done = run("bash", "-c", f"ulimit -f 1; exec {WICK} record -q -o {path} -- sh -c 'yes >{path}.much'")
        self.assertIn("File size limit exceeded", done.stderr, "the program still gets the signal")

    def stop_at_pipe(self, flags, command, reader, number=signal.SIGINT):
        """Records to a pipe that no process reads, or that is opened but not read; one signal must be enough."""
        pipe = tempfile.mktemp(dir=self.folder)
        os.mkfifo(pipe)
        opened = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK) if reader else -1
        child = subprocess.Popen([WICK, "record", *[flag.format(pipe) for flag in flags], *command],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(1.5)
        began = time.monotonic()
        child.send_signal(number)
        _, said = child.communicate(timeout=30)
        self.assertLess(time.monotonic() - began, 10)
        if opened >= 0:
            os.close(opened)
        return child.returncode, said

    def test_ctrl_c_ends_every_verb_in_the_background_of_a_script(self):
        """A script's & makes its programs ignore SIGINT; the pipe of -o has no reader."""
        path = self.folder + "/background.wick"
        self.assertEqual(run(WICK, "record", "-q", "-o", path, "--", self.program, "split", "0.2").returncode, 0)
        pipe = tempfile.mktemp(dir=self.folder)
        os.mkfifo(pipe)
        for words in (["report", path], ["convert", path, "--to", "folded"], ["view", path], ["stat", "--", "true"],
                      ["stat", "-r", "2", "--", "true"]):
            child = subprocess.Popen([WICK, words[0], "-o", pipe, *words[1:]], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
            time.sleep(2)
            child.send_signal(signal.SIGINT)
            child.communicate(timeout=20)
            self.assertIn(child.returncode, (-signal.SIGINT, 130), words)

    def test_a_pipe_without_a_reader_does_not_block_beyond_ctrl_c(self):
        attach = ["-p", str(os.getpid())]
        other = ["-o", self.folder + "/beside-pipe.wick"]
        status, said = self.stop_at_pipe(["-o", "{}"], attach, reader=False)
        self.assertEqual(status, 130, said)
        self.assertIn("Nothing was recorded", said)
        status, said = self.stop_at_pipe(["--raw={}", *other], attach, reader=False)
        self.assertEqual(status, 130, said)
        busy = ["-F", "4999", "--", self.program, "threads", "20", "30"]
        status, said = self.stop_at_pipe(["--raw={}", *other], busy, reader=True)
        self.assertIn(status, (125, 130), said)
        status, said = self.stop_at_pipe(["-o", "{}"], busy, reader=True)
        self.assertEqual(status, 130, said)

    def test_a_recording_ends_when_no_program_reads_its_pipe_any_more(self):
        """As when the connection of `ssh host wick record -a -o - | wick view -` is lost."""
        for target in (["-p", str(os.getpid())], ["--", "sleep", "3"]):
            reading, writing = os.pipe()
            child = subprocess.Popen([WICK, "record", "-o", "-", *target], stdout=writing, stderr=subprocess.PIPE, text=True)
            os.close(writing)
            os.close(reading)
            _, said = child.communicate(timeout=20)
            self.assertEqual(child.returncode, 1 if target[0] == "-p" else 125, said)
            self.assertIn("Broken pipe. Recording stopped", said)

    def test_a_program_whose_output_is_not_read_does_not_block_beyond_ctrl_c(self):
        reading, writing = os.pipe()
        child = subprocess.Popen([WICK, "record", "-q", "-o", self.folder + "/unread.wick", "--marker", "x", "--", "yes"],
                                 stdout=writing, stderr=subprocess.DEVNULL)
        os.close(writing)
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.wait(timeout=15), 130)
        os.close(reading)

    def test_ctrl_c_reaches_a_recorder_in_the_background_of_a_script(self):
        """A shell without job control lets programs after & ignore SIGINT."""
        for target in (f"-p {os.getpid()}", f"-- {self.program} split 60"):
            script = f"{WICK} record -o {self.folder}/background.wick {target} & sleep 1.5; kill -INT $!; wait $!"
            began = time.monotonic()
            done = run("sh", "-c", script)
            self.assertEqual(done.returncode, 130, done.stderr)
            self.assertLess(time.monotonic() - began, 20)

    def test_rates_that_cripple_the_program_are_named_first(self):
        path = self.folder + "/fast.wick"
        for flags in (["-F", "max"], ["-e", "cpu-clock", "-c", "1"]):
            done = run(WICK, "record", *flags, "-o", path, "--", "true")
            self.assertIn("may run many times slower", done.stderr.splitlines()[0], flags)
        done = run(WICK, "record", "-e", "page-faults", "-c", "1", "-o", path, "--", "true")
        self.assertNotIn("slower", done.stderr)

    def test_an_attached_process_that_ends_is_mentioned(self):
        first, second = (subprocess.Popen([self.program, "split", seconds]) for seconds in ("1", "1.8"))
        done = run(WICK, "record", "-o", self.folder + "/died.wick", "-p", f"{first.pid},{second.pid}")
        first.wait()
        second.wait()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, rf"process {first.pid} ended \d\.\d s after the recording began")
        self.assertRegex(done.stderr, rf"process {second.pid} ended \d\.\d s after the recording began")

    def test_no_samples_have_no_share(self):
        done = run(WICK, "record", "-o", self.folder + "/empty.wick", "-e", "cpu-clock", "-c", "1000000000000", "--", "true")
        self.assertIn("0 samples in", done.stderr)
        self.assertNotIn("complete", done.stderr)

    def shown_on_a_terminal(self, *words):
        """Runs it in a terminal of 80 columns; all that it writes there."""
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(WICK, [WICK, *map(str, words)])
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, b"\x18\0\x50\0\0\0\0\0")
        text = b""
        while True:
            try:
                part = os.read(terminal, 65536)
            except OSError:
                break
            if not part:
                break
            text += part
        os.waitpid(pid, 0)
        return text.decode(errors="replace")

    def lines_on_a_terminal(self, *words):
        """What a person sees, line by line."""
        lines, column = [""], 0
        for char in self.shown_on_a_terminal(*words).replace("\x1b[K", "\0"):
            if char == "\n" or (column >= 80 and char not in "\r\0"):
                lines.append("")
                column = 0
            if char == "\r":
                column = 0
            elif char == "\0":
                lines[-1] = lines[-1][:column]
            elif char != "\n":
                lines[-1] = lines[-1][:column] + char + lines[-1][column + 1:]
                column += 1
        return [line.rstrip() for line in lines]

    def test_output_of_the_program_never_shares_a_line_with_the_status(self):
        script = f"{self.program} split 1.2; printf one; {self.program} split 1.2; printf two"
        lines = self.lines_on_a_terminal("record", "-o", self.folder + "/terminal.wick", "--", "sh", "-c", script)
        self.assertIn("two", lines)
        self.assertEqual([line[:6] for line in lines if "wick" in line and "samples" in line], ["wick: "], lines)

    def test_the_status_fits_a_terminal(self):
        target = subprocess.Popen([self.program, "threads", "50", "6"], stdout=subprocess.DEVNULL)
        try:
            text = self.shown_on_a_terminal("record", "-p", target.pid, "--duration", "2.5", "-o", self.folder + "/status.wick")
            self.assertRegex(text, r"2 s, [\d,]+ samples, [\d,]+/s, \d+ lost, [\d.]+ % complete, [\d,]+ KB, wick [\d.]+ % CPU")
        finally:
            target.kill()
            target.wait()

    def left_by(self, *words, until):
        """Kills wick -9 when `until` holds; returns whether the programs of `until` have ended."""
        child = subprocess.Popen([WICK, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 cwd=self.folder)
        pids = []
        for _ in range(400):
            pids = until()
            if pids:
                break
            time.sleep(0.05)
        self.assertTrue(pids, "it never came so far")
        child.kill()
        child.wait()
        for _ in range(100):
            if not any(os.path.exists(f"/proc/{pid}") for pid in pids):
                return []
            time.sleep(0.05)
        return pids

    def test_kill_9_of_run_and_stat_ends_their_programs(self):
        mark = pathlib.Path(self.folder, "pids")
        script = f"sleep 77 & echo $! $$ >{mark}.part; mv {mark}.part {mark}; exec {self.program} split 30"

        def pids():
            return [int(pid) for pid in mark.read_text().split()] if mark.exists() else []

        for words in (["run"], ["stat"], ["stat", "-r", "3"], ["run", "--build", script],
                      ["record", "-o", "left.wick", "--overhead=2"]):
            mark.unlink(missing_ok=True)
            self.assertEqual(self.left_by(*words, "--", "sh", "-c", script, until=pids), [], words)
        mark.unlink(missing_ok=True)
        left = self.left_by("record", "-o", "left.wick", "--", "sh", "-c", script, until=pids)
        self.assertEqual(left, pids(), "what record launched still runs")
        for pid in left:
            os.kill(pid, signal.SIGKILL)

    def test_what_a_program_leaves_at_its_own_end_goes_on(self):
        for verb in ("run", "stat"):
            done = run(WICK, verb, "--", "sh", "-c", "sleep 5 >/dev/null 2>&1 & echo left $!", cwd=self.folder)
            pid = int(re.search(r"left (\d+)", done.stdout)[1])
            self.assertTrue(os.path.exists(f"/proc/{pid}"), verb)
            os.kill(pid, signal.SIGKILL)

    def test_ctrl_c_has_one_status(self):
        attach = ["-p", str(os.getpid())]
        for words in (["record", "-o", self.folder + "/c.wick", *attach], ["stat", *attach],
                      ["record", "-o", self.folder + "/c.wick", "--overhead=9", "--", self.program, "split", "9"],
                      ["stat", "-r", "9", "--", self.program, "split", "9"]):
            child = subprocess.Popen([WICK, *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            time.sleep(1.5)
            child.send_signal(signal.SIGINT)
            _, said = child.communicate(timeout=20)
            self.assertEqual(child.returncode, 130, f"{words}: {said}")
            if "-p" not in words:
                self.assertIn("Stopped by SIGINT after 0 of 9", said)

    @unittest.skipUnless(os.geteuid() == 0, "only root can own files of another user's home")
    def test_root_creates_nothing_in_the_home_of_another_user(self):
        home = tempfile.mkdtemp(dir=self.folder)
        os.chown(home, 1234, 1234)
        variables = {key: value for key, value in os.environ.items() if key != "XDG_CACHE_HOME"}
        for verb in (["record", "-o", self.folder + "/home.wick", "--", self.program, "split", "0.1"], ["doctor"]):
            run(WICK, *verb, env={**variables, "HOME": home})
            self.assertEqual(os.listdir(home), [], verb)

    def test_many_short_processes_need_little_memory(self):
        """The states of ended processes are dropped: a recording of a machine has no end."""
        churn = "import os, time\nend = time.time() + 8\nwhile time.time() < end:\n  for _ in range(20):\n" \
                "    os.posix_spawn('/bin/true', ['true'], {})\n  time.sleep(0.1)\n" \
                "  try:\n    while os.waitpid(-1, os.WNOHANG)[0]: pass\n  except ChildProcessError: pass\n"
        # Not -a: the files of whatever else runs on the machine would count, too.
        recorder = subprocess.Popen([WICK, "record", "-q", "-o", self.folder + "/churn.wick", "--", sys.executable,
                                     "-c", churn])
        sizes = []
        for _ in range(7):
            time.sleep(1)
            status = pathlib.Path(f"/proc/{recorder.pid}/status").read_text()
            sizes.append(int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024)
        self.assertEqual(recorder.wait(timeout=60), 0)
        self.assertLess(max(sizes), 120, sizes)
        self.assertLess(sizes[-1] - sizes[len(sizes) // 2], 12, sizes)

    def test_a_full_disk_of_raw_records_does_not_end_the_recording(self):
        small = tempfile.mkdtemp(dir=self.folder)
        path = self.folder + "/beside.wick"
        script = f"mount -t tmpfs -o size=64k none {small} && {WICK} record -o {path} --raw={small}/perf.data -- " \
                 f"{self.program} split 1.5"
        done = run("unshare", "-m", "sh", "-c", script)
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertIn("No more raw records are written; wick keeps recording.", done.stderr)
        self.assertGreater(Recorded(path, None).seconds(), 1.3)

    def test_the_profile_and_raw_records_need_two_files(self):
        path = self.folder + "/both.wick"
        done = run(WICK, "record", "-o", path, f"--raw={path}", "--", "true")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("choose two files", done.stderr)

    def test_a_program_that_ends_before_the_delay(self):
        got = self.record("split", 0.2, 3, flags=["--delay", "30"])
        self.assertEqual(got.result.returncode, 3, got.result.stderr)
        self.assertEqual(got.samples(), 0)
        self.assertIn("0 samples in 0.0 s", got.result.stderr)

    def test_delay_and_duration(self):
        got = self.record("split", 30, flags=["--delay", "0.5", "--duration", "1"])
        self.assertEqual(got.result.returncode, 0, got.result.stderr)
        self.assertLess(got.seconds(), 1.2)

    def test_cpus_that_are_not_there(self):
        for flag in ("--pin", "--cpu"):
            done = run(WICK, "record", flag, "999", "-o", self.folder + "/cpu.wick", "--", "true")
            self.assertEqual(done.returncode, 2)
            self.assertIn("this machine has no CPU 999", done.stderr)

    def test_pin_and_cpu(self):
        got = self.record("split", 0.5, flags=["--pin", "0", "--cpu", "0"])
        self.assertEqual([row["name"] for row in got.rows("report", "--by", "cpu")], ["0"])
        self.assertGreater(got.seconds(), 0.4)

    def test_killed_target(self):
        got = self.record("suicide", 0.5)
        self.assertEqual(got.result.returncode, 137)
        self.assertGreater(got.samples(), 300)

    def test_no_such_program(self):
        done = run(WICK, "record", "-o", self.folder + "/none.wick", "--", self.folder + "/none")
        self.assertEqual(done.returncode, 127)
        self.assertIn("cannot run", done.stderr)
        self.assertFalse(os.path.exists(self.folder + "/none.wick"))

    def test_killed_recorder_keeps_all_but_the_last_second(self):
        for least in (0.2, 0.2, 1.5):
            child, path = self.start("split", 30)
            alive = random.uniform(least, 3)
            time.sleep(alive)
            children = run("pgrep", "-P", str(child.pid)).stdout.split()
            child.kill()
            for pid in children:
                os.kill(int(pid), signal.SIGKILL)  # it holds our pipe open
            child.communicate()
            got = Recorded(path, None)
            if least > 1:
                span = float(got.facts().get("time range", "0 s").split()[0])
                self.assertGreater(span, alive - 1.6)
                self.assertIsNotNone(got.total_of("inner"), "named on reading")

    def test_run_reports_where_the_page_has_no_room(self):
        small = self.folder + "/no-room"
        os.mkdir(small)
        script = f"mount -t tmpfs -o size=24k none {small} && cd {small} && " \
                 f"{WICK} run -- {self.program} split 0.3; echo status $?; ls"
        done = run("unshare", "-m", "sh", "-c", script)
        self.assertIn("Self and total by function", done.stdout)
        self.assertIn("status 125", done.stdout)
        self.assertIn("profile.wick", done.stdout)
        self.assertNotIn("profile.html", done.stdout)
        self.assertIn("`wick view profile.wick -o FILE` writes the page elsewhere", done.stderr)

    def test_a_directory_that_cannot_be_written_has_a_remedy(self):
        done = run(WICK, "record", "-o", self.folder + "/nowhere/x.wick", "--", "true")
        self.assertEqual(done.returncode, 125)
        self.assertIn("choose another file", done.stderr)

    def test_disk_full(self):
        done = run(WICK, "record", "-o", "/dev/full", "--", self.program, "split", "2")
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertIn("Cannot write", done.stderr)

    def test_output_to_a_pipe(self):
        done = subprocess.run([WICK, "record", "-q", "-o", "-", "--", "sh", "-c", f"echo said; {self.program} split 0.5"],
                              capture_output=True)
        path = self.folder + "/piped.wick"
        pathlib.Path(path).write_bytes(done.stdout)
        self.assertGreater(Recorded(path, None).samples(), 300)
        self.assertIn(b"said", done.stderr, "the program's output does not mix with the profile")

    def test_a_small_disk_fills_up(self):
        """The recording ends with a message, the written part stays, and the program runs to its end."""
        small = tempfile.mkdtemp(dir=self.folder)
        script = f"mount -t tmpfs -o size=8k none {small} && {WICK} record -F max -o {small}/x.wick -- " \
                 f"sh -c '{self.program} threads 20 2; echo it went on'; status=$?; cat {small}/x.wick > {small}.copy; exit $status"
        done = run("unshare", "-m", "sh", "-c", script)
        self.assertEqual(done.returncode, 125, done.stderr)
        self.assertIn("it went on", done.stdout)
        self.assertIn("Recording stopped; the program keeps running.", done.stderr)
        self.assertRegex(done.stderr, r"x\.wick holds \d+ of [1-9]\d* samples")

    def test_what_cannot_be_run_leaves_everything_as_it_was(self):
        path = pathlib.Path(self.folder, "older.wick")
        path.write_text("older")
        device = self.folder + "/null"
        run("mknod", device, "c", "1", "3")
        for output in (str(path), device):
            self.assertEqual(run(WICK, "record", "-o", output, "--", self.folder + "/none").returncode, 127)
        self.assertEqual(path.read_text(), "older")
        self.assertTrue(os.path.exists(device))
        done = run(WICK, "record", "-o", path, "-e", "cpu-clock:G", "--", "true")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(path.read_text(), "older")

    def test_output_unwritable(self):
        done = run(WICK, "record", "-o", "/proc/none/x.wick", "--", self.program, "split", "2")
        self.assertEqual(done.returncode, 125)

    def test_older_file_is_renamed(self):
        folder = tempfile.mkdtemp(dir=self.folder)
        for _ in range(3):
            run(WICK, "record", "-q", "--", "true", cwd=folder)
        self.assertEqual(sorted(os.listdir(folder)), ["profile.1.wick", "profile.2.wick", "profile.wick"])

    # ---- Storms ----

    def test_5000_short_threads(self):
        got = self.record("short_threads", 5000)
        self.assertEqual(got.result.returncode, 0, got.result.stderr)
        self.assertGreater(got.seconds(), 0.8 * float(got.result.stdout.split()[-1]))
        self.assertIsNotNone(got.total_of("brief"))
        self.assertGreaterEqual(got.complete(), 0.99)

    def test_fork_storm(self):
        got = self.record("fork_storm", 2000)
        self.assertEqual(got.result.returncode, 0)
        cpu = float(got.result.stdout.split()[-1])
        self.assertGreater(got.seconds(), 0.8 * cpu)

    def test_exec_loop(self):
        got = self.record("exec_loop", 500)
        self.assertEqual(got.result.returncode, 0)
        self.assertIsNotNone(got.total_of("inner"))

    def test_exec_and_exit_have_no_user_stack(self):
        """Frame pointers: a program that is replaced or ends has no stack, which is not a defect."""
        got = self.record("exec_loop", 300, flags=["--call-graph", "fp"])
        reasons = got.json("quality")["sections"].get("reasons", [])
        self.assertGreater(got.samples(), 50)
        self.assertNotIn("no user stack was recorded", str(reasons))
        for name in ("exec_mmap", "exit_mmap"):
            if not got.total_of(name):
                continue
            figures = got.json("quality", "--focus", f"^{name}$")["figures"]
            self.assertEqual(figures["broken"], 0, name)

    def test_a_program_in_memory(self):
        """memfd_create and fexecve: a program like any other, not generated code."""
        source = pathlib.Path(self.folder) / "in_memory.c"
        source.write_text(IN_MEMORY)
        program = self.folder + "/in_memory"
        subprocess.run(["cc", "-O2", "-fomit-frame-pointer", "-o", program, source], check=True)
        for before in ((), ("setpriv", "--reuid", "65534", "--clear-groups")):
            path = tempfile.mktemp(dir=self.folder, suffix=".wick")
            wick = self.wick_for_all() if before else WICK
            done = run(*before, wick, "record", "-o", path, "--", program, cwd=self.folder)
            if before and done.returncode != 0:
                continue  # this machine does not let other users record
            got = Recorded(path, done)
            self.assertIsNotNone(got.total_of("outer_work"), (before, done.stderr))
            self.assertEqual(got.total_of("spin_in_memory")["module"], "memfd:copy (deleted)")
            self.assertGreater(got.complete("--focus", "spin_in_memory"), 0.98, done.stderr)

    def test_deleted_binary(self):
        copy = self.folder + "/gone"
        shutil.copy(self.program, copy)
        target = subprocess.Popen([copy, "split", "4"], stdout=subprocess.DEVNULL)
        try:
            time.sleep(0.3)
            os.unlink(copy)
            path = self.folder + "/gone.wick"
            run(WICK, "record", "-q", "-p", str(target.pid), "--duration", "1", "-o", path)
            got = Recorded(path, None)
            self.assertIsNotNone(got.total_of("inner"), "the binary is read through the process")
            self.assertGreaterEqual(got.complete(), 0.99)
        finally:
            target.kill()
            target.wait()

    def test_thousands_of_mappings(self):
        got = self.record("mappings", 30000)
        self.assertEqual(got.result.returncode, 0, got.result.stderr)
        self.assertGreaterEqual(got.complete(), 0.995)
        self.assertIsNotNone(got.total_of("seventy"))

    def test_process_numbers_are_used_again(self):
        """Two programs with the same process number, one after the other; different functions have the same address."""
        for name in ("first", "second"):
            subprocess.run(["cc", "-O2", "-g", "-no-pie", f"-Dseventy=in_{name}", "-pthread", "-o",
                            f"{self.folder}/{name}", HERE / "programs.c"], check=True)
        twice = "".join(f"echo 300 > /proc/sys/kernel/ns_last_pid; {self.folder}/{name} split 0.5; "
                        for name in ("first", "second"))
        path = self.folder + "/again.wick"
        done = run("unshare", "-pf", "--mount-proc", WICK, "record", "-o", path, "--", "sh", "-c", twice)
        self.assertEqual(done.returncode, 0, done.stderr)
        got = Recorded(path, None)
        self.assertIn("301", " ".join(row["name"] for row in got.rows("report", "--by", "process")))
        for name in ("first", "second"):
            row = got.total_of("in_" + name)
            self.assertIsNotNone(row, name)
            self.assertEqual(row["module"], name)
            self.assertAlmostEqual(row["total"] / 1e9, 0.35, delta=0.06)

    # ---- Other users, containers and roots ----

    def make_jail(self):
        """A folder that other processes use as their root, with wick and a target, both static, and nothing else."""
        jail = tempfile.mkdtemp(dir=self.folder)
        os.mkdir(jail + "/proc")
        shutil.copy(WICK, jail + "/wick")
        subprocess.run(["cc", "-static", "-O2", "-g", "-fomit-frame-pointer", "-pthread", "-o", jail + "/programs",
                        HERE / "programs.c"], check=True)
        return jail

    def check_in_jail(self, jail, *enter):
        done = run(*enter, "/wick", "record", "-o", "/x.wick", "--", "/programs", "split", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("seventy", run(*enter, "/wick", "report", "/x.wick").stdout)
        drawn = run(*enter, "/wick", "flame", "/x.wick", "-o", "/x.svg")
        self.assertEqual(drawn.returncode, 0, drawn.stderr)
        self.assertIn("seventy", pathlib.Path(jail, "x.svg").read_text())
        got = Recorded(jail + "/x.wick", None)
        self.assertAlmostEqual(got.seconds(), float(done.stdout.split()[-1]), delta=0.05)
        self.assertGreaterEqual(got.complete(), 0.995)

    def test_alone_in_a_chroot(self):
        jail = self.make_jail()
        self.check_in_jail(jail, "chroot", jail)

    def test_alone_in_a_chroot_without_privilege(self):
        jail = self.make_jail()
        os.chmod(jail, 0o777)
        self.check_in_jail(jail, "chroot", "--userspec=65534:65534", jail)

    def test_alone_in_a_container(self):
        """Its own namespaces and its own /proc, as in containers; then without privilege outside."""
        jail = self.make_jail()
        inside = f"mount -t proc proc {jail}/proc && exec chroot {jail} \"$@\""
        for privilege in ("-mpuif", "-rmpuif"):
            if (tried := run("unshare", privilege, "true")).returncode != 0:
                self.skipTest(f"`unshare {privilege}` is not allowed here, as in a chroot: {tried.stderr}")
            self.check_in_jail(jail, "unshare", privilege, "sh", "-c", inside, "sh")

    def test_target_in_other_namespaces(self):
        """Its binary is in a file system that only it sees, and its process numbers differ from ours."""
        hidden = tempfile.mkdtemp(dir=self.folder)
        name = f"inside{os.getpid()}"
        inside = f"mount -t tmpfs none {hidden} && cp {self.program} {hidden}/{name} && exec {hidden}/{name} split 20"
        target = subprocess.Popen(["unshare", "-mpf", "--mount-proc", "sh", "-c", inside], stdout=subprocess.DEVNULL)
        path = self.folder + "/inside.wick"
        try:
            for _ in range(100):
                time.sleep(0.1)
                if run("pgrep", "-x", name).stdout:
                    break
            done = run(WICK, "record", "-p", name, "--duration", "1", "-o", path)
            self.assertEqual(done.returncode, 0, done.stderr)
        finally:
            run("pkill", "-KILL", "-x", name)
            target.wait()
        got = Recorded(path, None)
        self.assertIsNotNone(got.total_of("seventy"), "the binary is read through the process")
        self.assertGreaterEqual(got.complete(), 0.99)

    # ---- With other programs ----

    @unittest.skipUnless(bpf_is_allowed(), "BPF is not allowed here")
    @unittest.skipUnless(shutil.which("bpftrace"), "bpftrace is not installed (package bpftrace)")
    def test_time_in_bpf_programs_of_others(self):
        other = subprocess.Popen(["bpftrace", "-e", "tracepoint:raw_syscalls:sys_enter { @[comm] = count(); }"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            time.sleep(4)
            if other.poll() is not None:
                self.skipTest("bpftrace cannot trace here: " + other.stderr.read())
            path = self.folder + "/bpf.wick"
            done = run(WICK, "record", "-o", path, "--", "bash", "-c",
                       "TIMEFORMAT='%U %S'; time dd if=/dev/zero of=/dev/null bs=1 count=1000000 status=none")
            spent = sum(float(word) for word in done.stderr.splitlines()[0].split())
            got = Recorded(path, done)
            self.assertGreater(got.seconds(), 0.9 * spent)
            self.assertTrue(any(row["name"].startswith("bpf_prog_") for row in got.rows("report")))
        finally:
            other.kill()  # bpftrace ignores SIGTERM while it is starting
            other.communicate()

    @unittest.skipUnless(shutil.which("perf"), "perf is not installed (package linux-perf)")
    def test_perf_may_record_at_the_same_time(self):
        mine = subprocess.Popen([WICK, "record", "-q", "-a", "--duration", "20", "-o", self.folder + "/beside.wick"])
        time.sleep(0.5)
        words = ["perf", "record", "-q", "-o", self.folder + "/beside.data", "--", "sh", "-c",
                 f"true; {self.program} split 0.1; true"]
        try:
            # Any other recording of build ids on this machine also kills perf: one of three must survive.
            ends = [done.returncode for done in (run(*words) for _ in range(3))]
            self.assertIn(0, ends)
        finally:
            mine.terminate()
            self.assertEqual(mine.wait(timeout=20), 128 + signal.SIGTERM)

    @unittest.skipUnless(shutil.which("perf"), "perf is not installed (package linux-perf)")
    def test_raw_for_perf(self):
        raw = self.folder + "/raw.data"
        got = self.record("split", 1, flags=["--raw=" + raw])
        self.assertEqual(got.result.returncode, 0, got.result.stderr)
        script = run("perf", "script", "-i", raw, "--no-inline", "-F", "comm,ip,sym")
        self.assertEqual(script.returncode, 0, script.stderr)
        stacks = [[line.split()[1] for line in text.splitlines()[1:]] for text in script.stdout.strip().split("\n\n")]
        self.assertEqual(len(stacks), got.samples())
        hot = [stack for stack in stacks if "inner" in stack]
        self.assertGreater(len(hot), 0.9 * len(stacks))
        whole = [stack for stack in hot if {"split", "main", "_start"} <= set(stack)]
        self.assertGreater(len(whole), 0.97 * len(hot))
        header = run("perf", "report", "-i", raw, "--header-only").stdout
        for line in ("hostname", "os release", "arch", "cmdline : wick record", "event : name = c"):
            self.assertIn(line, header)
        mine, again = (Recorded(path, None).total_of("seventy") for path in (got.path, raw))
        self.assertEqual((mine["total"], mine["self"]), (again["total"], again["self"]))
        listed = run("perf", "buildid-list", "-i", raw).stdout
        build_id = re.search(r"Build ID: (\w+)", run("readelf", "-n", self.program).stdout)[1]
        self.assertRegex(listed, rf"(?m)^{build_id} {self.program}$")

    def test_what_was_written_while_recording_keeps_its_meaning(self):
        """Names, inlined functions and the order of events are known at the end, seconds after the first rows.

        The copy is empty for a fault in a new page of the stack itself. While recording, wick reads the callers from
        the process. The raw copy does not have them, so callers are compared for the clock only."""
        raw = self.folder + "/meaning.data"
        got = self.record("split", 2.5, flags=["--raw=" + raw, "-e", "cpu-clock,page-faults"])
        for event in ("cpu-clock", "page-faults"):
            mine, again = (Recorded(path, None).json("report", "--event", event) for path in (got.path, raw))
            self.assertEqual(mine["samples"], again["samples"])
            with_callers = event == "cpu-clock"
            rows = [{row["name"]: (row["self"], row["total"] if with_callers else 0)
                     for row in answers.rows(report) if with_callers or row["self"] > 0} for report in (mine, again)]
            self.assertEqual(*rows)
            self.assertGreater(len(rows[0]), 2)

    def record_any(self, *command, flags=()):
        path = f"{self.folder}/{self.id().rsplit('.', 1)[-1]}.wick"
        return Recorded(path, run(WICK, "record", "-o", path, *flags, "--", *command, cwd=self.folder))

    @unittest.skipUnless(shutil.which("node"), "node is not installed (package nodejs)")
    def test_code_made_at_run_time(self):
        script = pathlib.Path(self.folder, "hot.js")
        script.write_text("function hot(a) { let s = 0; for (const x of a) s = (s * 31 + x) | 0; return s; }\n"
                          "const a = new Int32Array(10000), end = Date.now() + 700;\n"
                          "while (Date.now() < end) hot(a);\n")
        for flag in ("--perf-basic-prof", "--perf-prof"):
            # The compiler may otherwise put `hot` into the loop that calls it, which then has its samples.
            got = self.record_any("node", "--max-inlined-bytecode-size=0", flag, script)
            rows = [row["name"] for row in got.rows("report", "--sort", "self")[:2]]
            self.assertTrue(any(map(V8_NAME_OF_HOT.match, rows)), (flag, rows))

    def bare_stacks(self, *flags, record=()):
        """{leaf: {callers: samples}} of a program whose code has no unwind tables."""
        program = self.folder + "/bare"
        subprocess.run(["cc", "-O2", "-fno-asynchronous-unwind-tables", "-fno-unwind-tables", *flags, "-o", program,
                        HERE / "bare.c", HERE / "bare_leaves.S"], check=True)
        got = self.record_any(program, flags=record)
        folded = run(WICK, "convert", got.path, "--to", "folded", "--mode", "user").stdout
        stacks = {}
        for line in folded.splitlines():
            names, count = line.rsplit(" ", 1)
            callers, _, leaf = names.rpartition(";")
            if leaf.startswith("spin_"):
                stacks.setdefault(leaf, {})[callers] = int(count)
        return got, stacks

    def test_code_without_unwind_tables(self):
        if platform.machine() != "x86_64":
            self.skipTest("the code is that of x86-64")
        for flags in (["-fomit-frame-pointer"], ["-fno-omit-frame-pointer"], ["-static", "-fomit-frame-pointer"]):
            got, stacks = self.bare_stacks(*flags)
            self.assertEqual(len(stacks), 7, (flags, stacks))
            for leaf, found in stacks.items():
                caller = leaf.replace("spin_", "call_")
                wrong = {callers: n for callers, n in found.items()
                         if not callers.endswith(f";main;{caller}") or not callers.startswith("_start;")}
                self.assertEqual(wrong, {}, (flags, leaf))
            self.assertGreater(got.complete(), 0.99, flags)

    def test_frame_pointers_never_join_functions_that_did_not_call_one_another(self):
        """Hand-written leaves leave the frame pointer of main's callee, or use the register for something else."""
        if platform.machine() != "x86_64":
            self.skipTest("the code is that of x86-64")
        got, stacks = self.bare_stacks("-fno-omit-frame-pointer", record=["--call-graph", "fp"])
        self.assertEqual(len(stacks), 7, stacks)
        for leaf, found in stacks.items():
            caller = leaf.replace("spin_", "call_")
            wrong = {callers: n for callers, n in found.items()
                     if callers and callers.split(";")[-1] not in (caller, "[missing frames]")}
            self.assertEqual(wrong, {}, leaf)
        self.assertTrue(any("[missing frames]" in callers for found in stacks.values() for callers in found), stacks)
        self.assertLess(got.complete(), 0.5, "a stack with missing frames is not complete")

    def test_frame_pointers_of_outer_functions_are_not_taken_for_callers(self):
        """Calls through pointers name no target: only the code shows that it runs with the frame pointer of another."""
        program = self.folder + "/pointers"
        subprocess.run(["cc", "-O2", "-fno-omit-frame-pointer", "-o", program,
                        HERE / "pointers.c"], check=True)
        got = self.record_any(program, flags=["--call-graph", "fp"])
        folded = run(WICK, "convert", got.path, "--to", "folded", "--mode", "user").stdout
        stacks = [line.rpartition(" ")[0].split(";") for line in folded.splitlines()]
        callers = {"spin_leaf": "call_leaf", "spin_middle": "middle", "middle": "call_middle"}
        seen, wrong = set(), set()
        for stack in stacks:
            for outer, inner in zip(stack, stack[1:]):
                seen.add((outer, inner))
                if outer not in (callers.get(inner, outer), "[missing frames]"):
                    wrong.add((outer, inner))
        self.assertEqual(wrong, set())
        for pair in (("middle", "spin_middle"), ("[missing frames]", "spin_leaf"), ("[missing frames]", "middle")):
            self.assertIn(pair, seen)

    @unittest.skipUnless(TRUTH and TRUTH.exists(), "the workload truth is not built (make workloads)")
    def test_stubs_without_frame_pointers(self):
        """Python 3.12's stubs: the unwinder reads their code from the process."""
        toy = TRUTH.resolve().parents[1] / "toy_jit" / "toy_jit_nofp"
        got = self.record_any(toy, "--seconds", "1", "--stub", "plain")
        self.assertGreater(got.complete("--process", "toy_jit_nofp"), 0.98, got.result.stderr)
        rows = [row["name"] for row in got.rows("report", "--sort", "total")[:12]]
        self.assertTrue(any("<module>" in name for name in rows), rows)

    def test_code_whose_map_is_removed(self):
        program = self.folder + "/generated"
        subprocess.run(["cc", "-o", program, HERE / "generated.c"], check=True)
        got = self.record_any(program, "removes its map")
        rows = [row["name"] for row in got.rows("report", "--sort", "self")[:1]]
        self.assertEqual(rows, ["made here"], got.result.stderr)

    @unittest.skipUnless(shutil.which("unshare") and os.geteuid() == 0, "needs unshare and root")
    def test_code_made_in_a_container(self):
        """The map is in a /tmp that only the process sees, under a number that only it has."""
        program = "/run/wick-test-generated"  # the folder may be hidden by the new /tmp
        subprocess.run(["cc", "-o", program, HERE / "generated.c"], check=True)
        try:
            got = self.record_any("unshare", "--mount", "--pid", "--fork",
                                  "sh", "-c", f"mount -t tmpfs none /tmp && exec {program}")
        finally:
            os.unlink(program)
        rows = [row["name"] for row in got.rows("report", "--sort", "self")[:1]]
        self.assertEqual(rows, ["made here"], got.result.stderr)

    def test_overhead(self):
        path = self.folder + "/overhead.wick"
        done = run(WICK, "record", "--overhead=2", "-o", path, "--", self.program, "split", "0.2")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertRegex(lines[-2], r"^time +\d[\d.]+ m?s +\d[\d.]+ m?s +[+-][\d.]+ %  \(95 %: [+-][\d.]+ to [+-][\d.]+ %")
        self.assertRegex(lines[-1], r"^CPU time +2\d\d\.\d ms +\d+\.\d ms ")
        self.assertGreater(Recorded(path, None).samples(), 80)

    def test_overhead_of_microseconds(self):
        """The two times have enough digits for the change beside them."""
        done = run(WICK, "record", "--overhead=3", "-o", self.folder + "/short.wick", "--", "true")
        self.assertEqual(done.returncode, 0, done.stderr)
        for line in done.stdout.splitlines()[-2:]:
            row = re.match(r"^(?:CPU )?time +([\d.]+) (us|ms) +([\d.]+) \2 +([+-][\d.]+) %", line)
            self.assertTrue(row, line)
            change = 100 * (float(row[3]) / float(row[1]) - 1)
            self.assertAlmostEqual(float(row[4]), change, delta=0.1 + abs(change) / 100, msg=line)

    def test_overhead_names_a_program_without_optimisation_first(self):
        source = pathlib.Path(self.folder) / "plain.c"
        source.write_text("int main(void) { return 0; }\n")
        for level in ("0", "2"):
            program = f"{self.folder}/plain{level}"
            subprocess.run(["gcc", "-g", f"-O{level}", "-o", program, source], check=True)
            done = subprocess.run([WICK, "record", "--overhead=1", "-o", self.folder + "/plain.wick", "--", program],
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertEqual("is code built without optimisation" in done.stdout, level == "0", done.stdout)

    def test_overhead_that_is_stopped_reports_the_pairs_so_far(self):
        path = self.folder + "/stopped.wick"
        running = subprocess.Popen([WICK, "record", "--overhead=999", "-o", path, "--", "sleep", "0.05"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(4)
        running.send_signal(signal.SIGTERM)
        output, errors = running.communicate(timeout=20)
        self.assertEqual(running.returncode, 128 + signal.SIGTERM, errors)
        pairs = int(output.split()[0])
        self.assertGreater(pairs, 0)
        self.assertIn(f"Stopped by SIGTERM after {pairs} of 999 pairs", errors)

    def test_cargo_wick(self):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        (folder / "cargo-wick").symlink_to(WICK)
        built = {"reason": "compiler-artifact", "target": {"name": "x", "kind": ["bin"]}, "executable": self.program}
        library = {"reason": "compiler-artifact", "target": {"executable": "no"}, "executable": None}
        (folder / "cargo").write_text(f"#!/bin/sh\necho \"$@\" >'{folder}/said'\n"
                                      f"echo '{json.dumps(library)}'\necho '{json.dumps(built)}'\n"
                                      "echo '{\"reason\":\"build-finished\",\"success\":true}'\n")
        (folder / "cargo").chmod(0o755)
        environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
        environment.pop("CARGO", None)
        done = run(folder / "cargo-wick", "wick", "--bin", "x", "--frequency", "499", "--", "split", "0.3", "5",
                   cwd=folder, env=environment)
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("inner", done.stdout)
        self.assertEqual((folder / "said").read_text().split(),
                         ["build", "--message-format=json-render-diagnostics", "--release", "--bin", "x"])
        self.assertLess(Recorded(folder / "profile.wick", None).samples(), 200)
        (folder / "cargo").write_text("#!/bin/sh\nexit 101\n")
        self.assertEqual(run(folder / "cargo-wick", "wick", cwd=folder, env=environment).returncode, 101)
        # A script's & makes it ignore SIGINT. The build has its own pid, so wick must pass the signal on.
        (folder / "cargo").write_text(f"#!/bin/sh\necho $$ >'{folder}/building'\nexec sleep 60\n")
        for number in (signal.SIGINT, signal.SIGTERM):
            (folder / "building").unlink(missing_ok=True)
            child = subprocess.Popen([folder / "cargo-wick", "wick"], cwd=folder, env=environment, stderr=subprocess.PIPE, text=True,
                                     preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
            while not (folder / "building").exists() or not (folder / "building").read_text().strip():
                time.sleep(0.05)
            child.send_signal(number)
            _, stderr = child.communicate(timeout=20)
            self.assertEqual(child.returncode, 128 + number, stderr)
            self.assertIn("the build was stopped, so nothing was recorded", stderr)
            self.assertFalse(pathlib.Path("/proc", (folder / "building").read_text().strip()).exists(), "the build has ended")

    def test_doctor_distinguishes_filters_from_containers(self):
        done = run(WICK, "doctor", "--json")
        rows = {row["what"]: row for row in answers.rows(answers.parse(done.stdout))}
        status = pathlib.Path("/proc/self/status").read_text()
        self.assertEqual("filters system calls" in rows["seccomp"]["state"], "Seccomp:\t2" in status)
        if shutil.which("unshare") and os.geteuid() == 0:
            inside = run("unshare", "-fp", "--mount-proc", WICK, "doctor", "--json")
            rows = {row["what"]: row for row in answers.rows(answers.parse(inside.stdout))}
            self.assertIn("detected, and", rows["container"]["state"])

    @unittest.skipUnless(may_set_paranoid(), "needs root, to set kernel.perf_event_paranoid")
    def test_what_doctor_promises_is_what_record_does(self):
        mount_tracefs()
        wick = self.wick_for_all()
        for value in (-1, 0, 1, 2, 3):
            for user in ("root", "nobody"):
                with self.subTest(paranoid=value, user=user), paranoid(value):
                    self.compare_doctor_with_record(wick, user)

    def compare_doctor_with_record(self, wick, user):
        def as_user(*words, name=user):
            identity = {} if name == "root" else {"user": name, "group": "nogroup", "extra_groups": []}
            return run(*words, cwd=self.folder, env={**os.environ, "WICK_CACHE": "off"}, **identity)

        def record(*flags):
            path = f"{self.folder}/doctor-{user}.wick"
            pathlib.Path(path).unlink(missing_ok=True)
            done = as_user(wick, "record", "-o", path, *flags)
            # Only the owner can read a recording; wick itself says who that is.
            return done, Recorded(path, done) if done.returncode == 0 else None

        rows = {row["what"]: row for row in answers.rows(answers.parse(as_user(wick, "doctor", "--json").stdout))}
        allows = {what: row["verdict"] == "ok" for what, row in rows.items()}

        done, own = record("--", self.program, "split", "0.2")
        self.assertEqual(allows["your own programs"], own is not None, done.stderr)
        done, kernel = record("--", "dd", "if=/dev/urandom", "of=/dev/null", "bs=1M", "count=20", "status=none")
        modes = {row["name"] for row in kernel.rows("report", "--by", "mode")} if kernel else set()
        self.assertEqual(allows["kernel time"], "kernel" in modes, done.stderr)
        done, everything = record("-a", "--duration", "0.1")
        self.assertEqual(allows["one event per CPU"], everything is not None, done.stderr)
        done, tracepoint = record("-e", "sched:sched_process_exec", "--", "true")
        self.assertEqual(allows["tracepoints"], tracepoint is not None, done.stderr)

        identity = {"user": "nobody", "group": "nogroup", "extra_groups": []} if user == "root" else {}
        target = subprocess.Popen([self.program, "split", "20"], stdout=subprocess.DEVNULL, **identity)
        try:
            time.sleep(0.1)
            done, other = record("-p", target.pid, "--duration", "0.2")
            counted = as_user(wick, "stat", "-p", target.pid, "--duration", "0.1")
        finally:
            target.kill()
            target.wait()
        state = rows["other users' processes"]["state"]
        self.assertEqual(state.startswith("wick can attach to them"), other is not None, state + done.stderr)
        if other:
            self.assertEqual("no names" in state, other.complete() < 0.5, state)
            self.assertEqual("no names" in state, "of other users" in done.stderr, done.stderr)
        if counted.returncode != 0:
            self.assertIn(f"process {target.pid} belongs to another user", counted.stderr)

    def test_run_prints_and_draws(self):
        done = run(WICK, "run", "-o", self.folder + "/run.wick", "--", self.program, "split", "0.3")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("inner", done.stdout)
        self.assertTrue(os.path.exists(self.folder + "/run.html"))

    def test_waiting_costs_nothing(self):
        child = subprocess.Popen([WICK, "record", "-q", "-o", self.folder + "/idle.wick", "--", "sleep", "2"])
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(child.returncode, 0)
        self.assertLess(usage.ru_utime + usage.ru_stime, 0.5)

    def test_true_is_quick(self):
        path = self.folder + "/true.wick"
        times = []
        for _ in range(7):
            begin = time.monotonic()
            run(WICK, "record", "-q", "-o", path, "--", "true")
            times.append(time.monotonic() - begin)
        self.assertLess(sorted(times)[3], 0.2)


if __name__ == "__main__":
    skips.skip_all_without({"cc": "gcc", "mount": "mount", "pgrep": "procps", "unshare": "util-linux"})
    if not skips.may_record_all_cpus(WICK):
        skips.skip_all(skips.ONLY_OWN_THREADS)
    mount_tracefs()
    skips.main([word for word in sys.argv[2:] if word != str(TRUTH)])
