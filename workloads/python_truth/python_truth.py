# SPDX-License-Identifier: Apache-2.0
"""A Python program whose correct profile is known.

It spends CPU time on paths through Python's kinds of functions, measures each path with the CPU clock of its thread,
and prints as JSON what a correct profile of that run shows. README.md explains the rows and the JSON.

A path runs in chunks of about a millisecond. The next chunk is always one of the row that is furthest below its weight.
Every row ends in a leaf of its own, so the share of a leaf is the share of its row.

Works with Python 3.8 and later, and needs no other module than those of the standard library.
"""
import argparse
import functools
import json
import re
import sys
import threading
import time

CHUNK_NS = 1_000_000
clock = time.thread_time_ns


class Row:
    """A path: the functions from the outermost one to the leaf, and what ran it."""

    def __init__(self, phase, weight, path, run):
        self.phase, self.weight, self.path, self.run = phase, weight, path, run
        self.cpu_ns = 0


# ---- Leaves: loops without calls, so that their own time is that of the row ----


def method_leaf(until):
    total = 0
    while clock() < until:
        for i in range(400):
            total += i * i
    return total


def closure_leaf(until):
    total = 0
    while clock() < until:
        for i in range(400):
            total ^= i * 3
    return total


def recursion_leaf(until):
    total = 0
    while clock() < until:
        for i in range(400):
            total = total * 31 + i & 0xFFFFFF
    return total


def sort_leaf(until):
    total = 0
    while clock() < until:
        for i in range(400):
            total += i & 7
    return total


def match_leaf(until):
    total = 0
    while clock() < until:
        for i in range(400):
            total -= i | 1
    return total


def generator_leaf(until):
    total = 0
    while clock() < until:
        for i in range(400):
            total += i >> 1
    return total


def made_leaf(until):
    total = 0
    while clock() < until:
        for i in range(400):
            total += i << 1
    return total


def fold_leaf(until):
    total = 0
    while clock() < until:
        for i in range(400):
            total += -i
    return total


def größen_blatt(until):
    total = 0
    while clock() < until:
        for i in range(400):
            total += i % 3
    return total


def thread_leaf(until):
    total = 0
    while clock() < until:
        for i in range(400):
            total += i % 5
    return total


# ---- Paths to them ----


class Engine:
    def run(self, until):
        return self.step(until)

    def step(self, until):
        return method_leaf(until)


def make_counter():
    def count(until):
        return closure_leaf(until)

    return count


def fall(depth, until):
    return recursion_leaf(until) if depth == 0 else fall(depth - 1, until)


def sort_items(until):
    def key_of(item):
        return sort_leaf(until) if item == 0 else item

    return sorted(range(3), key=key_of)


def substitute(until):
    def replacement(match):
        return str(match_leaf(until))

    return re.sub("x", replacement, "x")


def produce(until):
    yield 0
    yield generator_leaf(until)


def consume(until):
    return sum(value & 1 for value in produce(until))


def run_made(until):
    """New code each time, which is freed afterwards: another function gets its address."""
    names = {"made_leaf": made_leaf}
    exec(compile("def made(until):\n\n    return made_leaf(until)\n", "<made>", "exec"), names)
    return names["made"](until)


def add_up(total, until):
    return total + fold_leaf(until)


def fold(until):
    return functools.reduce(add_up, [until], 0)


def überschlag(until):
    return (lambda end: größen_blatt(end))(until)


DEPTH = 40
COUNTER = make_counter()
# Comprehensions and generator expressions are functions of their own in some versions, so paths leave them out.
ROWS = [
    Row("methods", 15, ["Engine.run", "Engine.step", "method_leaf"], lambda until: Engine().run(until)),
    Row("closure", 10, ["make_counter.<locals>.count", "closure_leaf"], lambda until: COUNTER(until)),
    Row("recursion", 15, ["fall"] * (DEPTH + 1) + ["recursion_leaf"], lambda until: fall(DEPTH, until)),
    Row("sort", 12, ["sort_items", "sort_items.<locals>.key_of", "sort_leaf"], sort_items),
    Row("match", 8, ["substitute", "substitute.<locals>.replacement", "match_leaf"], substitute),
    Row("generator", 10, ["consume", "produce", "generator_leaf"], consume),
    Row("made", 5, ["run_made", "made", "made_leaf"], run_made),
    Row("fold", 10, ["fold", "add_up", "fold_leaf"], fold),
    Row("umlaut", 5, ["überschlag", "überschlag.<locals>.<lambda>", "größen_blatt"], überschlag),
]
THREAD_ROW = Row("thread", 10, ["work", "run_rows", "thread_leaf"], None)


def run_rows(rows, total_ns):
    """Spends this much CPU time of the thread."""
    spent = 0
    while spent < total_ns:
        row = min(rows, key=lambda row: row.cpu_ns / row.weight)
        began = clock()
        row.run(began + CHUNK_NS)
        row.cpu_ns += (used := clock() - began)
        spent += used


def work(total_ns):
    THREAD_ROW.run = thread_leaf
    run_rows([THREAD_ROW], total_ns)


def main():
    flags = argparse.ArgumentParser(description="Spends CPU time on known paths and prints what a profile must show.")
    flags.add_argument("--seconds", type=float, default=5, help="CPU time to spend (5)")
    flags.add_argument("--phases", default="", help="only these phases, separated by commas (all)")
    seconds, phases = (values := flags.parse_args()).seconds, set(filter(None, values.phases.split(",")))
    unknown = phases - {row.phase for row in [*ROWS, THREAD_ROW]}
    if unknown or seconds <= 0:
        flags.error(f"there is no phase {', '.join(sorted(unknown))}" if unknown else "--seconds takes a time above 0")
    rows = [row for row in ROWS if not phases or row.phase in phases]
    has_thread = not phases or THREAD_ROW.phase in phases
    weights = sum(row.weight for row in rows) + (THREAD_ROW.weight if has_thread else 0)
    total_ns = seconds * 1e9
    if has_thread:
        thread = threading.Thread(target=work, name="red", args=(total_ns * THREAD_ROW.weight / weights,))
        thread.start()
        thread.join()  # one after the other: nobody waits for the GIL
    if rows:
        run_rows(rows, total_ns * sum(row.weight for row in rows) / weights)
    rows += [THREAD_ROW] if has_thread else []
    spent = sum(row.cpu_ns for row in rows)
    process_ns = time.process_time_ns()
    print(json.dumps({
        "program": "python_truth",
        "python": ".".join(map(str, sys.version_info[:3])),
        "rows": [{"phase": row.phase, "path": row.path, "self_function": row.path[-1], "cpu_ns": row.cpu_ns,
                  "share": row.cpu_ns / spent} for row in rows],
        "totals": {"cpu_ns": spent, "process_cpu_ns": process_ns, "remainder_ns": process_ns - spent},
    }, ensure_ascii=False))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
