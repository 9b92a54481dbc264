# SPDX-License-Identifier: Apache-2.0
"""A Python program whose correct profile is known.

It spends CPU time on paths through Python's kinds of functions, measures each path with the CPU clock of its thread,
and prints as JSON what a correct profile of that run shows. README.md explains the rows and the JSON.

A path runs in chunks of about a millisecond. The next chunk is always one of the row that is furthest below its weight.
Every row ends in a leaf of its own, so the share of a leaf is the share of its row.

Works with Python 3.8 and later, and needs no other module than those of the standard library. With the extension
(truth_native.c), there are also rows of native code.
"""
import argparse
import asyncio
import functools
import importlib.machinery
import importlib.util
import itertools
import json
import re
import sys
import sysconfig
import threading
import time

CHUNK_NS = 1_000_000
clock = time.thread_time_ns
tick = itertools.count(1).__next__  # counts the rounds of all leaves: the work of the program


class Row:
    """A path: the functions from the outermost one to the leaf, and what ran it. A task has a name; below the last
    function, native code may run, and not have the GIL."""

    def __init__(self, phase, weight, path, run, task=None, native=None, gil="holds"):
        self.phase, self.weight, self.path, self.run = phase, weight, path, run
        self.task, self.native, self.gil = task, native, gil
        self.cpu_ns = 0

    def run_chunk(self, chunk_ns=CHUNK_NS):
        began = clock()
        self.run(began + chunk_ns)
        used = clock() - began
        self.cpu_ns += used
        return used

    def as_json(self, spent):
        more = {name: value for name, value in (("task", self.task), ("native_function", self.native)) if value}
        return {"phase": self.phase, "path": self.path, "self_function": self.path[-1], "gil": self.gil,
                "cpu_ns": self.cpu_ns, "share": self.cpu_ns / spent, **more}


# ---- Leaves: loops without calls, so that their own time is that of the row ----


def method_leaf(until):
    total = 0
    while tick() and clock() < until:
        for i in range(400):
            total += i * i
    return total


def closure_leaf(until):
    total = 0
    while tick() and clock() < until:
        for i in range(400):
            total ^= i * 3
    return total


def recursion_leaf(until):
    total = 0
    while tick() and clock() < until:
        for i in range(400):
            total = total * 31 + i & 0xFFFFFF
    return total


def sort_leaf(until):
    total = 0
    while tick() and clock() < until:
        for i in range(400):
            total += i & 7
    return total


def match_leaf(until):
    total = 0
    while tick() and clock() < until:
        for i in range(400):
            total -= i | 1
    return total


def generator_leaf(until):
    total = 0
    while tick() and clock() < until:
        for i in range(400):
            total += i >> 1
    return total


def made_leaf(until):
    total = 0
    while tick() and clock() < until:
        for i in range(400):
            total += i << 1
    return total


def fold_leaf(until):
    total = 0
    while tick() and clock() < until:
        for i in range(400):
            total += -i
    return total


def größen_blatt(until):
    total = 0
    while tick() and clock() < until:
        for i in range(400):
            total += i % 3
    return total


def thread_leaf(until):
    total = 0
    while tick() and clock() < until:
        for i in range(400):
            total += i % 5
    return total


def beside_leaf(until):
    total = 0
    while tick() and clock() < until:
        for i in range(400):
            total += i & 3
    return total


def callback_leaf(until):
    total = 0
    while tick() and clock() < until:
        for i in range(400):
            total += i ^ 1
    return total


def fetch_leaf(until):
    total = 0
    while tick() and clock() < until:
        for i in range(400):
            total += i * 5
    return total


def parse_leaf(until):
    total = 0
    while tick() and clock() < until:
        for i in range(400):
            total -= i * 2
    return total


def store_leaf(until):
    total = 0
    while tick() and clock() < until:
        for i in range(400):
            total ^= i << 2
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


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def call_often(until):
    """Calls and nothing else: 1,219 of them for each look at the clock."""
    while tick() and clock() < until:
        fib(14)


# ---- Native code below Python: the extension ----


def hold(until):
    return EXTENSION.hold(until)


def release(until):
    return EXTENSION.release(until)


def called_back(until):
    return callback_leaf(until)


def call_native(until):
    return EXTENSION.call(called_back, until)


# ---- Tasks of asyncio ----


async def handle(row):
    row.run_chunk()
    await asyncio.sleep(0)


async def serve(row, total_ns):
    while row.cpu_ns < total_ns:
        await handle(row)


async def run_tasks(total_ns):
    asyncio.current_task().set_name("truth")
    weights = sum(row.weight for row in TASK_ROWS)
    tasks = [asyncio.create_task(serve(row, total_ns * row.weight / weights), name=row.task) for row in TASK_ROWS]
    await asyncio.gather(*tasks)


