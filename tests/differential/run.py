#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records programs with Debian's perf and compares wick's stacks with those of `perf script`, sample by sample.

Samples are matched by thread and time; their frames are compared by name, leaf first. If perf is known to be wrong or
to lack data, a rule below explains the difference, which is counted and printed. A difference without a rule is a
failure.
Usage: run.py WICK WORKLOADS [--keep DIRECTORY]. Skipped, with a message, if perf cannot record.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import skips  # noqa: E402

HEAD = re.compile(r"^(?P<comm>.*?)\s+(?:(?P<pid>-?\d+)/)?(?P<tid>-?\d+)\s.*?(?P<time>\d+\.\d+):\s+(?P<rest>.*)$")
FRAME = re.compile(r"^\s+(?P<ip>[0-9a-f]+) (?P<name>.*) \((?P<module>.*)\)$")
Sample = collections.namedtuple("Sample", "event frames")


def recordings(workloads):
    """name: (perf's options, the program)"""
    truth = workloads / "truth"
    echo = workloads / "echo" / "echo_pairs"
    short = ["--seconds", "0.6"]
    return {
        "frame pointers": (["-F", "999", "-g"], [truth / "truth-fp", *short]),
        "dwarf": (["-F", "999", "--call-graph", "dwarf"], [truth / "truth", *short]),
        "dwarf, whole stack": (["-F", "499", "--call-graph", "dwarf,65528"], [truth / "truth-clang", *short]),
        "dwarf, static": (["-F", "999", "--call-graph", "dwarf"], [truth / "truth-static", *short]),
        "two events": (["-F", "999", "-g", "-e", "cpu-clock,task-clock"], [truth / "truth-fp", *short]),
        "many threads": (["-a", "-F", "499", "--call-graph", "dwarf"],
                         [echo, "--mode", "threads", "--pairs", "32", "--duration", "0.5"]),
        "compressed": (["-F", "999", "--call-graph", "dwarf", "-z"], [truth / "truth", *short]),
    }


def perf_samples(data):
    text = subprocess.run(["perf", "script", "-i", data, "--no-inline", "--ns", "--max-stack", "65535",
                           "-F", "comm,pid,tid,time,event,ip,sym,dso"], capture_output=True, text=True, check=True).stdout
    return parse(text)


def wick_samples(wick, data):
    text = subprocess.run([wick, "convert", data, "--to", "perf-script", "--no-inline"], capture_output=True, text=True,
                          check=True).stdout
    return parse(text)


def plain(name):
    """Removes the offset, and the version of a symbol, because aliases of one function differ in it."""
    name = re.sub(r"@@?[A-Z][\w.]*$", "", re.sub(r"\+0x[0-9a-f]+$", "", name))
    return re.sub(r"^__ia32_sys_", "__x64_sys_", name)  # both names refer to one function


def parse(text):
    """(tid, time): the samples of that moment"""
    samples = collections.defaultdict(list)
    for block in text.split("\n\n"):
        lines = [line for line in block.splitlines() if line and not line.startswith("#")]
        head = HEAD.match(lines[0]) if lines else None
        if not head:
            continue
        frames = [FRAME.match(line) for line in lines[1:]]
        names = [(plain(f["name"]), f["module"], int(f["ip"], 16)) for f in frames if f]
        event = re.sub(r"^\d+\s+", "", head["rest"]).strip(": ")
        seconds, fraction = head["time"].split(".")
        tid = max(0, int(head["tid"]))  # a thread that has exited: -1 in perf, which wick writes as 0
        samples[tid, int(seconds) * 10**9 + int(fraction.ljust(9, "0"))].append(Sample(event, names))
    return samples


def same_frame(perf, wick):
    """The same name, or the same address under another of its names, or an address that perf cannot name."""
    # perf prints kernel addresses unchanged, wick as offsets from the kernel's start, a multiple of a page.
    page = 4096 if perf[1] == wick[1] == "[kernel.kallsyms]" else 2**64
    distance = (perf[2] - wick[2]) % page
    return perf[0] in (wick[0], "[unknown]") or min(distance, page - distance) <= 1


def explain(perf, wick):
    """The reason for a known difference between two lists of frames, or None."""
    shown = [frame for frame in wick if frame[0] != "[missing frames]"]
    if len(shown) < len(wick):
        # The machine code proves that one of these functions did not call the next. perf shows them as if it had.
        reason = explain(perf, shown)
        return reason and "perf shows a call that the code rules out, wick a gap"
    # Outermost addresses outside all files: the chain is wrong from there on.
    while perf and perf[-1][1] == "[unknown]":
        perf = perf[:-1]
    while wick and wick[-1][1] == "[unknown]":
        wick = wick[:-1]
    if [f[0] for f in perf] == [f[0] for f in wick]:
        return "equal"
    agree = all(same_frame(p, w) for p, w in zip(perf[:126], wick))
    if len(perf) >= 126 and agree:
        return "beyond the 127 frames that perf follows"
    if len(wick) > len(perf) and agree:
        return "wick follows the stack further than perf"
    if len(perf) == len(wick) and agree:
        return "other names for the same places: aliases, the function before a return address, or none in perf"
    named = [f[0] for f in perf if f[0] != "[unknown]"]
    if named == [f[0] for f in wick[:len(named)]]:
        return "perf shows frames between that it cannot name"
    rest = iter(f[0] for f in wick)
    if len(wick) > len(perf) and all(f[0] in rest for f in perf):
        return "perf leaves out frames between"
    return None


def compare(name, perf, wick, show):
    counts, unexplained = collections.Counter(), []
    for key, there in perf.items():
        here = wick.get(key, [])
        if len(there) != len(here):
            unexplained.append((key, there, here))
            continue
        for p, w in zip(sorted(there), sorted(here)):
            reason = explain(p.frames, w.frames)
            counts[reason] += 1
            if reason is None:
                unexplained.append((key, p, w))
    extra = len(set(wick) - set(perf))
    print(f"{name}: {sum(counts.values())} samples, {len(unexplained)} unexplained, {extra} that perf does not show")
    for reason, count in counts.most_common():
        print(f"    {count:6} {reason or 'UNEXPLAINED'}")
    for key, p, w in unexplained[:show]:
        print(f"  thread {key[0]} at {key[1]}\n    perf: {p}\n    wick: {w}")
    # A handful may be samples in the middle of a call that perf reads differently; more of them are a bug in wick.
    allowed = 1 + sum(counts.values()) // 100
    return len(unexplained) <= allowed and extra == 0 and sum(counts.values()) > 0


def main():
    parser = argparse.ArgumentParser(description="wick's stacks against perf script's")
    parser.add_argument("wick", type=pathlib.Path)
    parser.add_argument("workloads", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path, help="keep the recordings here")
    parser.add_argument("--only", default="", help="only recordings whose name contains this")
    parser.add_argument("--show", type=int, default=3, help="how many unexplained differences to print")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="wick-differential-") as scratch:
        directory = options.keep or pathlib.Path(scratch)
        directory.mkdir(exist_ok=True)
        failed = False
        for name, (flags, program) in recordings(options.workloads.resolve()).items():
            if options.only not in name:
                continue
            data = directory / (re.sub(r"\W+", "-", name) + ".data")
            done = subprocess.run(["perf", "record", "-q", "-m", "4M", "-o", data, *flags, "--", *program],
                                  capture_output=True, text=True, check=False)
            if done.returncode != 0 or not data.exists():
                skips.report(name, f"perf cannot record here: {done.stderr.strip()}")
                continue
            if not compare(name, perf_samples(data), wick_samples(options.wick, data), options.show):
                failed = True
        return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
