# SPDX-License-Identifier: Apache-2.0
"""Generates the folded files that the benchmarks read: the same bytes on every machine.

A profile of a large program repeats itself (most stacks share a long prefix from main), a profile of many
small ones does not; a reader that is fast on one kind may be slow on the other. So stacks alternate: one adds
two frames to one of a thousand long prefixes, the next is random from the root on. Names look like C++
methods. Stacks are distinct because their last two frames are: a pair of names never occurs twice.

A file has exactly STACKS lines of 200 bytes on average: lengths vary, each stack gets the depth that brings
the running total near its target, and padding in the last line gives the exact size.

Usage: data.py STACKS UNSORTED SORTED
"""
import os
import random
import sys

BYTES_PER_STACK = 200
NAMES = 5003  # a prime, so that the steps below visit every pair of names
PREFIXES = 1000

NAMESPACES = ["net", "store::index", "sql::plan", "std::__detail", "rpc", "codec::h2", "app", "io::ring"]
CLASSES = ["Cursor", "HashTable<Key, Value>", "Session", "PageCache", "Decoder", "WorkQueue<Task>", "Arena",
           "Planner", "LogWriter", "Channel"]
METHODS = ["find", "insert", "on_readable", "flush", "decode_block", "next", "compare", "operator()", "grow",
           "evict_oldest", "lookup_or_create", "run"]
ARGUMENTS = ["()", "(int)", "(char const*)", "(Span const&) const", "(unsigned long)"]
THREADS = ["main", "worker-1", "worker-2", "worker-3", "flusher", "rpc-poll", "gc"]


def function_names(rng):
    pick = lambda words: words[int(rng.random() * len(words))]
    return [f"{pick(NAMESPACES)}::{pick(CLASSES)}::{pick(METHODS)}_{i:x}{pick(ARGUMENTS)}" for i in range(NAMES)]


def make_prefixes(rng, names):
    """Paths from a thread down; each extends an earlier one, as in a real call tree."""
    prefixes = [f"{thread};" for thread in THREADS]
    while len(prefixes) < PREFIXES:
        parent = prefixes[int(rng.random() * len(prefixes))]
        child = parent + names[int(rng.random() * NAMES)] + ";"
        if len(child) <= 170:
            prefixes.append(child)
    return [p for p in prefixes if len(p) > 60]


def make_lines(stacks):
    rng = random.Random(1)
    names = function_names(rng)
    prefixes = make_prefixes(rng, names)
    roll = rng.random
    written = 0
    for i in range(stacks):
        pair = (i * 7_654_321) % (NAMES * NAMES)  # visits each pair of names once
        tail = f"{names[pair // NAMES]};{names[pair % NAMES]} {1 + int(1 / (roll() + 0.001))}\n"
        line = prefixes[int(roll() * len(prefixes))] if i % 2 else THREADS[int(roll() * len(THREADS))] + ";"
        wanted = (i + 1) * BYTES_PER_STACK - written - len(tail)
        while i % 2 == 0 and len(line) + 20 < wanted:
            line += names[int(roll() * NAMES)] + ";"
        if i == stacks - 1:
            line = "x" * (wanted - 1) + ";"
        line += tail
        written += len(line)
        yield line


def write_atomically(path, lines):
    with open(path + ".part", "w", encoding="ascii", newline="") as out:
        out.writelines(lines)
    os.replace(path + ".part", path)


def main(stacks, unsorted, sorted_):
    lines = list(make_lines(int(stacks)))
    size = sum(map(len, lines))
    assert size == int(stacks) * BYTES_PER_STACK, f"made {size} bytes"
    write_atomically(unsorted, lines)
    lines.sort()
    write_atomically(sorted_, lines)


if __name__ == "__main__":
    main(*sys.argv[1:])
