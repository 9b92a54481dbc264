#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures real programs with `wick stat` and compares the numbers with perf's and with what the programs did.

    run.py WICK [-k NAME]

Without perf the comparisons with it are skipped, with a message. Times are compared loosely, because other tests run at
the same time. Counts of the kernel are compared exactly: faults and sleeps of a program do not depend on the load.
"""
import os
import pathlib
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import answers  # noqa: E402
import skips  # noqa: E402

WICK = str(pathlib.Path(sys.argv[1]).resolve())
PERF = shutil.which("perf")
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable

# Touches 64 MiB; sleeps 100 times; computes for a while.
TOUCH = [PYTHON, "-S", "-c", "b = bytearray(64 << 20)"]
SLEEP = [PYTHON, "-S", "-c", "import time\nfor i in range(100): time.sleep(0.001)"]
BUSY = [PYTHON, "-S", "-c", "s = 0\nfor i in range(2000000): s += i"]
THREADS = [PYTHON, "-S", "-c", "import threading as t, hashlib as h\nw = lambda: [h.sha256(b'x' * 999999) for i in range(50)]\n"
           "a = [t.Thread(target=w) for i in range(3)]\nfor x in a: x.start()\nfor x in a: x.join()"]


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120, check=False, **more)


def stat(*words):
    done = run(WICK, "stat", "--json", *words)
    assert done.returncode == 0, done.stderr
    return answers.parse(done.stdout)


def values(report, column="value"):
    """Times in seconds, all else as it is."""
    def plain(row):
        in_seconds = row["unit"] == "nanoseconds" and not isinstance(row[column], str)
        return row[column] / 1e9 if in_seconds else row[column]
    return {row["name"]: plain(row) for row in answers.rows(report)}


def perf_values(events, command, runs=3):
    """The median of some runs, by event."""
    seen = {}
    for _ in range(runs):
        lines = run(PERF, "stat", "-x,", "-e", ",".join(events), "--", *command).stderr.splitlines()
        for line in lines:
            fields = line.split(",")
            if len(fields) > 2 and fields[2] in events:
                seen.setdefault(fields[2], []).append(float(fields[0]))
    return {name: sorted(numbers)[len(numbers) // 2] for name, numbers in seen.items()}


def may_count_machine():
    return run(WICK, "stat", "-a", "--duration", "0.05").returncode == 0


class Builds(unittest.TestCase):
    def test_programs_without_optimisation_are_named_first(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "program.c"
            source.write_text("int main(int count, char** words) { return count - 1; }\n")
            for level in ("-O0", "-O2"):
                subprocess.run(["gcc", level, "-g", "-o", f"{folder}/program{level}", source], check=True)
            slow, fast = f"{folder}/program-O0", f"{folder}/program-O2"
            self.assertEqual(stat("--", fast)["cautions"], [])
            one = stat("--", slow)["cautions"]
            self.assertRegex(one[0], r"^The main of .*program-O0 is code built without optimisation \(GCC [0-9.]+, -O0\)")
            two = stat("-r", "2", "--", slow, "--", fast)["cautions"]
            self.assertRegex(two[0], r"^The programs are built differently: .*-O0\), .*-O2\), seen in their main")
            self.assertRegex(run(WICK, "stat", "--", slow).stderr.splitlines()[0], "^Caution: ")


class AgainstPerf(unittest.TestCase):
    def setUp(self):
        if PERF is None:
            self.skipTest("perf is not installed (package linux-perf)")
        # Without privilege perf counts "page-faults:u" instead.
        if not perf_values(["page-faults"], ["true"]):
            self.skipTest("perf may not count what the kernel does for a program here (perf_event_paranoid)")

    def both(self, event, command):
        theirs = perf_values([event], command)[event]
        ours = values(stat("-r", "3", "--warmup", "0", "-e", event, "--", *command), "median")[event]
        return ours, theirs

    def test_page_faults(self):
        ours, theirs = self.both("page-faults", TOUCH)
        self.assertGreater(theirs, 1000)
        self.assertAlmostEqual(ours / theirs, 1, delta=0.02)

    def test_minor_faults_of_the_kernels_own_account(self):
        theirs = perf_values(["minor-faults"], TOUCH)["minor-faults"]
        ours = values(stat("-e", "task-clock", "--", *TOUCH))
        self.assertAlmostEqual(ours["minor-faults"] / theirs, 1, delta=0.02)

    def test_task_clock(self):
        theirs = perf_values(["task-clock"], BUSY, 5)["task-clock"] / 1000
        report = stat("-r", "5", "--", *BUSY)
        ours = values(report, "median")
        self.assertAlmostEqual(ours["task-clock"] / theirs, 1, delta=0.3)
        self.assertAlmostEqual((ours["user"] + ours["sys"]) / ours["task-clock"], 1, delta=0.1)

    def test_fields_of_x(self):
        events = "page-faults,task-clock,cycles,context-switches"
        ours = run(WICK, "stat", "-x,", "-e", events, "--", "true").stderr.splitlines()
        theirs = run(PERF, "stat", "-x,", "-e", events, "--", "true").stderr.splitlines()
        theirs = [line for line in theirs if line]
        self.assertEqual([line.split(",")[1:3] for line in ours], [line.split(",")[1:3] for line in theirs])
        self.assertEqual([line.count(",") for line in ours], [line.count(",") for line in theirs])


class Alone(unittest.TestCase):
    def test_sleeps_are_voluntary_switches(self):
        report = values(stat("--", *SLEEP))
        self.assertGreaterEqual(report["voluntary-switches"], 100)
        self.assertLess(report["voluntary-switches"], 140)
        self.assertGreaterEqual(report["wall"], 0.1)

    def test_peak_memory(self):
        report = values(stat("--", *TOUCH))
        self.assertGreater(report["peak-memory"], 64 << 20)
        self.assertLess(report["peak-memory"], 100 << 20)

    def test_children_count(self):
        one = values(stat("--", *TOUCH))
        two = values(stat("--", "sh", "-c", f"'{PYTHON}' -S -c '{TOUCH[3]}'; '{PYTHON}' -S -c '{TOUCH[3]}'; true"))
        self.assertGreater(two["minor-faults"], 1.8 * one["minor-faults"])

    def test_hardware_counters_are_numbers_or_one_sentence(self):
        report = stat("--", *BUSY)
        names = values(report)
        absent = [note for note in report["notes"] if note.startswith("Hardware counters are not available")]
        self.assertEqual("cycles" in names, not absent)
        self.assertLessEqual(len(absent), 1)
        if "cycles" in names:
            self.assertGreater(names["cycles"], 1000000)
        else:
            self.assertNotIn("ipc", names)

    def test_pinned_to_one_cpu(self):
        report = values(stat("--pin", "0", "--", *BUSY))
        self.assertLessEqual(report.get("migrations", 0), 1)

    def test_the_slower_of_two_is_found(self):
        # Four times the work in eight pairs: such a change is visible even if a busy machine doubles one run.
        longer = [*BUSY[:3], BUSY[3].replace("2000000", "8000000")]
        report = stat("-r", "8", "--", *BUSY, "--", *longer)
        verdicts = values(report, "verdict")
        self.assertEqual(verdicts["task-clock"], "slower")
        self.assertEqual(verdicts["peak-memory"], "no evidence")
        self.assertEqual(len(answers.rows(report, "runs")), 16)

    def test_a_disturbed_run_is_named_and_repeated_on_request(self):
        with tempfile.TemporaryDirectory() as folder:
            # The fourth run (the first one warms up) sleeps.
            program = ["sh", "-c", f"echo >> {folder}/runs; test $(wc -l < {folder}/runs) != 4 || sleep 2; sleep 0.1"]
            notes = " ".join(stat("-r", "6", "--", *program)["notes"])
            self.assertRegex(notes, r"Run 3 took 2\.\d+ s, \d+ times the median of such runs .* is waiting")
            self.assertIn("--rerun N", notes)
            os.unlink(folder + "/runs")
            report = stat("-r", "6", "--rerun", "9", "--", *program)
            self.assertIn("Repeated (--rerun): Run 3 took 2.", " ".join(report["notes"]))
            self.assertEqual(len(answers.rows(report, "runs")), 6)
            self.assertTrue(all(row["wall"] < 2e9 for row in answers.rows(report, "runs")))

    def test_steal_time_is_named_as_the_disturbance(self):
        """In the fourth run the host takes the CPUs for 0.4 s: /proc/stat, replaced by a file, says so."""
        if (tried := run("unshare", "-m", "true")).returncode != 0:
            self.skipTest(f"`unshare -m` is not allowed here, as in a chroot: {tried.stderr}")
        with tempfile.TemporaryDirectory() as folder:
            stat_file = pathlib.Path(folder) / "stat"
            stat_file.write_text("cpu  10 0 10 1000 0 0 0 7 0 0\n")
            stolen = f"sleep 0.5; echo 'cpu  10 0 10 1000 0 0 0 47 0 0' > {stat_file}"
            program = f"echo >> {folder}/runs; test $(wc -l < {folder}/runs) != 4 || {{ {stolen}; }}; sleep 0.05"
            inside = f"mount --bind {stat_file} /proc/stat && exec \"$@\""
            done = run("unshare", "-m", "sh", "-c", inside, "sh", WICK, "stat", "--json", "-r", "6", "--", "sh", "-c", program)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(" ".join(answers.parse(done.stdout)["notes"]),
                             r"Run 3 took \d+\.\d+ m?s.* is waiting: 0\.40 s of steal time, in which the host ran something else "
                             r"\(median 0\.00 s\)")

    def test_rows_of_threads_add_up(self):
        report = stat("--per-thread", "--", *THREADS)
        threads = answers.rows(report, "threads")
        self.assertGreaterEqual(len(threads), 5)  # three, the main one, and the rest
        whole = {row["name"]: row["value"] for row in answers.rows(report)}
        self.assertIn("task-clock", threads[0])
        # Switches and faults are kernel work, which is counted by thread only with permission.
        for name in {"task-clock", "context-switches", "minor-faults"} & set(threads[0]):
            self.assertAlmostEqual(sum(row[name] or 0 for row in threads), whole[name], delta=1e-6 * whole[name] + 1)

    def test_threads_fit_the_terminal(self):
        for width in (80, 100, 120):
            done = run(WICK, "stat", "--per-thread", "--width", str(width), "--", *THREADS)
            self.assertIn("Threads", done.stderr)
            self.assertLessEqual(max(map(len, done.stderr.splitlines())), width)

    def test_attached(self):
        target = subprocess.Popen([*BUSY[:3], "while True: pass"])
        try:
            time.sleep(0.2)
            report = stat("-p", target.pid, "--duration", "0.5")
        finally:
            target.kill()
            target.wait()
        found = values(report)
        self.assertGreaterEqual(found["wall"], 0.5)
        self.assertGreater(found["task-clock"], 0.02)
        self.assertAlmostEqual(found["user"] + found["sys"], found["task-clock"], delta=0.1)

    def test_attached_while_a_command_runs(self):
        target = subprocess.Popen([*BUSY[:3], "while True: pass"])
        try:
            report = stat("-p", target.pid, "--", "sleep", "0.3")
        finally:
            target.kill()
            target.wait()
        self.assertAlmostEqual(values(report)["wall"], 0.3, delta=0.3)

    def test_whole_machine(self):
        if not may_count_machine():
            self.skipTest("-a is not allowed here")
        found = values(stat("-a", "--", *BUSY))
        cpus = os.cpu_count()
        self.assertAlmostEqual((found["user"] + found["sys"] + found["idle"]) / (cpus * found["wall"]), 1, delta=0.3)

    def test_nothing_is_started_that_cannot_be_counted(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run(WICK, "stat", "-a", "-e", "cycles", "--", "touch", "began", cwd=folder)
            self.assertEqual(os.path.exists(folder + "/began"), done.returncode == 0, done.stderr)

    def test_a_command_that_does_not_listen_is_killed_after_a_while(self):
        started = time.time()
        done = run(WICK, "stat", "--per-thread", "--duration", "0.3", "--", *BUSY[:3],
                   "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(77)")
        self.assertLess(time.time() - started, 60)
        self.assertIn("wick stopped it after 0.3 s (--duration).", done.stderr)

    def test_interrupted_repeats_report_what_was_done(self):
        with subprocess.Popen([WICK, "stat", "-r", "1000", "--", "sleep", "0.05"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            time.sleep(2)
            process.send_signal(signal.SIGTERM)
            out, _ = process.communicate(timeout=20)
        self.assertIn("Stopped by SIGTERM after", out)
        self.assertRegex(out, r"wall")
        self.assertEqual(process.returncode, 128 + signal.SIGTERM)

    def test_only_a_program_that_cannot_run_has_the_status_of_a_shell(self):
        with tempfile.TemporaryDirectory() as folder:
            plain = pathlib.Path(folder) / "plain"
            plain.write_text("not a program")
            script = pathlib.Path(folder) / "script"
            script.write_text("#!/no/such/shell\n")
            script.chmod(0o755)
            for flags in ([], ["-r", "2"], ["--per-thread"], ["-p", str(os.getpid())]):
                statuses = {plain: 126, script: 127, f"{folder}/none": 127}
                for program, status in statuses.items():
                    self.assertEqual(run(WICK, "stat", *flags, "--", program).returncode, status, f"{flags} {program}")
                    self.assertEqual(run("env", program).returncode, status)
        for most in range(4, 24):
            done = run("sh", "-c", f"ulimit -n {most}; exec setpriv --bounding-set=-sys_resource {WICK} stat -- true")
            self.assertIn(done.returncode, (0, 125, 127), f"ulimit -n {most}: {done.stderr}")
            if done.returncode == 127:
                self.assertIn("shared libraries", done.stderr, "the dynamic linker of setpriv or true had no descriptor")

    def test_progress_on_a_terminal(self):
        child, terminal = pty.fork()
        if child == 0:
            os.execv(WICK, [WICK, "stat", "-r", "4", "--", "sleep", "0.2"])
        seen = b""
        while True:
            try:
                more = os.read(terminal, 4096)
            except OSError:
                break
            if not more:
                break
            seen += more
        os.waitpid(child, 0)
        self.assertIn(b"run 3 of 5", seen)
        self.assertRegex(seen, rb"each, about \d+ s left")
        self.assertLess(seen.rfind(b"run 5 of 5"), seen.rfind(b"\x1b[K"), "the line is wiped")


if __name__ == "__main__":
    skips.main(sys.argv[2:])
