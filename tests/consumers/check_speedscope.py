# SPDX-License-Identifier: Apache-2.0
"""speedscope's own page on what wick writes, under jsdom and in Chromium (tests/e2e/speedscope.mjs drives both)."""
import collections
import os
import pathlib
import re
import shutil
import unittest

import consumers

DRIVER = consumers.ROOT / "tests" / "e2e" / "speedscope.mjs"
MOST = 100_000  # functions: all of them
# Where speedscope adds up fractions, the last digits differ.
PLACES = 3


class Check(consumers.Consumers):
    program = "node"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for package in ("speedscope", "jsdom"):
            if not (consumers.NODE_MODULES / package).exists():
                raise unittest.SkipTest(f"the npm package {package} is not installed")

    def shown(self, path, *flags):
        """[(name, total, {function: self}, {function: total})] of each profile that the page lists."""
        text = self.run_program("node", DRIVER, path, "--top", MOST, *flags,
                                env=dict(os.environ, NODE_MODULES=str(consumers.NODE_MODULES)))
        profiles, column = [], None
        for line in text.splitlines():
            if match := re.match(r"profile (.*): ([\d.e+-]+) \S+$", line):
                profiles.append((match[1], float(match[2]), {}, {}))
            elif line in ("self", "total"):
                column = profiles[-1][2 if line == "self" else 3]
            else:
                weight, _, name = line.strip().partition(" ")
                column[name] = round(column.get(name, 0) + float(weight), PLACES)
        return profiles

    def compare(self, source, *flags):
        written = self.folder / "written.speedscope.json"
        self.wick("convert", source, "-o", written, "--allow-loss", "100")
        total, rows = self.report(source)
        _, threads = self.report(source, by="thread")
        profiles = self.shown(written, *flags)
        _, whole, own, sums = profiles[0]
        self.assertEqual(round(whole, PLACES), total)
        self.assert_same_top(own, {name: row[0] for name, row in rows.items()}, "self")
        self.assert_same_top(sums, {name: row[1] for name, row in rows.items()}, "total")
        each = profiles[1:] or profiles
        self.assertEqual(sorted(round(sum_, PLACES) for _, sum_, _, _ in each),
                         sorted(row[1] for row in threads.values()), "threads")

    def test_folded(self):
        self.compare(consumers.ROOT / "docs" / "demo" / "wick-itself.folded.gz")

    def test_recording(self):
        self.compare(self.recording())

    def test_other_formats_that_it_opens(self):
        source = consumers.ROOT / "docs" / "demo" / "wick-itself.folded.gz"
        total, rows = self.report(source)
        for name in ("written.trace.json", "written.cpuprofile"):
            with self.subTest(name=name):
                self.wick("convert", source, "-o", name)
                [(_, whole, own, sums)] = self.shown(self.folder / name)
                self.assertEqual(whole, total)
                self.assert_same_top(own, {name: row[0] for name, row in rows.items()}, "self")
                self.assert_same_top(sums, {name: row[1] for name, row in rows.items()}, "total")

    def test_gaps_of_a_trace_are_not_time(self):
        """Two threads that wait between samples of 10 ms; one sample comes late, as samples do."""
        source = self.folder / "gaps.perf.txt"
        source.write_text("".join(
            f"prog 1/{thread} {at / 1000:.6f}: 10000000 cpu-clock: \n\t 10 {name} (/prog)\n\t 20 main (/prog)\n\n"
            for at, thread, name in [(1000, 1, "f"), (1010, 1, "g"), (1015, 2, "f"), (1500, 1, "f"), (1511, 1, "g"),
                                     (2000, 2, "g"), (3000, 1, "f")]))
        total, rows = self.report(source)
        self.assertEqual(total, 70_000_000)
        written = self.folder / "written.trace.json"
        self.wick("convert", source, "-o", written, "--allow-loss", "100")
        own = collections.Counter()
        for _, whole, each, _ in self.shown(written):
            self.assertEqual(round(whole), sum(map(round, each.values())))
            own.update(each)
        late = 1000  # microseconds
        self.assertEqual({name: round(weight * 1000) for name, weight in own.items() if weight},
                         {"f": rows["f"][0] + late * 1000, "g": rows["g"][0]})

    def test_in_chromium(self):
        if not shutil.which(os.environ.get("CHROMIUM", "chromium")):
            self.skipTest("chromium is not installed (package chromium)")
        if not pathlib.Path(consumers.ROOT / "tests/browser/node_modules/playwright-core").exists():
            self.skipTest("the npm package playwright-core is not installed")
        self.compare(self.recording(), "--chromium")
        self.compare(consumers.ROOT / "docs" / "demo" / "wick-itself.folded.gz", "--chromium")
