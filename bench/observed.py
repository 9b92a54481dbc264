# SPDX-License-Identifier: Apache-2.0
"""Compares recordings of wick and of perf with the known profile of a program.

An observation is a function of this file. It records the program with both, a few times in turns, and returns the
figures of each side by name: {"wick": {"accounted": [0.998, 1.001]}, "perf": {...}}. rows.py names the function and
the range in which every figure of wick must be. If the time of one part of wick is needed, wick prints it.
"""
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measure import CommandFailed
from recordings import Unavailable

WORKLOADS = Path(__file__).resolve().parent.parent / "build" / "workloads"
CHECKER = Path(__file__).resolve().parent.parent / "workloads" / "truth" / "check_against_perf.py"
ADDRESSES = Path(__file__).resolve().parent / "addresses"
THREADS = "506"
COPY = "dwarf,65528"


class Bench:
    """The tools, the programs and a directory for recordings."""

    def __init__(self, wick, perf, program, drop, scratch, quick):
        self.wick, self.perf, self.program, self.drop = str(wick), perf, str(program), str(drop)
        self.quick = quick
        self.wick_file, self.perf_file = str(scratch / "observed.wick"), str(scratch / "observed.perf.data")

    def run(self, *words, statuses=(0,), **more):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **more)
        if done.returncode not in statuses:
            said = (done.stderr.strip().splitlines() or ["(it printed nothing)"])[-1]
            raise CommandFailed(f"{os.path.basename(str(words[0]))} ended with {done.returncode}: {said}")
        return done.stdout

    def record(self, program, *flags):
        """The output of the program."""
        return self.run(self.wick, "record", "-q", "-o", self.wick_file, *flags, "--", *program)

    def record_perf(self, program, *flags):
        if self.perf is None:
            return None
        # -N: do not copy build ids into the user's cache
        return self.run(self.perf, "record", "-q", "-N", "-e", "cpu-clock", "-o", self.perf_file, *flags, "--", *program)

    def ask(self, verb, path, *flags):
        """Status 3: successful, but with large losses."""
        return json.loads(self.run(self.wick, verb, path, "--json", "--limit", "0", *flags, statuses=(0, 3)))

    def script(self, *fields):
        return self.run(self.perf, "script", "-i", self.perf_file, "-F", ",".join(fields), "--no-inline", "--max-stack",
                        "4000")

    def remove_files(self):
        for path in (self.wick_file, self.perf_file):
            Path(path).unlink(missing_ok=True)


def sides(bench, wick, perf, repeat):
    """Figures of REPEAT turns. wick() and perf() return those of one turn as a dictionary."""
    seen = {"wick": {}, "perf": {}}
    for _ in range(1 if bench.quick else repeat):
        for name, look in (("wick", wick), ("perf", perf)):
            if name == "perf" and bench.perf is None:
                continue
            for figure, value in look().items():
                seen[name].setdefault(figure, []).append(value)
    return seen


def lost_samples(report):
    return sum(loss["count"] or 0 for loss in report["loss"] if loss["what"] == "samples" and loss["data_loss"])


def many_threads(bench, frequency):
    """accounted: weights over the CPU time that the program reports; lost: missing samples."""
    program = [bench.program, "threads", THREADS, "3"]
    flags = ["-F", str(frequency), "--call-graph", COPY]

    def wick():
        cpu = float(bench.record(program, *flags).split()[-1])
        report = bench.ask("report", bench.wick_file)
        lost = lost_samples(report)
        return {"accounted": report["total"] / 1e9 / cpu, "lost": lost / (report["samples"] + lost)}

    def perf():
        cpu = float(bench.record_perf(program, *flags).split()[-1])
        periods = [int(period) for period in bench.script("period").split()]
        expected = cpu * frequency
        return {"accounted": sum(periods) / 1e9 / cpu, "lost": max(0, 1 - len(periods) / expected)}

    return sides(bench, wick, perf, 3)


