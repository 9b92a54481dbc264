# SPDX-License-Identifier: Apache-2.0
"""The cost of recording Python programs: wick, wick without the functions of Python, perf with copies of 8 KB, and
austin and py-spy where AUSTIN and PY_SPY name a copy. All at 997 samples a second.

The programs are the workloads `dataflow` (four workers that share the GIL) and `python_truth` (one thread).
"""
import json
import math
import os
import statistics
import subprocess
import time
from pathlib import Path

from observed import WORKLOADS, cpu_of, slow_downs
from peers import austin, py_spy
from recordings import Unavailable

PYTHON = "/usr/bin/python3"
SOURCES = Path(__file__).resolve().parent.parent / "workloads"
RATE = "997"


class Target:
    """A workload, as words that start Python directly: a recorder that knows only Python is given no shell."""

    def __init__(self, name):
        built = WORKLOADS / name
        if not any(built.glob("*.so")):
            raise Unavailable(f"the workload {name} is not built: make workloads")
        self.name, self.script = name, str(SOURCES / name / f"{name}.py")
        self.extension = str(built / "truth_native.abi3.so")
        os.environ["PYTHONPATH"] = str(built)

    def words(self, seconds):
        more = {"dataflow": ["--workers", "4", "--no-check"], "python_truth": ["--extension", self.extension]}[self.name]
        return [PYTHON, "-B", self.script, "--seconds", str(seconds), *more]

    def rates(self, printed):
        """Work in a second, work in a second of its own CPU time, and that CPU time."""
        result = json.loads(printed[printed.index("{"):printed.rindex("}") + 1])
        if self.name == "dataflow":
            work, wall, cpu = result["items"], result["wall_s"], result["cpu_s"]
        else:
            totals = result["totals"]
            work, wall, cpu = totals["rounds"], totals["elapsed_ns"] / 1e9, totals["cpu_ns"] / 1e9
        return f"{work / wall} {work / cpu} {cpu}"


def samplers(bench, seconds):
    """{name: words that record a running process, with PID for its number}, of the samplers of Python alone."""
    seconds = math.ceil(seconds)
    known = {
        "austin": [austin()[0], "-i", "1003us", "-x", str(seconds), "-o", bench.perf_file, "-p", "PID"],
        "py-spy": [py_spy()[0], "record", "-r", RATE, "-d", str(seconds), "-n", "-f", "raw", "-o", bench.perf_file, "-p",
                   "PID"],
    }
    return {name: words for name, words in known.items() if words[0] is not None}


def attached(bench, target, words, seconds):
    """The output of the program, which a sampler attaches to."""
    program = subprocess.Popen(target.words(seconds), stdout=subprocess.PIPE, text=True)
    sampler = subprocess.Popen([str(program.pid) if word == "PID" else word for word in words],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    printed = program.communicate()[0]
    sampler.wait()
    return printed


def python_slowed(bench, name):
    """slowed: see slow_downs. over perf, over no-runtimes, over NAME: wick's slow-down over that of the other."""
    seconds = 0.3 if bench.quick else 1.2
    target = Target(name)
    words = target.words(seconds)
    ways = {"alone": lambda: target.rates(bench.run(*words)),
            "wick": lambda: target.rates(bench.record(words, "-F", RATE)),
            "no-runtimes": lambda: target.rates(bench.record(words, "-F", RATE, "--no-runtimes"))}
    if bench.perf is not None:
        ways["perf"] = lambda: target.rates(bench.record_perf(words, "-F", RATE, "--call-graph", "dwarf"))
    for tool, command in samplers(bench, seconds).items():
        ways[tool] = lambda command=command: target.rates(attached(bench, target, command, seconds))
    slow, slow_cpu = slow_downs(bench, ways)
    seen = {"wick": {"slowed": [slow["wick"]], "slowed, CPU": [slow_cpu["wick"]]}, "perf": {}}
    for other in set(slow) - {"wick"}:
        seen["wick"][f"over {other}"] = [slow["wick"] / slow[other]]
        seen["wick"][f"over {other}, CPU"] = [slow_cpu["wick"] / slow_cpu[other]]
    if "perf" in slow:
        seen["perf"] = {"slowed": [slow["perf"]], "slowed, CPU": [slow_cpu["perf"]]}
    return seen


def python_recorder_cpu(bench, name):
    """CPU seconds of recorders that are attached for three seconds, in turns; each ratio is the median of its turns."""
    seconds = 1 if bench.quick else 3
    target = Target(name)
    program = subprocess.Popen(target.words(90), stdout=subprocess.DEVNULL, start_new_session=True)
    pid = str(program.pid)
    wick = [bench.wick, "record", "-q", "-F", RATE, "-p", pid, "--duration", str(seconds), "-o", bench.wick_file]
    ways = {"wick": wick, "no-runtimes": [*wick, "--no-runtimes"]}
    if bench.perf is not None:
        ways["perf"] = [bench.perf, "record", "-q", "-N", "-e", "cpu-clock", "-F", RATE, "--call-graph", "dwarf", "-o",
                        bench.perf_file, "-p", pid, "--", "sleep", str(seconds)]
    for tool, command in samplers(bench, seconds).items():
        ways[tool] = [pid if word == "PID" else word for word in command]
    try:
        time.sleep(1)
        turns = [{way: cpu_of(words) for way, words in ways.items()} for _ in range(1 if bench.quick else 5)]
    finally:
        program.kill()
        program.wait()

    def middle(figure):
        return [statistics.median(figure(turn) for turn in turns)]

    seen = {"wick": {"cpu": middle(lambda turn: turn["wick"])}, "perf": {}}
    for other in set(ways) - {"wick"}:
        seen["wick"][f"over {other}"] = middle(lambda turn, other=other: turn["wick"] / turn[other])
    if "perf" in ways:
        seen["perf"]["cpu"] = middle(lambda turn: turn["perf"])
    return seen
