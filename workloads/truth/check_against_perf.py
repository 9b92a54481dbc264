#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares a recording of truth with the table that truth printed.

    truth --seconds 10 >expected.json          (while something records it)
    check_against_perf.py expected.json RECORDING [--by path|self] [--hz 999] [--json]

RECORDING is the text of `perf script -F comm,pid,tid,time,event,ip,sym,dso`, or folded stacks, or - for standard input.

A sample belongs to a row if its innermost user function is the row's (a row with "*" takes all functions below the
last name of its path). If rows share a function, a name that only one of them has in its path decides; a sample
without such a name is ambiguous and counts for no row. --by self needs no stacks: it adds up the rows of one function
and omits the rows that need a stack.

Shares are of all samples of the program (by its process ids, or by its thread names), so that samples outside of all
rows are checked too, as the row "(elsewhere)". If a recording has neither, shares are of the samples found in rows.

The verdict: each row has a 95 % interval (Wilson), and one row in twenty may be outside by chance. The recording
disagrees if more rows are outside than chance explains, or if one is so far outside that chance causes it in one of a
hundred recordings. Status 0: it agrees, 1: it does not, 2: it cannot be read.
"""
import argparse
import collections
import functools
import json
import math
import re
import statistics
import sys

Frame = collections.namedtuple("Frame", "name kernel")
Sample = collections.namedtuple("Sample", "thread pid frames weight")  # frames: root first

HEADER = re.compile(r"^\s*(?P<comm>\S.*?)\s+(?:(?P<pid>\d+)/)?(?P<tid>\d+)\s+(?:\[\d+\]\s+)?\d+\.\d+:\s+"
                    r"(?:\d+\s+)?\S+:\s*(?P<flat>.*)$")
FRAME = re.compile(r"^\s+(?P<address>[0-9a-f]+)\s+(?P<name>.+?)(?:\+0x[0-9a-f]+)?\s+\((?P<module>[^()]*|inlined)\)$")
FOLDED = re.compile(r"^(?P<stack>.*) (?P<weight>\d+(?:\.\d+)?)$")
SUFFIX = re.compile(r"(\s*\[clone [^\]]*\]|\.(cold|part|isra|constprop|lto_priv|llvm)(\.\d+)*|@plt)+$")
KERNEL_HALF = 1 << 63
FAMILY_ERROR = 0.01


# ---- Names: "truth::(anonymous namespace)::f(int) [clone .cold]" is f. ---------------------------------------------

@functools.lru_cache(maxsize=None)
def bare(name):
    name = SUFFIX.sub("", name).replace("(anonymous namespace)::", "")
    name = re.split(r"[(<]", name, maxsplit=1)[0].strip()
    return name.rsplit("::", 1)[-1].rsplit(" ", 1)[-1]


# ---- Reading -------------------------------------------------------------------------------------------------------

def perf_frame(match):
    return Frame(bare(match["name"]), int(match["address"], 16) >= KERNEL_HALF)


def read_perf_script(lines):
    """A header and its frames, leaf first; without a call graph the one frame follows the header on its line."""
    head, frames = None, []

    def sample():
        return Sample(head["comm"], int(head["pid"] or 0), tuple(reversed(frames)), 1)

    for line in lines:
        if match := HEADER.match(line):
            if head:
                yield sample()
            head, frames = match, []
            if flat := FRAME.match(" " + match["flat"]):
                frames.append(perf_frame(flat))
        elif match := FRAME.match(line):
            frames.append(perf_frame(match))
    if head:
        yield sample()


def folded_frame(label):
    kernel = label.endswith("_[k]")
    return Frame(bare(re.sub(r"_\[[kijw]\]$", "", label)), kernel)


def read_folded(lines, thread_names):
    """Many writers put the thread's name first; it counts as one only if truth has such a thread."""
    for line in lines:
        if match := FOLDED.match(line):
            labels = match["stack"].split(";")
            thread = re.sub(r"[- ]\d+(/\d+)?$", "", labels[0])
            named = thread in thread_names and len(labels) > 1
            frames = tuple(folded_frame(label) for label in (labels[1:] if named else labels))
            yield Sample(thread if named else None, 0, frames, float(match["weight"]))


def read_samples(lines, expected):
    """All samples of a recording, including other programs; the first line shows the kind of text."""
    lines = [line.rstrip("\n") for line in lines]
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    if HEADER.match(first):
        return list(read_perf_script(lines))
    if FOLDED.match(first):
        return list(read_folded(lines, {row["thread_name"] for row in expected["rows"]}))
    raise ValueError("it is neither perf script text nor folded stacks")


def of_program(samples, expected):
    """The program's own samples, and whether they could be distinguished from the others."""
    pids = {process["pid"] for process in expected["processes"]}
    threads = {row["thread_name"] for row in expected["rows"]} | {expected["thread_name"]}
    if any(sample.pid for sample in samples):
        return [sample for sample in samples if sample.pid in pids], True
    if any(sample.thread for sample in samples):
        return [sample for sample in samples if sample.thread in threads], True
    return samples, False