def slow_downs(bench, ways, look=lambda way, cpu: None):
    """The work that the program loses while it is recorded, over its work when alone, for each way to record it: in a
    second, and in a second of its own CPU time. The latter does not contain the recorder's CPU time, but other programs
    on a busy machine hardly change it. A turn has all ways within seconds, and starts with another one than the
    previous turn; a figure is the median of turns, since a turn on a busy machine is wrong by more than the effect
    itself. `look` gets each recording."""
    order = list(ways)
    slowed = {way: [] for way in order if way != "alone"}
    slowed_cpu = {way: [] for way in slowed}
    for _ in range(1 if bench.quick else 12):
        rate, cpu_rate = {}, {}
        for way in order:
            rate[way], cpu_rate[way], cpu = (float(word) for word in ways[way]().split())
            if way != "alone":
                look(way, cpu)
        order = order[1:] + order[:1]
        for way, figures in slowed.items():
            figures.append(1 - rate[way] / rate["alone"])
            slowed_cpu[way].append(1 - cpu_rate[way] / cpu_rate["alone"])
    return tuple({way: max(statistics.median(figures), 1e-4) for way, figures in kind.items()}
                 for kind in (slowed, slowed_cpu))


def work_done(bench, threads):
    """slowed: see slow_downs. sampled: the samples taken, over the number that the program's CPU time should give. over
    perf: wick's slow-down over perf's, with copies of 8 KB at the requested rate; per sample: the same, each divided by
    its number of samples; over perf -a: over that of perf on all CPUs; CPU: of work in a second of CPU time."""
    frequency = 999
    program = [bench.program, "threads", threads, "1.5"]
    flags = ["-F", str(frequency), "--call-graph", "dwarf"]
    ways = {"alone": lambda: bench.run(*program), "wick": lambda: bench.record(program, "-F", str(frequency))}
    if bench.perf is not None:
        ways["perf"] = lambda: bench.record_perf(program, *flags)
        ways["perf -a"] = lambda: bench.record_perf(program, "-a", *flags)
    sampled = {way: [] for way in ways}

    def count(way, cpu):
        recording = bench.wick_file if way == "wick" else bench.perf_file
        sampled[way].append(bench.ask("report", recording, "--no-inline")["samples"] / (cpu * frequency))

    slow, slow_cpu = slow_downs(bench, ways, count)
    seen = {way: {"slowed": [slow[way]], "slowed, CPU": [slow_cpu[way]], "sampled": [statistics.median(sampled[way])]}
            for way in slow if way != "perf -a"}
    if "perf" in slow:
        taken = {way: figures["sampled"][0] for way, figures in seen.items()}
        seen["wick"]["over perf"] = [slow["wick"] / slow["perf"]]
        seen["wick"]["per sample"] = [slow["wick"] / taken["wick"] / (slow["perf"] / taken["perf"])]
        seen["wick"]["over perf -a"] = [slow["wick"] / slow["perf -a"]]
        seen["wick"]["over perf -a, CPU"] = [slow_cpu["wick"] / slow_cpu["perf -a"]]
    return seen


def work_done_as_typed(bench, threads):
    """Each at its default rate: wick 997 times a second, perf 4000."""
    program = [bench.program, "threads", threads, "1.5"]
    ways = {"alone": lambda: bench.run(*program), "wick": lambda: bench.record(program)}
    if bench.perf is not None:
        ways["perf"] = lambda: bench.record_perf(program, "--call-graph", "dwarf")
    slow, _ = slow_downs(bench, ways)
    seen = {way: {"slowed": [figure]} for way, figure in slow.items()}
    if "perf" in slow:
        seen["wick"]["over perf"] = [slow["wick"] / slow["perf"]]
    return seen


