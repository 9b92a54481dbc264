# SPDX-License-Identifier: Apache-2.0
"""A profile that gperftools records, read by google-pprof and by wick."""
import glob
import os
import re

import consumers


class Check(consumers.Consumers):
    program = "google-pprof"

    def test_recorded(self):
        library = next(iter(glob.glob("/usr/lib/*/libprofiler.so.0")), None)
        if library is None:
            self.skipTest("libprofiler is not installed (package libgoogle-perftools4)")
        binary = self.compiled()
        self.run_program(binary, env=dict(os.environ, LD_PRELOAD=library, CPUPROFILE=str(self.folder / "work.prof")))
        text = self.run_program("google-pprof", "--text", binary, "work.prof")
        rows = {}
        for samples, cumulated, name in re.findall(r"^\s*(\d+)\s+[\d.]+%\s+[\d.]+%\s+(\d+)\s+[\d.]+%\s+(.*)$", text, re.M):
            rows[name] = (int(samples), int(cumulated))
        total = int(re.search(r"Total: (\d+) samples", text)[1])
        period = 10_000_000  # gperftools samples 100 times a second
        expected_total, expected = self.report("work.prof")
        self.assertEqual(total * period, expected_total)
        self.assertGreater(total, 10)
        for name in ("hot", "cold"):
            self.assertEqual(rows[name][1] * period, expected[name][1], name)