# ---- Which row a sample belongs to ---------------------------------------------------------------------------------

def matched_names(path, names):
    """The names of the path that the stack contains, in order, from the leaf."""
    found, at = [], len(names) - 1
    for name in reversed(path):
        here = at
        while here >= 0 and names[here] != name:
            here -= 1
        if here >= 0:
            found.append(name)
            at = here - 1
    return found


class Rows:
    """The expected rows, found by a sample. The comparison is by key: a row's number, or a function's name."""

    def __init__(self, expected, by):
        self.rows = expected["rows"]
        self.by = by
        self.by_self = collections.defaultdict(list)
        self.by_inner = collections.defaultdict(list)
        for number, row in enumerate(self.rows):
            if row["self_function"] == "*":
                self.by_inner[row["path"][-1]].append(number)
            else:
                for name in {row["self_function"], row["symbol"]}:
                    self.by_self[name].append(number)

    def key(self, number):
        row = self.rows[number]
        if self.by == "path":
            return number
        return None if row["self_function"] == "*" else row["symbol"]

    def candidates(self, sample, names):
        found = self.by_self.get(names[-1], []) if names else []
        if not found:
            for name in reversed(names):
                if name in self.by_inner:
                    found = self.by_inner[name]
                    break
        if sample.thread is None:
            return found
        return [number for number in found if self.rows[number]["thread_name"] == sample.thread]

    def find(self, sample):
        """The row's number and the names of its path that the stack has; or None and whether it was ambiguous."""
        names = [frame.name for frame in sample.frames if not frame.kernel]
        candidates = self.candidates(sample, names)
        if not candidates:
            return None, False
        if self.by == "self":
            return candidates[0], matched_names(self.rows[candidates[0]]["path"], names)
        found = {number: matched_names(self.rows[number]["path"], names) for number in candidates}
        if len(candidates) == 1:
            return candidates[0], found[candidates[0]]
        seen = collections.Counter(name for number in candidates for name in set(self.rows[number]["path"]))
        sure = [number for number in candidates
                if len(found[number]) == len(self.rows[number]["path"]) or any(seen[n] == 1 for n in found[number])]
        if not sure or self.same_but_for_thread(sure):
            return None, True
        best = max(sure, key=lambda number: len(found[number]) / len(self.rows[number]["path"]))
        return best, found[best]

    def same_but_for_thread(self, numbers):
        return len(numbers) > 1 and len({tuple(self.rows[number]["path"]) for number in numbers}) == 1


# ---- Counting and comparing ----------------------------------------------------------------------------------------

class Tally:
    """Counts the properties of one key's samples."""

    def __init__(self):
        self.samples = self.whole = self.inlines = self.depth = self.kernel = self.wrong = 0

    def add(self, row, sample, found):
        weight, names = sample.weight, collections.Counter(frame.name for frame in sample.frames)
        inlined = set(row["inlined"])
        self.samples += weight
        real = [name for name in row["path"] if name not in inlined]
        self.whole += weight * all(name in found for name in real)
        self.inlines += weight * all(name in found for name in inlined)
        self.depth += weight * all(names[name] == count for name, count in row["repeats"].items())
        self.kernel += weight * sample.frames[-1].kernel
        self.wrong += weight * any(names[name] for name in row["absent"])


def wilson(count, total, z):
    if total == 0:
        return 0.0, 1.0
    share, square = count / total, z * z
    middle = (share + square / (2 * total)) / (1 + square / total)
    half = z * math.sqrt(share * (1 - share) / total + square / (4 * total * total)) / (1 + square / total)
    return max(0.0, middle - half), min(1.0, middle + half)


def most_by_chance(rows, error=0.05, trust=0.999):
    """The largest number of rows of a correct recording that are outside their interval."""
    below = 0.0
    for outside in range(rows + 1):
        below += math.comb(rows, outside) * error ** outside * (1 - error) ** (rows - outside)
        if below >= trust:
            return outside
    return rows


def expected_shares(expected, rows, whole_program):
    """Key to expected share; the rest of the program is the key None."""
    cpu = collections.Counter()
    for number, row in enumerate(expected["rows"]):
        cpu[rows.key(number)] += row["cpu_ns"]
    if whole_program:
        cpu[None] += expected["totals"]["remainder_ns"]
    else:
        del cpu[None]
    total = sum(cpu.values())
    return {key: value / total for key, value in cpu.items()}


def label_of(rows, key):
    if key is None:
        return "(elsewhere)"
    if rows.by == "self":
        return key
    row = rows.rows[key]
    start = "" if row["path"][0] == "main" else row["thread_name"] + ": "
    path = [name for name in row["path"] if name != "main"]
    return f'{row["phase"]}: {start}{" > ".join(path)}{" > *" if row["self_function"] == "*" else ""}'


