# SPDX-License-Identifier: Apache-2.0
"""Firefox's profiler-cli (npm: @firefox-devtools/profiler-cli) on what wick writes, and on older versions.

Its server holds a profile in memory; every answer is a new process that asks it.
"""
import collections
import json
import re
import subprocess
import tempfile
import time
import unittest

import consumers


def shown(name):
    """Code without a symbol is module+0xADDRESS in wick; Firefox gets a function 0xADDRESS in that module."""
    return re.sub(r"^.*\+(0x[0-9a-f]+)$", r"\1", name)


def script():
    return consumers.NODE_MODULES / "@firefox-devtools" / "profiler-cli" / "dist" / "profiler-cli.js"


class Check(consumers.Consumers):
    program = "node"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not script().exists():
            raise unittest.SkipTest("the npm package @firefox-devtools/profiler-cli is not installed")

    def ask(self, sessions, *words):
        """An answer of profiler-cli. Its server can need a moment to start."""
        environment = dict(self.environment, PROFILER_CLI_SESSION_DIR=sessions)
        for attempt in range(5):
            done = subprocess.run(["node", script(), *map(str, words), "--session", "s"], env=environment,
                                  capture_output=True, text=True, timeout=120)
            if done.returncode == 0:
                return done.stdout
            time.sleep(0.2 * (attempt + 1))
        return self.fail(f"profiler-cli {words}: {done.stderr.strip()}")

    def firefox(self, path):
        """Weights of threads, and of functions by self and by total, summed over all threads."""
        threads, own, total = (collections.Counter() for _ in range(3))
        with tempfile.TemporaryDirectory(prefix="ff") as sessions:  # a short path: it has a socket
            self.ask(sessions, "load", path)
            try:
                for thread in json.loads(self.ask(sessions, "thread", "list", "--json", "--limit", 100000))["threads"]:
                    answer = json.loads(self.ask(sessions, "thread", "functions", "--json", "--include-idle", "--limit",
                                                 1000000, "--thread", thread["threadHandle"]))
                    unit = 1e6 if answer["weightType"] == "tracing-ms" else 1
                    for row in answer["functions"]:
                        own[shown(row["name"])] += row["selfSamples"] * unit
                        total[shown(row["name"])] += row["totalSamples"] * unit
                        threads[thread["threadHandle"]] += row["selfSamples"] * unit
            finally:
                self.ask(sessions, "stop")
        return [{name: round(value) for name, value in rows.items()} for rows in (threads, own, total)]

    def ours(self, path):
        sum_of_all, rows = self.report(path)
        own, total = collections.Counter(), collections.Counter()
        for name, (self_weight, total_weight) in rows.items():
            own[shown(name)] += self_weight
            total[shown(name)] += total_weight
        _, threads = self.report(path, by="thread")
        return sum_of_all, {name: row[1] for name, row in threads.items()}, own, total

    def compare(self, source, written=None):
        if written is None:
            written = self.folder / "written.firefox.json"
            self.wick("convert", source, "--to", "firefox", "-o", written, "--allow-loss", "100")
        sum_of_all, threads, own, total = self.ours(source)
        their_threads, their_own, their_total = self.firefox(written)
        self.assertEqual(sum(their_own.values()), sum_of_all)
        self.assertEqual(sorted(their_threads.values()), sorted(threads.values()), "threads")
        self.assert_same_top(their_own, own, "self")
        self.assert_same_top(their_total, total, "total")

    def test_threads_and_processes(self):
        self.compare(self.corpus("FlameGraph/test/perf-iperf-stacks-pidtid-01.txt"))

    def test_script_functions(self):
        self.compare(self.corpus("FlameGraph/test/perf-js-stacks-01.txt"))

    def test_weights_without_times_and_threads(self):
        self.compare(consumers.ROOT / "docs" / "demo" / "wick-itself.folded.gz")

    def test_measured_durations(self):
        self.compare(self.corpus("speedscope/trace-event/simple-partial.json"))

    def test_a_recording(self):
        self.compare(self.recording())

    def test_versions_that_both_read(self):
        for version in (55, 57, 66):
            path = self.corpus(f"firefox-profiler/minimal/p{version}.json")
            self.compare(path, path)

    def test_gecko_profiles_that_both_read(self):
        for name in ("59/simple-firefox", "63/simple-firefox"):
            source = json.loads(self.corpus(f"speedscope/Firefox/{name}.json").read_text())
            path = self.folder / "gecko.json"
            path.write_text(json.dumps(source["profile"]))
            total, _, own, _ = self.ours(path)
            _, their_own, _ = self.firefox(path)
            # Firefox does not show samples without a stack.
            self.assertLessEqual(sum(their_own.values()), total)
            shared = set(their_own) & set(own)
            self.assertGreater(len(shared), 5)
            for name_of_function in shared:
                self.assertEqual(their_own[name_of_function], own[name_of_function], name_of_function)
