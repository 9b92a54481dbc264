"""Runs commands and tells what they cost, on a machine that is never quiet.

Neighbours, clocks and caches make the same command vary by tens of percent from minute to minute, so a time
alone says little. wick and its peer take turns (A B A B ...): each pair ran within seconds and saw the same
machine, and its ratio is one observation. Results are the median of those ratios and how far they spread.

wait4 gives CPU time and peak memory of exactly one child. The kernel starts a child's peak memory at what
its parent had when it called exec, so nothing below the harness' own size can be seen: memory_floor().
"""
import os
import shutil
import statistics
import time
from dataclasses import dataclass
from pathlib import Path


class CommandFailed(Exception):
    pass


@dataclass
class Cost:
    """One run. bytes is the size of the file it wrote, 0 when it wrote none."""
    time: float
    cpu: float
    memory: int
    bytes: int = 0


def fill_in(template, values):
    """Splits first, so that a file name with blanks stays one argument."""
    return [word.format_map(values) for word in template.split()]


def run_once(words, scratch):
    """Runs a command to its end; "> FILE" as its last two words takes its output."""
    stdout = os.devnull
    if len(words) > 2 and words[-2] == ">":
        stdout, words = words[-1], words[:-2]
    errors = Path(scratch) / "stderr"
    write = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    redirections = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                    (os.POSIX_SPAWN_OPEN, 1, stdout, write, 0o644),
                    (os.POSIX_SPAWN_OPEN, 2, str(errors), write, 0o644)]
    start = time.perf_counter()
    try:
        child = os.posix_spawnp(words[0], words, os.environ, file_actions=redirections)
    except OSError as error:
        raise CommandFailed(f"{words[0]}: {error.strerror}") from None
    _, status, usage = os.wait4(child, 0)
    elapsed = time.perf_counter() - start
    code = os.waitstatus_to_exitcode(status)
    if code != 0:
        said = errors.read_text(errors="replace").strip().splitlines() or ["(it said nothing)"]
        raise CommandFailed(f"{os.path.basename(words[0])} ended with {code}: {said[-1]}")
    return Cost(elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def alternate(commands, repeat, output, scratch, progress):
    """Each command REPEAT times, in turns: a list of costs for each."""
    costs = [[] for _ in commands]
    for turn in range(repeat):
        for words, mine in zip(commands, costs):
            output.unlink(missing_ok=True)
            cost = run_once(words, scratch)
            cost.bytes = output.stat().st_size if output.exists() else 0
            mine.append(cost)
        progress(turn + 1, repeat)
    return costs


def warm(path):
    """The first reader of a file would pay for the disk, the others not."""
    with open(path, "rb", buffering=0) as file:
        buffer = bytearray(1 << 20)
        while file.readinto(buffer):
            pass


def memory_floor(scratch):
    return run_once([shutil.which("true")], scratch).memory


def spread(values):
    values = list(values)
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}
