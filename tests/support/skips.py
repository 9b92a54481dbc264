#!/usr/bin/env python3
"""How a test is skipped: visibly, with its reason.

A skip is one line "SKIPPED test: reason" in the output. A log of thousands of lines hides it, so it is also appended to
the file that $WICK_SKIPS names, as "test<TAB>reason"; tools/test sets that variable and prints a summary at its end.
tests/support/main.cc does the same for the unit tests.

    skips.py FILE        prints the summary of such a file: each reason once, with its tests
"""
import collections
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

EXIT_SKIPPED = 77  # known to ctest (SKIP_RETURN_CODE) and tools/test


def suite():
    """tests/record/run.py is "record", tests/dwarf/split_scopes.py is "dwarf/split_scopes"."""
    script = pathlib.Path(sys.argv[0]).resolve()
    folder = script.parent.name
    return folder if script.stem in ("run", f"test_{folder}") else f"{folder}/{script.stem}"


def report(test, reason):
    """One test, or a part of one, was skipped."""
    reason = textwrap.shorten(str(reason), 200, placeholder=" ...")  # perf's explanations are long
    name = f"{suite()}: {test}"
    print(f"SKIPPED {name}: {reason}", flush=True)
    if path := os.environ.get("WICK_SKIPS"):
        with open(path, "a") as file:
            file.write(f"{name}\t{reason}\n")


def skip_all(reason):
    """None of this script's tests can run."""
    report("all", reason)
    sys.exit(EXIT_SKIPPED)


def skip_all_without(packages):
    """Ends the script if a program is not installed. Each is given with its Debian package: {"readelf": "binutils"}."""
    for program, package in packages.items():
        if not shutil.which(program):
            skip_all(f"{program} is not installed (package {package})")


ONLY_OWN_THREADS = "this machine does not allow one event for each CPU (root or CAP_PERFMON); see `wick doctor`"


def may_record_all_cpus(wick):
    """Without this permission wick records the threads of its own programs only, and loses time when they switch."""
    with tempfile.TemporaryDirectory() as directory:
        return subprocess.run([wick, "record", "-a", "--duration", "0.1", "-q", "-o", f"{directory}/x.wick"],
                              capture_output=True, check=False).returncode == 0


class Result(unittest.TextTestResult):
    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        report(test.id().removeprefix("__main__."), reason)


def main(arguments=None):
    """unittest.main() with a line for each skip. The arguments are those for unittest, such as -k NAME."""
    words = sys.argv[1:] if arguments is None else arguments
    unittest.main(argv=[sys.argv[0], *words], testRunner=unittest.TextTestRunner(resultclass=Result))


def summary(text):
    tests = collections.defaultdict(set)
    for line in text.splitlines():
        test, _, reason = line.partition("\t")
        tests[reason].add(test)
    lines = [f"== skipped: {sum(map(len, tests.values()))}" + (", by reason" if tests else "")]
    for reason, names in sorted(tests.items()):
        lines.append(f"  {reason}")
        lines += textwrap.wrap("; ".join(sorted(names)), 116, initial_indent="      ", subsequent_indent="      ",
                               break_on_hyphens=False)
    return "\n".join(lines)


if __name__ == "__main__":
    print(summary(pathlib.Path(sys.argv[1]).read_text()))