def compare(expected, samples, by="path"):
    """The whole comparison as a dictionary; samples as read_samples returns them."""
    mine, whole_program = of_program(samples, expected)
    rows = Rows(expected, by)
    tallies = collections.defaultdict(Tally)
    elsewhere = ambiguous = 0
    for sample in mine:
        number, found = rows.find(sample)
        if number is not None and rows.key(number) is not None:
            tallies[rows.key(number)].add(expected["rows"][number], sample, found)
        else:
            elsewhere += sample.weight
            ambiguous += sample.weight if found is True else 0
    shares = expected_shares(expected, rows, whole_program)
    total = sum(tally.samples for tally in tallies.values()) + (elsewhere if whole_program else 0)
    z95 = statistics.NormalDist().inv_cdf(0.975)
    far = statistics.NormalDist().inv_cdf(1 - FAMILY_ERROR / len(shares) / 2)
    lines = []
    for key, share in shares.items():
        tally = tallies[key]
        count = elsewhere if key is None else tally.samples
        low, high = wilson(count, total, z95)
        low_far, high_far = wilson(count, total, far)
        lines.append({
            "row": label_of(rows, key), "expected": share, "measured": count / total if total else 0.0,
            "low": low, "high": high, "inside": low <= share <= high, "far_outside": not low_far <= share <= high_far,
            "samples": count, **quality(expected, key, tally, by),
        })
    outside = sum(not line["inside"] for line in lines)
    allowed = most_by_chance(len(lines))
    agrees = total > 0 and outside <= allowed and not any(line["far_outside"] for line in lines)
    return {"by": by, "samples": total, "ambiguous": ambiguous, "rows": lines, "outside": outside,
            "outside_by_chance": allowed, "agrees": agrees}


def quality(expected, key, tally, by):
    """The quality of the stacks of a row, as shares of its samples."""
    if by == "self" or key is None or tally.samples == 0:
        return {}
    row = expected["rows"][key]
    shown = {"path": tally.whole / tally.samples}
    if row["inlined"]:
        shown["inlines"] = tally.inlines / tally.samples
    if row["repeats"]:
        shown["depth"] = tally.depth / tally.samples
    if row["mode"] != "user":
        shown["kernel"] = tally.kernel / tally.samples
    if row["absent"]:
        shown["wrong"] = tally.wrong / tally.samples
    return shown


# ---- Showing -------------------------------------------------------------------------------------------------------

def coverage(expected, result, hz):
    """The CPU time that the samples represent, over the CPU time that the kernel counted for the program."""
    return result["samples"] / hz / (expected["totals"]["process_cpu_ns"] / 1e9)


def show(result):
    width = max(len(line["row"]) for line in result["rows"])
    print(f'{"row":<{width}}  expected measured  95 % interval   verdict  of its samples')
    for line in result["rows"]:
        verdict = "ok" if line["inside"] else "FAR OUT" if line["far_outside"] else "outside"
        more = " ".join(f"{what} {100 * line[what]:.0f}%" for what in ("path", "inlines", "depth", "kernel", "wrong")
                        if what in line)
        print(f'{line["row"]:<{width}}  {100 * line["expected"]:7.2f}% {100 * line["measured"]:7.2f}% '
              f'{100 * line["low"]:6.2f}..{100 * line["high"]:5.2f}%   {verdict:<8} {more}'.rstrip())
    print(f'{result["samples"]:.0f} samples, {result["ambiguous"]:.0f} of them ambiguous; {result["outside"]} of '
          f'{len(result["rows"])} rows outside their interval, chance allows {result["outside_by_chance"]}: '
          f'the recording {"agrees" if result["agrees"] else "DISAGREES"} with the table.')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("expected", help="the JSON that truth printed")
    parser.add_argument("recording", help="perf script text or folded stacks; - is standard input")
    parser.add_argument("--by", choices=("path", "self"), default="path", help="compare whole paths, or leaves only")
    parser.add_argument("--hz", type=float, help="the sampling frequency: also shows how much CPU time was caught")
    parser.add_argument("--json", action="store_true", help="the comparison as JSON")
    arguments = parser.parse_args()
    try:
        with open(arguments.expected, encoding="utf-8") as file:
            expected = json.load(file)
        if arguments.recording == "-":
            samples = read_samples(sys.stdin, expected)
        else:
            with open(arguments.recording, encoding="utf-8", errors="replace") as file:
                samples = read_samples(file, expected)
        result = compare(expected, samples, arguments.by)
    except (OSError, ValueError, KeyError) as problem:
        print(f"check_against_perf: The input cannot be used: {problem}.", file=sys.stderr)
        return 2
    if arguments.hz:
        result["coverage"] = coverage(expected, result, arguments.hz)
    if arguments.json:
        print(json.dumps(result))
    else:
        show(result)
        if arguments.hz:
            print(f'The samples stand for {100 * result["coverage"]:.1f} % of the CPU time that the kernel counted.')
    return 0 if result["agrees"] else 1


if __name__ == "__main__":
    sys.exit(main())