EXTENSION = None  # the module, once main() has loaded it
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
CALL_ROW = Row("calls", 10, ["call_often", "fib", "fib"], call_often)
THREAD_ROW = Row("thread", 10, ["work", "run_rows", "Row.run_chunk", "thread_leaf"], thread_leaf)
TASK_ROWS = [
    Row("tasks", 6, ["serve", "handle", "Row.run_chunk", "fetch_leaf"], fetch_leaf, task="fetch"),
    Row("tasks", 4, ["serve", "handle", "Row.run_chunk", "parse_leaf"], parse_leaf, task="parse"),
    Row("tasks", 2, ["serve", "handle", "Row.run_chunk", "store_leaf"], store_leaf, task="store"),
]
# These two run at the same time: one thread in native code, while another one has the GIL.
RELEASED_ROW = Row("released", 8, ["release"], release, native="truth_released_leaf", gil="released")
BESIDE_ROW = Row("released", 4, ["work", "run_rows", "Row.run_chunk", "beside_leaf"], beside_leaf)
NATIVE_ROWS = [
    Row("held", 8, ["hold"], hold, native="truth_held_leaf"),
    Row("callback", 5, ["call_native", "called_back", "callback_leaf"], call_native),
]
ALL_ROWS = [*ROWS, CALL_ROW, THREAD_ROW, *TASK_ROWS, RELEASED_ROW, BESIDE_ROW, *NATIVE_ROWS]
NEED_EXTENSION = {"released", "held", "callback"}


def run_rows(rows, total_ns, chunk_ns=CHUNK_NS):
    """Spends this much CPU time of the thread."""
    spent = 0
    while spent < total_ns:
        spent += min(rows, key=lambda row: row.cpu_ns / row.weight).run_chunk(chunk_ns)


def work(*arguments):
    run_rows(*arguments)


def run_in_threads(rows_and_times):
    threads = [threading.Thread(target=work, name=row.phase, args=([row], *times)) for row, *times in rows_and_times]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def load_extension(path):
    name = "truth_native"
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def read_flags():
    flags = argparse.ArgumentParser(description="Spends CPU time on known paths and prints what a profile must show.")
    flags.add_argument("--seconds", type=float, default=5, help="CPU time to spend (5)")
    flags.add_argument("--phases", default="", help="only these phases, separated by commas (all)")
    flags.add_argument("--extension", default="", help="truth_native.abi3.so, for the phases of native code")
    values = flags.parse_args()
    phases, known = set(filter(None, values.phases.split(","))), {row.phase for row in ALL_ROWS}
    if phases - known:
        flags.error(f"there is no phase {', '.join(sorted(phases - known))}")
    if values.seconds <= 0:
        flags.error("--seconds takes a time above 0")
    if values.extension and sysconfig.get_config_var("Py_GIL_DISABLED"):
        flags.error("a Python without the GIL cannot load the extension")
    if not values.extension and phases & NEED_EXTENSION:
        flags.error(f"{', '.join(sorted(phases & NEED_EXTENSION))}: needs --extension")
    values.phases = phases or (known if values.extension else known - NEED_EXTENSION)
    return values


def run_phases(phases, total_ns):
    """Returns the rows that ran. Threads come first, one after the other: except in `released`, no thread waits for the
    GIL."""
    rows = [row for row in ALL_ROWS if row.phase in phases]
    weights = sum(row.weight for row in rows)

    def time_of(*some):
        return total_ns * sum(row.weight for row in some) / weights

    if THREAD_ROW in rows:
        run_in_threads([(THREAD_ROW, time_of(THREAD_ROW))])
    if RELEASED_ROW in rows:
        run_in_threads([(RELEASED_ROW, time_of(RELEASED_ROW), 10 * CHUNK_NS), (BESIDE_ROW, time_of(BESIDE_ROW))])
    if TASK_ROWS[0] in rows:
        asyncio.run(run_tasks(time_of(*TASK_ROWS)))
    here = [row for row in rows if row in (*ROWS, CALL_ROW, *NATIVE_ROWS)]
    if here:
        run_rows(here, time_of(*here))
    return rows


def main():
    global EXTENSION
    flags = read_flags()
    EXTENSION = load_extension(flags.extension) if flags.extension else None
    began = time.monotonic_ns()
    rows = run_phases(flags.phases, flags.seconds * 1e9)
    elapsed_ns = time.monotonic_ns() - began
    spent = sum(row.cpu_ns for row in rows)
    process_ns = time.process_time_ns()
    released = sum(row.cpu_ns for row in rows if row.gil == "released")
    print(json.dumps({
        "program": "python_truth",
        "python": ".".join(map(str, sys.version_info[:3])),
        "rows": [row.as_json(spent) for row in rows],
        "gil": {"holds_ns": spent - released, "released_ns": released},
        "tasks": [{"task": row.task, "coroutines": row.path[:2], "awaited_by": "truth", "cpu_ns": row.cpu_ns,
                   "share": row.cpu_ns / spent} for row in rows if row.task],
        "totals": {"cpu_ns": spent, "process_cpu_ns": process_ns, "remainder_ns": process_ns - spent,
                   "elapsed_ns": elapsed_ns, "rounds": tick() - 1},
    }, ensure_ascii=False))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
