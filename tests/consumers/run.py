#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What wick writes, opened by the programs that people use it with; what they write, read by wick.

    tests/consumers/run.py build/wick [NAME...]     all checks, or those of tests/consumers/check_NAME.py

A check is one file check_NAME.py with a class Check(Consumers). Total, top ten by self and by total, and threads must
be those of `wick report`. A program that is not installed (tools/setup consumers) skips its tests; with
$WICK_SKIPS_LISTED set, that is a failure (tests/support/skips.py).
"""
import importlib
import os
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import consumers  # noqa: E402
import skips  # noqa: E402


def main():
    consumers.WICK = str(pathlib.Path(sys.argv[1]).resolve())
    wanted = sys.argv[2:] or [path.stem[len("check_"):] for path in sorted(HERE.glob("check_*.py"))]
    suite = unittest.TestSuite()
    for name in wanted:
        suite.addTests(unittest.defaultTestLoader.loadTestsFromModule(importlib.import_module(f"check_{name}")))
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    for test, reason in result.skipped:
        skips.report(str(test), reason)
    refused = skips.unlisted({reason for _, reason in result.skipped}) if os.environ.get("WICK_SKIPS_LISTED") else []
    for reason in refused:
        print(f"NOT ALLOWED: {reason}")
    sys.exit(0 if result.wasSuccessful() and not refused else 1)


if __name__ == "__main__":
    main()
