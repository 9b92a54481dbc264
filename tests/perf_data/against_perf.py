#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes recordings with the machine's own perf and reads them with wick and with perf: the same records, the same
samples in the same order, with the same weights, call chains and stack sizes.

    against_perf.py perf_data_dump [CASE...]

If perf cannot read its own recording (6.1 loses its position in compressed pipes, and crashes on some
directories), the script says so and compares the rest.

Exit status 77 means that perf cannot record on this machine. Cases that it cannot record are reported and
skipped.
"""
import collections
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import skips  # noqa: E402

WORK = ["sh", "-c", "i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done; ls -R /usr/lib | sort >/dev/null; true"]
FAR = "0xfffffffffffff001"  # call chain entries from here on are markers
# perf's statistics shorten the names of some of its own records.
FULL_NAMES = {"ATTR": "HEADER_ATTR", "EVENT_TYPE": "HEADER_EVENT_TYPE", "TRACING_DATA": "HEADER_TRACING_DATA",
              "BUILD_ID": "HEADER_BUILD_ID", "FEATURE": "HEADER_FEATURE"}

# name -> options of perf record. "PIPE" sends the recording through a pipe.
CASES = {
    "fp": "-e cpu-clock -F 4999 -g",
    "system-wide": "-a -e cpu-clock -F 999 -g",
    "dwarf": "-e cpu-clock -F 999 --call-graph dwarf",
    "dwarf-small": "-e cpu-clock -F 999 --call-graph dwarf,512",
    "no-call-graph": "-e cpu-clock -F 999",
    "fixed-period": "-e cpu-clock -c 1000000 -g",
    "two-events": "-e cpu-clock,task-clock -F 999 -g",
    "many-events": "-e cpu-clock,page-faults,context-switches,minor-faults -g",
    "group": "-e {cpu-clock,page-faults,minor-faults}:S -F 999",
    "group-inherit-off": "-i -e {cpu-clock,page-faults}:S -F 999 -g",
    "compressed": "-z -e cpu-clock -F 999 -g",
    "compressed-dwarf": "-z -e cpu-clock -F 999 --call-graph dwarf",
    "threads": "--threads -a -e cpu-clock -F 999 -g",
    "threads-compressed": "--threads -z -a -e cpu-clock -F 999 -g",
    "kcore": "--kcore -e cpu-clock -F 999 -g",
    "pipe": "PIPE -e cpu-clock -F 999 -g",
    "pipe-compressed": "PIPE -z -e cpu-clock -F 999 -g",
    "pipe-dwarf": "PIPE -e cpu-clock -F 999 --call-graph dwarf",
    "pipe-tracepoint": "PIPE -e sched:sched_switch -e cpu-clock -g",
    "tracepoint": "-e sched:sched_switch,sched:sched_wakeup -a -g",
    "switch-events": "--switch-events -e cpu-clock -F 999 -g",
    "switch-events-wide": "-a --switch-events -e cpu-clock -F 999",
    "everything": "-e cpu-clock -F 999 -g -d --phys-data --data-page-size --code-page-size --sample-cpu "
                  "--namespaces --all-cgroups --transaction --weight -T -P --intr-regs=ip,sp --user-regs=ip,sp",
    "identifier": "--sample-identifier -e cpu-clock,task-clock -F 999 -g",
    "no-time": "--no-timestamp -e cpu-clock -F 999 -g",
    "monotonic": "-k CLOCK_MONOTONIC -e cpu-clock -F 999 -g",
    "build-ids": "--buildid-mmap -e cpu-clock -F 999 -g",
    "stat": "-s -e cpu-clock -F 999",
    "lost": "-m 1 -a -e cpu-clock -F 20000 --call-graph dwarf,32768",
}


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, **options)


def record(perf, options, directory):
    """The path of the recording, or why there is none."""
    words = options.split()
    path = os.path.join(directory, "perf.data")
    if words[0] == "PIPE":
        with open(path, "wb") as file:
            done = subprocess.run([perf, "record", *words[1:], "-o", "-", "--", *WORK], stdout=file,
                                  stderr=subprocess.PIPE, check=False)
        message = done.stderr.decode(errors="replace")
    else:
        done = run([perf, "record", *words, "-o", path, "--", *WORK])
        message = done.stderr
    lines = [line for line in message.splitlines() if line.strip()] or ["no message"]
    return (path, "") if done.returncode == 0 else ("", lines[0])


def perf_counts(perf, path):
    """Records of each kind, as perf report --stats counts them; None if it fails."""
    counts = {}
    out = run([perf, "report", "--stats", "-i", path])
    for line in out.stdout.splitlines():
        if match := re.match(r"\s+(\w+) events:\s+(\d+)", line):
            counts[FULL_NAMES.get(match[1], match[1])] = int(match[2])
        elif line.endswith(" stats:") and counts:
            break  # the same again, by event
    counts.pop("TOTAL", None)
    return counts if out.returncode == 0 and counts else None


def perf_deliveries(perf, path):
    """The output of perf script: (time, tid, weight, event) for each sample, in its order; None if it fails."""
    fields = "tid,time,period,event"
    out = run([perf, "script", "--ns", "-F", fields, "-i", path])
    if "do not have TIME attribute" in out.stderr or "-F" in out.stderr:
        out = run([perf, "script", "-F", "tid,period,event", "-i", path])
    samples = []
    pattern = re.compile(r"\s*(\d+)\s+(?:(\d+)\.(\d{9}):\s+)?(\d+)\s+(\S+?):\s*$")
    for line in out.stdout.splitlines():
        if match := pattern.match(line):
            time = int(match[2] + match[3]) if match[2] else 0
            samples.append((time, int(match[1]), int(match[4]), match[5]))
    return samples if out.returncode == 0 else None


def perf_chains(perf, path):
    """The output of perf script -D for each sample: (time, pid, tid, ip, call chain, stack bytes); None if it
    fails."""
    samples, sample = [], None
    # The numbers at the start are CPU and time if there are two, else the time.
    head = re.compile(r"^((?:\d+ )*)(?:0|0x[0-9a-f]+) \[0x[0-9a-f]+\]: "
                      r"PERF_RECORD_SAMPLE\(\w+, 0x\w+\): (-?\d+)/(-?\d+): (0x[0-9a-f]+) ")
    dump = subprocess.Popen([perf, "script", "-D", "-i", path], stdout=subprocess.PIPE, text=True,
                            stderr=subprocess.DEVNULL, errors="replace")
    for line in dump.stdout:
        if line.startswith(".  ") or line.startswith(". "):
            continue  # bytes
        if match := head.match(line):
            time = int((match[1].split() or [0])[-1])
            sample = [time, int(match[2]), int(match[3]), int(match[4], 16), [], 0]
            samples.append(sample)
        elif sample and (match := re.match(r"^\.\.\.\.\.\s+\d+: ([0-9a-f]{16})$", line)):
            if int(match[1], 16) < int(FAR, 16):
                sample[4].append(int(match[1], 16))
        elif sample and (match := re.match(r"^\.\.\. ustack: size (\d+)", line)):
            sample[5] = int(match[1])
    return samples if dump.wait() == 0 else None


def wick_reading(dump, path):
    """Counts, samples and losses from perf_data_dump's text."""
    out = run([dump, path])
    if out.returncode != 0:
        return None, None, None, [out.stderr.strip()]
    counts, samples, kinds, problems = {}, [], {}, []
    sample = re.compile(r"^(\d+) cpu-?\d+ (?:guest\d+ )?(-?\d+)/(-?\d+) sample event=(\d+) weight=(\d+) "
                        r"\S+ (0x[0-9a-f]+) kernel=\[(.*?)\] user=\[(.*?)\] regs=\d+ stack=(\d+)")
    for line in out.stdout.splitlines():
        if match := sample.match(line):
            chain = [int(word, 16) for word in (match[7] + " " + match[8]).split()]
            samples.append((int(match[1]), int(match[2]), int(match[3]), int(match[6], 16), chain,
                            int(match[9]), int(match[5]), int(match[4])))
        elif match := re.match(r"^fact records (\w+): (\d+)", line):
            counts[match[1]] = int(match[2])
        elif match := re.match(r"^kind (\d+) (\S+) \(", line):
            kinds[int(match[1])] = match[2]
        elif " lost " in line and ("damaged" in line or "fit" in line or "describe" in line):
            problems.append(line)
    return counts, samples, kinds, problems


