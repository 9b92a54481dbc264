#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether the 95 % intervals that wick prints contain the truth, over recordings of workloads/truth.

The program measures with the CPU clock of its thread how much each path cost, so every recording has its own truth.
Each recording answers the same questions: costs (--per) and shares, of all samples and after --focus, --show, --hide and
--ignore. A question's intervals hold when at least 95 % contain the truth, except for what chance explains.

Usage: coverage.py WICK TRUTH [--recordings 200] [--seconds 0.4] [--frequency 997]
The exit status is 1 if the intervals of a question contain the truth too rarely.
"""
import argparse
import collections
import json
import math
import pathlib
import subprocess
import sys
import tempfile

PER = 1000
QUESTIONS = {
    "all samples": [],
    "--focus": ["--focus", "route_long"],
    "--focus and --show": ["--focus", "route_long", "--show", "shared_leaf|route_long"],
    "--hide": ["--hide", "hop"],
    "--ignore": ["--ignore", "route_short"],
}


def output_of(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout


def kept_paths(truth, question):
    """The paths whose samples the filters of the question retain, with their nanoseconds."""
    paths = [(row["path"], row["cpu_ns"]) for row in truth["rows"]]
    if "--focus" in QUESTIONS[question]:
        return [(path, cost) for path, cost in paths if "route_long" in path]
    if "--ignore" in QUESTIONS[question]:
        return [(path, cost) for path, cost in paths if "route_short" not in path]
    return paths


def true_costs(truth, question):
    """By function: self and total, in nanoseconds, and the whole."""
    self_cost, total = collections.Counter(), collections.Counter()
    for path, cost in kept_paths(truth, question):
        self_cost[path[-1]] += cost
        for name in set(path):
            total[name] += cost
    return self_cost, total, sum(cost for _, cost in kept_paths(truth, question))


def plain(name):
    return name.split("(")[0].split("::")[-1]


def checks(truth, question, report):
    """Each interval of the report with its truth: (what, low, truth, high)."""
    self_cost, total, whole = true_costs(truth, question)
    for row in report["sections"]["entries"]["rows"]:
        name = plain(row["name"])
        if name not in ("shared_leaf", "route_long", "route_middle", "hop_to_shared", "direct_leaf", "wide_leaf"):
            continue
        for kind, costs in (("self", self_cost), ("total", total)):
            if costs[name] == 0:
                continue
            yield (f"{kind} cost", row[f"{kind}_per_op_low"], costs[name] / PER, row[f"{kind}_per_op_high"])
            if kind == "self" and costs[name] == whole:
                continue  # not quite: the kernel's interrupts are below the function
            yield (f"{kind} share", row[f"{kind}_share_low"], costs[name] / whole, row[f"{kind}_share_high"])


def chance_at_most(count, trials, rate):
    """The probability of at most `count` by chance, in `trials` trials at this rate."""
    return sum(math.comb(trials, k) * rate**k * (1 - rate)**(trials - k) for k in range(count + 1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wick")
    parser.add_argument("truth")
    parser.add_argument("--recordings", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=0.4)
    parser.add_argument("--frequency", default="997")
    arguments = parser.parse_args()
    held, asked = collections.Counter(), collections.Counter()
    with tempfile.TemporaryDirectory() as directory:
        path = str(pathlib.Path(directory) / "run.wick")
        for _ in range(arguments.recordings):
            truth = json.loads(output_of([
                arguments.wick, "record", "-q", "-F", arguments.frequency, "-o", path, "--", arguments.truth, "--seconds",
                str(arguments.seconds), "--phases", "paths,recursion"]))
            for question, filters in QUESTIONS.items():
                report = json.loads(output_of([arguments.wick, "report", path, "--json", "--per", str(PER), *filters]))
                for what, low, value, high in checks(truth, question, report):
                    asked[question, what] += 1
                    held[question, what] += low <= value <= high
    failed = 0
    for key, count in asked.items():
        # Rows of one recording are not independent: the allowance is that of one row a recording.
        trials = min(count, arguments.recordings)
        few = chance_at_most(round(held[key] / count * trials), trials, 0.95) < 0.01
        failed += few
        print(f"{key[0]:<20} {key[1]:<12} {held[key]:>6} of {count:>6} intervals contain the truth, "
              f"{100 * held[key] / count:5.1f} %{'  TOO FEW' if few else ''}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