def cpu_of(words):
    """CPU seconds of one command and the programs it waits for."""
    child = os.posix_spawnp(words[0], words, os.environ)
    _, status, usage = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise CommandFailed(f"{os.path.basename(words[0])} ended with {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime


def recorder_cpu(bench, threads):
    """CPU seconds of recorders that are attached for four seconds, in turns. kernel alone: a program that opens wick's
    events and drops the samples (programs/drop.cc). over perf: whole stacks, against copies of 64 KB; over perf, 8 KB:
    against perf's default copies; over perf, fp: both with frame pointers. Each is the median of the turns' ratios."""
    seconds = "1" if bench.quick else "4"
    target = subprocess.Popen([bench.program, "threads", threads, "600"], stdout=subprocess.DEVNULL,
                              start_new_session=True)
    wick = [bench.wick, "record", "-q", "-F", "999", "-p", str(target.pid), "--duration", seconds,
            "-o", bench.wick_file]
    ways = {"wick": wick, "wick, fp": [*wick, "--call-graph", "fp"], "kernel alone": [bench.drop, seconds]}
    if bench.perf is not None:
        for name, mode in (("perf", COPY), ("perf, 8 KB", "dwarf"), ("perf, fp", "fp")):
            ways[name] = [bench.perf, "record", "-q", "-N", "-e", "cpu-clock", "-F", "999", "--call-graph", mode, "-o",
                          bench.perf_file, "-p", str(target.pid), "--", "sleep", seconds]
    turns = []
    try:
        time.sleep(1)
        for _ in range(1 if bench.quick else 7):
            turns.append({name: cpu_of(words) for name, words in ways.items()})
    finally:
        target.kill()
        target.wait()

    def middle(figure):
        return [statistics.median(figure(turn) for turn in turns)]

    seen = {"wick": {name: middle(lambda turn, way=way: turn[way])
                     for name, way in (("cpu", "wick"), ("kernel alone", "kernel alone"))}, "perf": {}}
    if bench.perf is not None:
        seen["perf"]["cpu"] = middle(lambda turn: turn["perf"])
        seen["wick"]["over perf"] = middle(lambda turn: turn["wick"] / turn["perf"])
        seen["wick"]["over perf, 8 KB"] = middle(lambda turn: turn["wick"] / turn["perf, 8 KB"])
        seen["wick"]["over perf, fp"] = middle(lambda turn: turn["wick, fp"] / turn["perf, fp"])
    return seen


def attach_to_a_server(bench):
    """latency: seconds from the command to the first sample it took. The server has its own session, as
    servers do; a command of the same session waits for its first turn as long as the kernel makes it wait."""
    seconds = 60
    server = subprocess.Popen([bench.program, "threads", THREADS, str(seconds)], stdout=subprocess.DEVNULL,
                              start_new_session=True)

    def first(times):
        return min(times) if times else float("inf")

    def wick():
        start = time.clock_gettime(time.CLOCK_MONOTONIC)
        bench.run(bench.wick, "record", "-q", "-p", server.pid, "--duration", "0.5", "-o", bench.wick_file)
        text = bench.run(bench.wick, "convert", bench.wick_file, "--to", "perf-script", "-o", "-")
        return {"latency": first([float(at) for at in re.findall(r" (\d+\.\d+): ", text)]) - start}

    def perf():
        start = time.clock_gettime(time.CLOCK_MONOTONIC)
        bench.run(bench.perf, "record", "-q", "-N", "-e", "cpu-clock", "-k", "CLOCK_MONOTONIC", "--call-graph", "dwarf",
                  "-o", bench.perf_file, "-p", server.pid, "--", "sleep", "0.5")
        return {"latency": first([float(at.rstrip(":")) for at in bench.script("time").split()]) - start}

    try:
        time.sleep(1)
        return sides(bench, wick, perf, 5)
    finally:
        server.kill()
        server.wait()


def complete_stacks(bench):
    """complete: the share of samples whose stack reaches _start or the start of a thread, for each program; perf's are
    those of frame pointers, read by wick."""
    python = "import time\nend = time.process_time() + 2\ndef f(n): return n if n < 2 else f(n - 1) + f(n - 2)\n" \
             "while time.process_time() < end: f(18)"
    programs = [[bench.program, "leaf", "2"], [bench.program, "pit", "2"], [bench.program, "threads", "64", "1"],
                ["/usr/bin/python3", "-c", python]]
    variants = sorted((WORKLOADS / "truth").glob("truth*"))
    programs += [[str(path), "--seconds", "10"] for path in variants if path.suffix == "" and os.access(path, os.X_OK)]
    seen = {"wick": {"complete": []}, "perf": {"complete": []}}
    for program in programs[:2] if bench.quick else programs:
        bench.record(program)
        quality = bench.ask("quality", bench.wick_file)
        seen["wick"]["complete"].append(quality["figures"]["complete"] / max(1, quality["samples"]))
        if bench.record_perf(program, "-F", "997", "-g") is not None:
            quality = bench.ask("quality", bench.perf_file)
            seen["perf"]["complete"].append(quality["figures"]["complete"] / max(1, quality["samples"]))
    return seen


def deepest_stack(bench):
    """frames: of the deepest stack, which has 1,000 calls of one function and some around them."""
    program = [bench.program, "pit", "2"]

    def wick():
        bench.record(program)
        folded = bench.run(bench.wick, "convert", bench.wick_file, "--to", "folded", "-o", "-")
        return {"frames": max(line.count(";") + 1 for line in folded.splitlines())}

    def perf():
        bench.record_perf(program, "-F", "997", "--call-graph", COPY)
        return {"frames": max(stack.count("\n") for stack in bench.script("ip,sym").split("\n\n"))}

    return sides(bench, wick, perf, 1)


def callers_of_leaves(bench):
    """named: the share of samples in a leaf in which its calling function is the next frame."""
    program = [bench.program, "leaf", "2"]

    def share(stacks):
        in_leaf = [stack for stack in stacks if stack and stack[0] == "bench_leaf"]
        return sum(stack[1:2] == ["bench_caller"] for stack in in_leaf) / max(1, len(in_leaf))

    def plain(name):
        return re.sub(r"\(.*", "", name)

    def wick():
        bench.record(program)
        folded = bench.run(bench.wick, "convert", bench.wick_file, "--to", "folded", "-o", "-")
        stacks = []
        for line in folded.splitlines():
            names, _, count = line.rpartition(" ")
            stacks += [[plain(name) for name in reversed(names.split(";"))]] * int(count)
        return {"named": share(stacks)}

    def perf():
        bench.record_perf(program, "-F", "997", "-g")
        return {"named": share([[plain(name) for name in stack.split("\n") if name.strip()]
                                for stack in re.sub(r"[ \t]+", "", bench.script("sym")).split("\n\n")])}

    return sides(bench, wick, perf, 1)


def shares_of_truth(bench):
    """inside: the share of the rows of the workload truth whose true share is in the printed 95 % interval."""
    truth = WORKLOADS / "truth" / "truth"
    if not truth.exists():
        raise Unavailable("the workload truth is not built: make workloads")

    def verdict(printed, script):
        expected = Path(bench.wick_file).with_suffix(".json")
        expected.write_text(printed)
        text = Path(bench.wick_file).with_suffix(".txt")
        text.write_text(script)
        try:
            result = json.loads(bench.run(sys.executable, CHECKER, "--json", expected, text, statuses=(0, 1)))
        finally:
            expected.unlink()
            text.unlink()
        return {"inside": 1 - result["outside"] / len(result["rows"])}

    def wick():
        printed = bench.record([truth, "--seconds", "10"])
        return verdict(printed, bench.run(bench.wick, "convert", bench.wick_file, "--to", "perf-script", "-o", "-"))

    def perf():
        printed = bench.record_perf([truth, "--seconds", "10"], "-F", "997", "--call-graph", COPY)
        return verdict(printed, bench.run(bench.perf, "script", "-i", bench.perf_file, "--no-inline"))

    return sides(bench, wick, perf, 3)


def whole_machine(bench):
    """lost: samples; growth: memory of the recorder at the end of a minute over that after ten seconds."""
    seconds = 3 if bench.quick else 60
    load = subprocess.Popen([bench.program, "threads", "8", str(seconds + 5)], stdout=subprocess.DEVNULL)
    recorder = subprocess.Popen([bench.wick, "record", "-q", "-a", "-F", "999", "--duration", str(seconds), "-o",
                                 bench.wick_file], stderr=subprocess.DEVNULL)

    def memory():
        status = Path(f"/proc/{recorder.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])

    try:
        time.sleep(seconds / 6)
        early = memory()
        time.sleep(seconds * 5 / 6 - 0.5)
        late = memory()
        recorder.wait()
    finally:
        recorder.kill()
        load.kill()
        load.wait()
    report = bench.ask("report", bench.wick_file)
    lost = lost_samples(report)
    return {"wick": {"lost": [lost / (report["samples"] + lost)], "growth": [late / early]}, "perf": {}}


def names_seen_before(bench):
    """The time to find 100,000 addresses of a program that are cached, also over the time without the cache. Only the
    search: the answers are 68 MB of text, which takes longer to write than to find again."""
    addresses = bench.run(ADDRESSES, bench.program, 10_000 if bench.quick else 100_000)
    asked = "\n".join(re.findall(r"\+(0x[0-9a-f]+)\)", addresses))

    def search(cache):
        done = subprocess.run([bench.wick, "symbolize", "--exe", bench.program, "--linkage-names", "--summary"],
                              input=asked, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=True,
                              env=os.environ | cache)
        return float(re.search(r"found in ([0-9.]+) ms", done.stderr)[1]) / 1000

    with tempfile.TemporaryDirectory() as kept:
        search({"XDG_CACHE_HOME": kept})
        turns = [(search({"WICK_CACHE": "off"}), search({"XDG_CACHE_HOME": kept})) for _ in range(3 if bench.quick else 7)]
    return {"wick": {"first": [first for first, _ in turns], "seen before": [again for _, again in turns],
                     "over first": [again / first for first, again in turns]}, "perf": {}}
