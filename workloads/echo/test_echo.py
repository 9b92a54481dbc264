# SPDX-License-Identifier: Apache-2.0
"""Tests the promises of echo_pairs: the ratio, the self-checks, the messages for invalid flags, and the profile."""
import ctypes
import os
import pathlib
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import checks
import skips

ECHO = pathlib.Path(sys.argv.pop()) / "echo_pairs"
SHORT = ("--duration", 0.2)
OPERATIONS = ("yield", "sleep", "futex", "socket")
SCHED_SETAFFINITY = {"x86_64": 203, "aarch64": 122}.get(os.uname().machine)


def run_echo(*flags, **more):
    return checks.result_of(ECHO, *flags, **more)


def forbid_affinity():
    """From here on the kernel refuses sched_setaffinity with EPERM, as some containers do."""
    load_number, equal, answer = 0x20, 0x15, 0x06
    refuse, allow = 0x00050000 | 1, 0x7FFF0000
    program = b"".join(struct.pack("HBBI", *row) for row in (
        (load_number, 0, 0, 0), (equal, 0, 1, SCHED_SETAFFINITY), (answer, 0, 0, refuse), (answer, 0, 0, allow)))
    rows = ctypes.create_string_buffer(program, len(program))
    filters = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 4, ctypes.addressof(rows)))
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, seccomp, filter_mode = 38, 22, 2
    if libc.prctl(no_new_privileges, 1, 0, 0, 0) or libc.prctl(seccomp, filter_mode, filters, 0, 0):
        os._exit(99)


class Results(checks.WorkloadTest):
    def test_help(self):
        self.assert_explained(ECHO)

    def test_threads_wait_in_every_iteration(self):
        for operation in OPERATIONS:
            result = run_echo("--mode", "threads", "--operation", operation, *SHORT)
            self.assertGreater(result["iterations"], 100, result)
            self.assertEqual(result["iterations"], sum(t["iterations"] for t in result["tasks"]))
            switches = result["switches"]["voluntary"] + result["switches"]["involuntary"]
            self.assertGreater(switches / result["iterations"], 0.8, result)
            self.assertGreaterEqual(result["seconds"], 0.2)

    def test_a_pair_keeps_step(self):
        for mode in ("threads", "coroutines"):
            first, second = run_echo("--mode", mode, *SHORT)["tasks"]
            self.assertLessEqual(abs(first["iterations"] - second["iterations"]), 1)
            self.assertEqual((first["name"], second["name"]), ("first-0", "second-0"))

    def test_coroutines_never_wait(self):
        for operation in ("yield", "futex", "socket"):
            result = run_echo("--operation", operation, "--pairs", 3, *SHORT)
            self.assertTrue(result["never_waited"], result)
            self.assertLess(result["switches"]["voluntary_per_iteration"], 0.001)
            self.assertEqual(len(result["tasks"]), 6)

    def test_iterations_are_exact(self):
        for mode in ("threads", "coroutines"):
            for operation in ("yield", "futex", "socket"):
                result = run_echo("--mode", mode, "--operation", operation, "--pairs", 5, "--iterations", 200)
                self.assertEqual([t["iterations"] for t in result["tasks"]], [200] * 10)
                self.assertEqual(result["skew"], 0)

    def test_tasks_without_a_pair(self):
        result = run_echo("--mode", "threads", "--operation", "sleep", "--tasks", 3, "--sleep-ns", 1000,
                          "--iterations", 20)
        self.assertEqual([t["name"] for t in result["tasks"]], ["sleep-0", "sleep-1", "sleep-2"])

    def test_the_ratio(self):
        """About 2 to 3; the bounds are wider, because the machine may be busy and have another kernel."""
        result = run_echo("--mode", "both", *SHORT)
        self.assertEqual(len(result["ratios"]), 5)
        self.assertGreater(result["ratio"], 1.3, result)
        self.assertLess(result["ratio"], 6, result)
        self.assertTrue(result["never_waited"])

    def test_access_costs_time(self):
        def cost(*flags):
            return run_echo("--operation", "yield", "--iterations", 300, *flags)["cpu_seconds"]
        dense = cost("--access-bytes", 1 << 20)
        self.assertGreater(dense, 5 * cost("--access-bytes", 1 << 20, "--access-stride", 16448))
        self.assertGreater(dense, 50 * cost())

    def test_a_signal_ends_it(self):
        for mode, number in (("threads", signal.SIGTERM), ("coroutines", signal.SIGINT)):
            with subprocess.Popen([ECHO, "--mode", mode, "--duration", "0"], stdout=subprocess.PIPE, text=True) as run:
                time.sleep(0.3)
                run.send_signal(number)
                out, _ = run.communicate(timeout=10)
                self.assertEqual(run.returncode, 0)
                self.assertIn('"iterations"', out)

    def test_a_signal_ends_the_comparison(self):
        with subprocess.Popen([ECHO, "--mode", "both", "--duration", "60"], stderr=subprocess.PIPE, text=True) as run:
            time.sleep(0.3)
            run.send_signal(signal.SIGTERM)
            _, said = run.communicate(timeout=10)
            self.assertEqual(run.returncode, 1)
            self.assertIn("before one round", said)


