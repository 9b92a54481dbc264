# SPDX-License-Identifier: Apache-2.0
"""Runs commands and measures their cost, on a machine that is never quiet.

Other programs, clocks and caches make the same command vary by tens of percent from minute to minute, so a
time alone says little. wick and its peer take turns (A B A B ...): each pair runs within seconds under the same
conditions, and its ratio is one observation. Results are the median of those ratios and their spread.

wait4 gives CPU time and peak memory of exactly one child; launch.py calls it, and explains why it is a separate
program. Peaks below that program's size cannot be measured: memory_floor().
"""
import os
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

LAUNCH = Path(__file__).with_name("launch.py")


class CommandFailed(Exception):
    pass


@dataclass
class Cost:
    """One run. bytes is the size of the file it wrote, 0 if it wrote none."""
    time: float
    cpu: float
    memory: int
    bytes: int = 0


def fill_in(template, values):
    """Splits first, so that a file name with blanks stays one argument."""
    return [word.format_map(values) for word in template.split()]


def run_once(words, scratch):
    """Runs a command, or several joined by "|", to the end; at the end of the words, "< FILE" is the input of the
    first one and "> FILE", after that, the output of the last one."""
    stdin = stdout = os.devnull
    if len(words) > 2 and words[-2] == ">":
        stdout, words = words[-1], words[:-2]
    if len(words) > 2 and words[-2] == "<":
        stdin, words = words[-1], words[:-2]
    errors = Path(scratch) / "stderr"
    launched = subprocess.run([sys.executable, "-I", "-S", LAUNCH, stdin, stdout, errors, *words],
                              capture_output=True, check=False, text=True)
    if launched.returncode != 0:
        raise CommandFailed(launched.stderr.strip())
    seconds, cpu_seconds, peak_kib, code = launched.stdout.split()
    if code != "0":
        complaint = errors.read_text(errors="replace").strip().splitlines() or ["(it printed nothing)"]
        raise CommandFailed(f"{os.path.basename(words[0])} ended with {code}: {complaint[-1]}")
    return Cost(time=float(seconds), cpu=float(cpu_seconds), memory=int(peak_kib) * 1024)


def alternate(commands, repeat, outputs, scratch, progress):
    """Runs each command REPEAT times, in turns: a list of costs for each. The files of the last turn stay."""
    costs = [[] for _ in commands]
    for turn in range(repeat):
        for words, output, mine in zip(commands, outputs, costs):
            output.unlink(missing_ok=True)
            cost = run_once(words, scratch)
            cost.bytes = output.stat().st_size if output.exists() else 0
            mine.append(cost)
        progress(turn + 1, repeat)
    return costs


def warm(path):
    """Reads a file once, because otherwise the first reader would pay for the disk."""
    with open(path, "rb", buffering=0) as file:
        buffer = bytearray(1 << 20)
        while file.readinto(buffer):
            pass


def memory_floor(scratch):
    return run_once([shutil.which("true")], scratch).memory


def spread(values):
    values = list(values)
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}
