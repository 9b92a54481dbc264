# SPDX-License-Identifier: Apache-2.0
"""Shared by the tests of the workloads: runs programs, reads their JSON, checks bad flags, uses perf."""
import collections
import json
import pathlib
import re
import subprocess
import tempfile
import unittest


def run(*command, timeout=60, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=timeout, **more)


def result_of(*command, **more):
    """The JSON that a program prints; a failure shows the program's messages."""
    done = run(*command, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def perf_works():
    """True if perf may sample all CPUs on this machine."""
    with tempfile.TemporaryDirectory() as directory:
        try:
            return run("perf", "record", "-a", "-e", "cpu-clock", "-o", f"{directory}/x", "true").returncode == 0
        except FileNotFoundError:
            return False


def libc_has_debug_symbols():
    """True if perf knows names that only the debug file of libc has, such as the memset for this CPU."""
    path = re.search(r"(/\S+/libc\.so\.6)$", pathlib.Path("/proc/self/maps").read_text(), re.M)
    build_id = re.search(r"Build ID: (\w\w)(\w+)", run("readelf", "-n", path[1]).stdout) if path else None
    return bool(build_id) and pathlib.Path(f"/usr/lib/debug/.build-id/{build_id[1]}/{build_id[2]}.debug").exists()


def perf_stacks(data, *comms):
    """The functions of each sample of these threads, leaf first."""
    text = run("perf", "script", "-i", data, "--comm", ",".join(comms), "-F", "comm,ip,sym").stdout
    blocks = (block.strip().splitlines()[1:] for block in text.split("\n\n"))
    return [[line.split(None, 1)[-1] for line in block] for block in blocks if block]


def perf_self_shares(data, program):
    """Percent of the program's samples in each function."""
    # comm must be a sort key: otherwise perf adds up a symbol over all processes before it filters by --comm.
    report = run("perf", "report", "-i", data, "--stdio", "--no-children", "--percentage", "relative",
                 "--comm", program.name[:15], "--sort", "comm,dso,sym").stdout
    shares = collections.Counter()
    for share, name in re.findall(r"^ +([\d.]+)% .*?\[[.k]\] (.+?) *$", report, re.M):
        shares[name] += float(share)
    if abs(sum(shares.values()) - 100) > 2:
        raise AssertionError(f"perf report gives {sum(shares.values())} % in all: {report}")
    return shares


class WorkloadTest(unittest.TestCase):
    def assert_refused(self, *command, status=2, says=""):
        """The program prints one sentence on stderr, nothing on stdout, and ends with this status."""
        done = run(*command)
        self.assertEqual(done.returncode, status, f"{command}: {done.stderr}")
        self.assertEqual(done.stdout, "")
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertRegex(done.stderr.strip(), r"^[\w-]+: .+\.$")
        self.assertIn(says, done.stderr)

    def assert_explained(self, program):
        done = run(program, "--help")
        self.assertEqual(done.returncode, 0)
        self.assertIn("Usage:", done.stdout)