class Refusals(checks.WorkloadTest):
    def test_command_line(self):
        for says, *flags in (
                ("--pairs takes", "--pairs", 0), ("--tasks takes", "--tasks", -1), ("--mode takes", "--mode", "x"),
                ("--operation takes", "--operation", "pipe"), ("--sleep-ns takes", "--sleep-ns", 10 ** 9),
                ("--access-stride takes", "--access-stride", 0), ("--cpus takes", "--cpus", "0-"),
                ("--cpus takes", "--cpus", ""), ("--cpus takes", "--cpus", "3-1"), ("--cpus takes", "--cpus", 5000),
                ("--spread needs threads", "--spread", "--cpus", "0,1"), ("--tasks is for", "--tasks", 3),
                ("--spread needs the CPUs", "--mode", "threads", "--spread"),
                ("sleep has no coroutine form", "--operation", "sleep"), ("is not a flag", "socket"),
                ("--mode both needs", "--mode", "both", "--duration", 0)):
            self.assert_refused(ECHO, *flags, says=says)

    def test_cpu_that_is_not_there(self):
        for mode in ("threads", "coroutines", "both"):
            for cpus in ("1023", "0-1023"):
                self.assert_refused(ECHO, "--mode", mode, "--cpus", cpus, status=1, says="does not exist")

    @unittest.skipUnless(SCHED_SETAFFINITY, "the number of the system call is not known here")
    def test_no_permission_for_affinity(self):
        done = checks.run(ECHO, "--iterations", 10, preexec_fn=forbid_affinity)
        if done.returncode == 99:
            self.skipTest("no seccomp here")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "echo_pairs: The CPUs to run on could not be set (Operation not permitted); "
                                      "--cpus any runs without.\n")
        self.assertEqual(run_echo("--cpus", "any", "--iterations", 10, preexec_fn=forbid_affinity)["iterations"], 20)

    def test_more_than_the_machine_has(self):
        self.assert_refused(ECHO, "--pairs", 10000, "--access-bytes", 1 << 30, status=1, says="memory")
        few = (64, 64)
        done = checks.run(ECHO, "--pairs", 100, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, few))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^echo_pairs: Socket pair \d+ of 100 could not be made .*\.\n$")

    def test_threads_that_cannot_start(self):
        little = (256 << 20, 256 << 20)
        done = checks.run(ECHO, "--mode", "threads", "--pairs", 200,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, little))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"^echo_pairs: Thread \d+ of 400 could not be started .*\.\n$")


def record(scratch, *flags):
    """The stacks of the tasks of a short run: lists of function names, leaf first."""
    data = pathlib.Path(scratch) / "echo.data"
    subprocess.run(["perf", "record", "-a", "-F", "999", "-e", "cpu-clock", "-g", "-o", data, "--",
                    ECHO, "--duration", "0.5", *map(str, flags)], check=True, capture_output=True)
    return checks.perf_stacks(data, "coroutines", "first-0", "second-0")


def share_of(function, stacks):
    return sum(any(function in frame for frame in stack) for stack in stacks) / max(len(stacks), 1)


class Profile(unittest.TestCase):
    """The promises of README.md, if the machine allows sampling of all CPUs and naming of the kernel's functions."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.record = lambda *flags: record(scratch.name, *flags)

    @classmethod
    def setUpClass(cls):
        try:
            with tempfile.TemporaryDirectory() as scratch:
                cls.blocking = record(scratch, "--mode", "threads")
        except (FileNotFoundError, subprocess.CalledProcessError) as problem:
            raise unittest.SkipTest(f"perf cannot sample here: {problem}")
        if share_of("unix_stream", cls.blocking) == 0:
            raise unittest.SkipTest("perf cannot name the kernel's functions here")

    def test_threads_show_the_scheduler(self):
        self.assertGreater(share_of("schedule", self.blocking), 0.15)

    def test_coroutines_do_not(self):
        stacks = self.record()
        self.assertLess(share_of("schedule", stacks), 0.05)
        self.assertGreater(share_of("sys_recvfrom", stacks), 0.2)
        self.assertGreater(share_of("sys_write", stacks), 0.2)

    def test_access_is_visible(self):
        stacks = self.record("--access-bytes", 1 << 20)
        self.assertGreater(share_of("echo::access_memory", stacks), 0.7)

    def test_resume_functions_have_names(self):
        self.assertGreater(share_of("coroutine_yield", self.record("--operation", "yield")), 0.3)


if __name__ == "__main__":
    skips.main()
