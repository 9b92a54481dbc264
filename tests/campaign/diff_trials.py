#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trials of `wick diff` with recordings of workloads/truth: tests the promises of docs/statistics.md on a real machine.

    A/A   the program against itself: any verdict but "no evidence" is a false flag, in at most 5 % of the trials
    A/B   with a planted slow-down of one function (--slow): how often the function is called "slower", compared with
          the power that `wick diff --detect` stated beforehand

Usage: diff_trials.py WICK TRUTH [--trials 100] [--runs 5] [--seconds 0.5] [--percent 5]
The exit status is 1 if more than 5 % of the A/A trials show a flag (and chance does not explain it), or if the planted
change is found clearly less often than planned.
"""
import argparse
import json
import math
import subprocess
import sys


def compare(arguments, slow):
    truth = [arguments.truth, "--seconds", str(arguments.seconds), "--phases", arguments.phases]
    after = truth + (["--slow", arguments.function, "--slow-percent", str(arguments.percent)] if slow else [])
    command = [arguments.wick, "diff", "--json", "--by", "function", "--repeat", str(arguments.runs), "-F",
               str(arguments.frequency), "--", *truth, "--", *after]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout)


def flags(report):
    sections = report["sections"]
    rows = sections["changes"]["rows"] + sections.get("whole", {}).get("rows", [])
    return [f"{row['name']} {row['verdict']}" for row in rows if row["verdict"] != "no evidence"]


def function_row(report, function):
    return next((row for row in report["sections"]["changes"]["rows"] if row["name"].split("(")[0].split("::")[-1] == function), None)


def chance_above(count, trials, rate):
    """The probability of `count` flags or more by chance, in `trials` trials at this rate."""
    return sum(math.comb(trials, k) * rate**k * (1 - rate)**(trials - k) for k in range(count, trials + 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wick")
    parser.add_argument("truth")
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--percent", type=float, default=5)
    parser.add_argument("--frequency", default="4999")
    parser.add_argument("--phases", default="paths,recursion")
    parser.add_argument("--function", default="shared_leaf")
    arguments = parser.parse_args()
    flagged, found, planned = 0, 0, []
    for trial in range(arguments.trials):
        false = flags(compare(arguments, slow=False))
        flagged += bool(false)
        report = compare(arguments, slow=True)
        row = function_row(report, arguments.function)
        found += row is not None and row["verdict"] == "slower"
        planned.append(row is not None and row["detectable"] is not None
                       and row["detectable"] <= arguments.percent / 100)
        print(f"trial {trial + 1}: A/A {', '.join(false) or 'no flag'}; A/B {row['verdict'] if row else 'absent'}, "
              f"{100 * row['relative']:+.1f} %, would find {100 * (row['detectable'] or math.nan):.1f} %", flush=True)
    able = sum(planned)
    print(f"A/A: {flagged} of {arguments.trials} trials show a flag. A/B: {arguments.percent:g} % found in {found} of "
          f"{arguments.trials}; {able} were large enough by their own word to find it four times in five.")
    too_many = flagged > 0.05 * arguments.trials and chance_above(flagged, arguments.trials, 0.05) < 0.01
    too_few = able > 0 and chance_above(able - min(found, able), able, 0.2) < 0.01
    return 1 if too_many or too_few else 0


if __name__ == "__main__":
    sys.exit(main())