def first_difference(ours, theirs):
    for number, (mine, other) in enumerate(zip(ours, theirs)):
        if mine != other:
            return f"sample {number}: wick {mine}, perf {other}"
    return f"wick has {len(ours)}, perf {len(theirs)}"


def compare(perf, dump, path, options):
    """The differences, and what perf itself could not read, as text."""
    counts, samples, kinds, problems = wick_reading(dump, path)
    notes = []
    if counts is None:
        return problems, notes
    if not samples:
        problems.append("nothing was sampled")
    expected = perf_counts(perf, path)
    if expected is None:
        notes.append("perf report fails on it")
        expected = counts
    for name in sorted(set(counts) | set(expected)):
        if counts.get(name, 0) != expected.get(name, 0):
            problems.append(f"{name} records: wick {counts.get(name, 0)}, perf {expected.get(name, 0)}")

    timeless = "--no-timestamp" in options
    ours = [(0 if timeless else s[0], s[2], s[6], kinds[s[7]]) for s in samples]
    theirs = perf_deliveries(perf, path)
    if theirs is None:
        notes.append("perf script fails on it")
    elif sorted(ours) != sorted(theirs):
        problems.append("samples differ: " + first_difference(sorted(ours), sorted(theirs)))
    elif [s[0] for s in ours] != [s[0] for s in theirs]:
        problems.append("the order differs: " + first_difference([s[0] for s in ours], [s[0] for s in theirs]))

    if ":S" not in options:  # there, one record gives several samples
        ours = sorted(([0 if timeless else s[0], *s[1:6]] for s in samples), key=repr)
        theirs = perf_chains(perf, path)
        if theirs is None:
            notes.append("perf script -D fails on it")
        elif ours != sorted(theirs, key=repr):
            problems.append("call chains differ: " + first_difference(ours, sorted(theirs, key=repr)))
    return problems, notes


def main(dump, names):
    perf = shutil.which("perf")
    if perf is None:
        skips.skip_all("perf is not installed (package linux-perf)")
    results = collections.Counter()
    for name, options in CASES.items():
        if names and name not in names:
            continue
        with tempfile.TemporaryDirectory(prefix="wick-perf-") as directory:
            path, why = record(perf, options, directory)
            if not path:
                skips.report(name, f"perf cannot record this here ({why})")
                results["skipped"] += 1
                continue
            problems, notes = compare(perf, dump, path, options)
            print(f"{'FAILED' if problems else 'ok'} {name}{', but ' if notes else ''}{' and '.join(notes)}")
            for problem in problems:
                print("   " + problem[:600])
            results["failed" if problems else "passed"] += 1
    print(f"{results['passed']} passed, {results['failed']} failed, {results['skipped']} skipped")
    if results["failed"]:
        return 1
    return 0 if results["passed"] else 77


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
