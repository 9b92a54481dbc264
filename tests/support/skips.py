#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How a test is skipped: visibly, with its reason.

A skip is one line "SKIPPED test: reason" in the output. A log of thousands of lines hides it, so it is also appended to
the file that $WICK_SKIPS names, as "test<TAB>reason"; tools/test sets that variable and prints a summary at its end.
tests/support/main.cc does the same for the unit tests.

Invariant of CI: no test is skipped in silence. With $WICK_SKIPS_LISTED set, the summary fails if a reason is not one of
allowed_skips.txt, so that a machine without the right to record, or without a tool that set-up should have installed,
does not pass.

    skips.py FILE              prints the summary of such a file: each reason once, with its tests
    skips.py --skip TEST WHY   reports a skipped test for a script that is not Python; ends with status 77
"""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

EXIT_SKIPPED = 77  # known to ctest (SKIP_RETURN_CODE) and tools/test
ALLOWED = pathlib.Path(__file__).with_name("allowed_skips.txt")


def suite():
    """tests/record/run.py is "record", tests/dwarf/split_scopes.py is "dwarf/split_scopes"."""
    script = pathlib.Path(sys.argv[0]).resolve()
    folder = script.parent.name
    return folder if script.stem in ("run", f"test_{folder}") else f"{folder}/{script.stem}"


def report(test, reason):
    """One test, or a part of one, was skipped."""
    reason = textwrap.shorten(str(reason), 200, placeholder=" ...")  # perf's explanations are long
    append(f"{suite()}: {test}", reason)


def append(name, reason):
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


def by_reason(text):
    tests = collections.defaultdict(set)
    for line in text.splitlines():
        test, _, reason = line.partition("\t")
        tests[reason].add(test)
    return tests


def allowed_reasons():
    lines = (line.strip() for line in ALLOWED.read_text().splitlines())
    return [re.compile(line) for line in lines if line and not line.startswith("#")]


def unlisted(tests):
    """The reasons that are not on the list, in order."""
    allowed = allowed_reasons()
    return [reason for reason in sorted(tests) if not any(pattern.fullmatch(reason) for pattern in allowed)]


def summary(tests):
    lines = [f"== skipped: {sum(map(len, tests.values()))}" + (", by reason" if tests else "")]
    for reason, names in sorted(tests.items()):
        lines.append(f"  {reason}")
        lines += textwrap.wrap("; ".join(sorted(names)), 116, initial_indent="      ", subsequent_indent="      ",
                               break_on_hyphens=False)
    return "\n".join(lines)


def command(words):
    if words[0] == "--skip":
        append(*words[1:3])
        return EXIT_SKIPPED
    tests = by_reason(pathlib.Path(words[0]).read_text())
    print(summary(tests))
    refused = unlisted(tests) if os.environ.get("WICK_SKIPS_LISTED") else []
    for reason in refused:
        print(f"  NOT ALLOWED: {reason} (no line of tests/support/{ALLOWED.name} matches)")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(command(sys.argv[1:]))
