# SPDX-License-Identifier: Apache-2.0
"""Makes the recordings that the benchmarks read: perf records the programs of programs/, once.

A recording is valid as long as everything it refers to stays the same: the program and the libraries it was linked
with (names are looked up in them), the kernel, and how it was recorded. All of that goes into the edition, a part of
the file's name; another edition is another file, and the old one is removed. Next to each is a JSON file with its
size and perf's counts, written last: without it, or with another size, the recording is made again.

Programs run for a given CPU time and the event is cpu-clock, which every machine has: the number of samples is
seconds times frequency everywhere, except for a few samples that a busy machine loses.
"""
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

BENCH = Path(__file__).resolve().parent
PROGRAMS = BENCH / "programs"
COMPILE = "-std=c++20 -O2 -g"
ATTEMPTS = 4
BUILD_ID_CLASH = "util/build-id.c"  # source file in perf's message when it aborts
SPARE_MB = 2000  # room for the outputs of the tools


class Unavailable(Exception):
    """An input that this machine cannot make; the text says why."""


@dataclass
class Recording:
    program: str      # its source in programs/, without the suffix
    flags: str        # compiler flags in addition to COMPILE
    seconds: float    # CPU time of the run
    perf: str         # flags of perf record
    megabytes: float  # the expected size


@dataclass
class Program:
    """A program that the row itself records; the fields are those of Recording."""
    program: str
    flags: str


@dataclass
class Input:
    """A file that a row reads. about: its size in words; samples: perf's count for it."""
    path: Path
    about: str
    stacks: int = 0
    samples: int = 0
    notes: list = field(default_factory=list)


def recorded(name, recording, divide, perf, data, say):
    """The Input of a recording, which is made if it does not exist yet."""
    if perf is None:
        raise Unavailable("perf is absent, so nothing can be recorded")
    program = build(recording, data, say)
    seconds, megabytes = recording.seconds / divide, recording.megabytes / divide
    stem = f"{name}{'-quick' if divide > 1 else ''}"
    path = data / f"{stem}-{edition(program, recording, seconds)}.perf.data"
    facts = known_facts(path)
    if facts is None:
        for old in data.glob(f"{stem}-????????.perf.data*"):
            old.unlink()
        check_space(data, megabytes, path.name)
        say(f"recording {path.name}: about {megabytes:.0f} MB, {seconds:.0f} s")
        record(perf, recording, [program, str(seconds)], path)
        facts = gather_facts(perf, path)
        if facts["size"] < megabytes * 1e6 / 2:
            path.unlink()
            raise Unavailable(f"perf recorded {facts['size'] / 1e6:.0f} MB of {name} where {megabytes:.0f} were "
                              "expected; is the machine too busy?")
        facts_of(path).write_text(json.dumps(facts) + "\n")
    notes = [f"perf lost samples while recording ({facts['lost']} LOST records)"] if facts["lost"] else []
    return Input(path, f"{facts['size'] / 1e6:.0f} MB, {facts['samples']:,} samples", samples=facts["samples"],
                 notes=notes)


def record(perf, recording, command, path):
    """Tries several times: perf 6.1 aborts if another program records build ids at the same moment (the kernel then
    marks the mappings of both as having one)."""
    words = [perf, "record", "-q", "-N", "-e", "cpu-clock", *recording.perf.split(), "-o", path]
    if os.geteuid() == 0:
        words += ["-m", "64M"]  # other users may not lock that much
    for attempt in range(ATTEMPTS):
        time.sleep(2 * attempt)
        done = subprocess.run([*words, "--", *command], capture_output=True, check=False, text=True)
        if done.returncode == 0 and path.exists():
            return
        path.unlink(missing_ok=True)
        if BUILD_ID_CLASH not in done.stderr:
            break
    if BUILD_ID_CLASH in done.stderr:
        raise Unavailable("perf record aborts while another program records on this machine; try again later")
    raise Unavailable(f"perf record failed: {last_line(done.stderr)}")


def gather_facts(perf, path):
    stats = subprocess.run([perf, "report", "-i", path, "--stats"], capture_output=True, check=False, text=True).stdout
    count = lambda kind: int(match[1]) if (match := re.search(rf"\b{kind} events: +(\d+)", stats)) else 0
    return {"size": path.stat().st_size, "samples": count("SAMPLE"), "lost": count("LOST")}


def facts_of(path):
    return path.with_name(path.name + ".json")


def known_facts(path):
    try:
        facts = json.loads(facts_of(path).read_text())
        return facts if path.stat().st_size == facts["size"] else None
    except (OSError, ValueError, KeyError):
        return None


def check_space(data, megabytes, name):
    free = shutil.disk_usage(data).free / 1e6
    if free < megabytes + SPARE_MB:
        raise Unavailable(f"{name} needs {megabytes:.0f} MB and {SPARE_MB} MB to spare; {free:.0f} MB are free "
                          f"in {data}")


def edition(program, recording, seconds):
    """What a recording depends on, as eight digits."""
    libraries = subprocess.run(["ldd", program], capture_output=True, check=False, text=True).stdout
    stamps = [(path, os.stat(path).st_mtime_ns) for path in re.findall(r"/\S+", libraries) if os.path.exists(path)]
    return digest(program.name, recording.perf, str(seconds), platform.release(), stamps)


def digest(*parts):
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:8]


# ---- programs ----


def build(recording, data, say):
    """The path of the compiled program; its name contains a digest of its sources and flags."""
    compiler = os.environ.get("CXX") or shutil.which("g++-12") or shutil.which("g++")
    if compiler is None:
        raise Unavailable("there is no g++ to build the programs to record")
    source = next(PROGRAMS.glob(f"{recording.program}.*"))
    version = subprocess.run([compiler, "--version"], capture_output=True, check=False, text=True).stdout
    made_from = digest(source.read_text(), COMPILE, recording.flags, version)
    stem = f"{recording.program}-{digest(recording.flags)[:4]}"
    program = data / "programs" / f"{stem}-{made_from}"
    if not program.exists():
        program.parent.mkdir(exist_ok=True)
        for old in program.parent.glob(f"{stem}-*"):
            old.unlink()
        say(f"building {program.name}")
        compile_ = compile_generated if source.suffix == ".py" else compile_one
        compile_([compiler, *COMPILE.split(), *recording.flags.split()], source, program)
    return program


def compile_one(compiler, source, program):
    part = program.with_suffix(".part")
    run([*compiler, source, "-o", part])
    os.replace(part, program)


def compile_generated(compiler, generator, program):
    """The sources come from a script; the units are compiled in parallel."""
    folder = program.with_suffix(".sources")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    run([sys.executable, generator, folder])
    sources = sorted(folder.glob("*.cc"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda source: run([*compiler, "-c", source, "-o", source.with_suffix(".o")]), sources))
    part = program.with_suffix(".part")
    run([*compiler, *(source.with_suffix(".o") for source in sources), "-o", part])
    shutil.rmtree(folder)
    os.replace(part, program)


def run(command):
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    if done.returncode != 0:
        raise Unavailable(f"{os.path.basename(command[0])} failed: {last_line(done.stderr)}")


def last_line(text):
    return text.strip().splitlines()[-1] if text.strip() else "(it printed nothing)"
