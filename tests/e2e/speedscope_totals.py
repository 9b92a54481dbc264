#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what speedscope shows of files that wick wrote with what wick reports of the input.

    speedscope_totals.py FILE...      needs wick on the PATH, and $NODE_MODULES (see speedscope.mjs)

For all threads together: the total, and the ten functions with the most self and the most total weight.
"""
import csv
import io
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout


def reported(path):
    """{"self": [(weight, name), ...], "total": ...}; functions of several modules can have one name."""
    rows = list(csv.DictReader(io.StringIO(output("wick", "report", path, "--limit", "0", "--csv"))))
    return {column: [(float(row[column] or 0), row["name"]) for row in rows] for column in ("self", "total")}


def shown(path):
    """The first profile that speedscope shows: its total, and {"self": [(weight, name), ...], "total": ...}."""
    total, weights, column = None, {}, None
    for line in output("node", str(HERE / "speedscope.mjs"), path, "--top", "10").splitlines():
        if line.startswith("profile "):
            if total is not None:
                break
            total = float(line.rsplit(": ", 1)[1].split()[0])
        elif line.startswith("  "):
            weight, name = line.strip().split(" ", 1)
            weights[column].append((float(weight), name))
        else:
            column = line
            weights[column] = []
    return total, weights


def is_close(a, b):
    return abs(a - b) <= max(1e-9 * abs(a), 1e-3)


def differences(path):
    output("wick", "convert", path, "-o", "out.speedscope.json")
    total, tops = shown("out.speedscope.json")
    wick = reported(path)
    if not is_close(total, sum(weight for weight, _ in wick["self"])):
        yield f"another total: {total}"
    for column, top in tops.items():
        expected = sorted((weight for weight, _ in wick[column]), reverse=True)[:len(top)]
        if not all(is_close(weight, other) for weight, (other, _) in zip(expected, top)):
            yield f"other weights at the top of {column}"
        for weight, name in top:
            if not any(is_close(weight, other) for other, known in wick[column] if known == name):
                yield f"{column} of {name} is {weight}"


for each in sys.argv[1:]:
    found = list(differences(each))
    print(pathlib.Path(each).name, "equal" if not found else "; ".join(found[:3]))
