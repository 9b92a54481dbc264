# SPDX-License-Identifier: Apache-2.0
"""Makes the files of other tools' formats that the benchmarks read.

A Converted input is another one, written by wick; a Written one is text of this script, as large as asked for; a
FlightRecording is made by the JDK; BranchStacks are those of a small program that was run instruction by instruction,
repeated. The name of a file contains an edition: the checksum of what made it. Another
edition is another file, and the old one is removed.
"""
import hashlib
import os
import random
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from recordings import PROGRAMS, Input, Unavailable, check_space

# Without the limits of a thread's buffer, nearly every large array is an event.
JAVA_FLAGS = ["-Xmx512m", "-Xlog:disable", "-XX:MinTLABSize=2k", "-XX:TLABSize=4k", "-XX:-ResizeTLAB"]
JAVA_EVENT = "jdk.ObjectAllocationOutsideTLAB"
BLOCK = 20_000  # records that are written at a time


@dataclass
class Converted:
    of: str  # a name of INPUTS
    to: str  # a name of `wick formats`


@dataclass
class Written:
    kind: str  # "speedscope" or "trace"
    megabytes: int


@dataclass
class FlightRecording:
    events: int


@dataclass
class BranchStacks:
    megabytes: int


def make(name, wanted, divide, wick, source, data, say):
    """The Input of one of the classes above. source: the Input that a Converted one comes from."""
    makers = {Converted: converted, Written: written, FlightRecording: flight_recording, BranchStacks: branch_stacks}
    made_by, about, produce = makers[type(wanted)](wanted, divide, wick, source, data)
    stem = f"{name.replace(', ', '-').replace(' ', '-')}{'-quick' if divide > 1 else ''}"
    ending = ".jfr" if isinstance(wanted, FlightRecording) else ".exchange"  # jfr wants its own
    path = data / f"{stem}-{hashlib.sha256(made_by).hexdigest()[:8]}{ending}"
    if not path.exists():
        for old in data.glob(f"{stem}-????????{ending}*"):
            old.unlink()
        say(f"making {path.name}")
        part = path.with_name(f"part-{path.name}")
        produce(part)
        os.replace(part, path)
    return Input(path, f"{path.stat().st_size / 1e6:.0f} MB, {about}", stacks=source.stacks if source else 0)


def converted(wanted, _divide, wick, source, _data):
    command = [wick, "convert", source.path, "--to", wanted.to]
    made_by = Path(wick).read_bytes() + str(source.path).encode() + wanted.to.encode()
    return made_by, f"{source.stacks:,} stacks as {wanted.to}", lambda path: run(*command, "-o", path)


def written(wanted, divide, _wick, _source, data):
    size = wanted.megabytes * 1_000_000 // divide
    check_space(data, size / 1e6, wanted.kind)
    blocks = {"speedscope": speedscope_blocks, "trace": trace_blocks}[wanted.kind]
    made_by = Path(__file__).read_bytes() + str(size).encode()
    return made_by, f"{wanted.kind} written by exchange.py", lambda path: write_blocks(path, blocks(size))


def flight_recording(wanted, divide, _wick, _source, data):
    if not shutil.which("javac"):
        raise Unavailable("the JDK is absent: install openjdk-17-jdk-headless")
    program = PROGRAMS / "Allocating.java"
    events = wanted.events // divide

    def produce(path):
        run("javac", "-d", data, program)
        settings = f"filename={path},settings=none,+{JAVA_EVENT}#enabled=true,+{JAVA_EVENT}#stackTrace=true"
        run("java", *JAVA_FLAGS, f"-XX:StartFlightRecording={settings}", "-cp", data, "Allocating", events)
    return program.read_bytes() + str(events).encode(), f"{events:,} allocations recorded by the JDK", produce


def branch_stacks(wanted, divide, _wick, _source, data):
    workloads = Path(__file__).resolve().parent.parent / "build" / "workloads"
    generate, program = workloads / "generate_trace", workloads / "synthetic_trace" / "calls"
    if not generate.exists():
        raise Unavailable("generate_trace is not built: make workloads")
    size = wanted.megabytes * 1_000_000 // divide
    check_space(data, size / 1e6, "branch stacks")

    def produce(path):
        run(generate, "--output", path, "--period", "7", "--", program)
        recording = bytearray(path.read_bytes())
        begin, length = struct.unpack_from("<QQ", recording, 40)  # of the records, in the header
        records = bytes(recording[begin:begin + length])
        times = max(size // length, 1)
        struct.pack_into("<Q", recording, 48, length * times)
        with open(path, "wb") as out:
            out.write(recording[:begin])
            for _ in range(times):
                out.write(records)
    made_by = generate.read_bytes() + program.read_bytes() + str(size).encode()
    return made_by, "stacks of 32 branches", produce


def run(*words):
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def write_blocks(path, blocks):
    with open(path, "w", encoding="ascii") as out:
        out.writelines(blocks)


def speedscope_blocks(size):
    """Stacks of ten frames and, as long as they, weights."""
    pick = random.Random(1).randrange
    block = ",".join(str([pick(5000) for _ in range(10)]).replace(" ", "") for _ in range(BLOCK))
    weights = ",".join(str(100_000 + pick(900_000)) for _ in range(BLOCK))
    times = size // (len(block) + len(weights) + 2)
    frames = ",".join(f'{{"name":"function_{i}","file":"file_{i % 99}.cc"}}' for i in range(5000))
    yield f'{{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{{"frames":[{frames}]}},'
    yield '"profiles":[{"type":"sampled","name":"main","unit":"nanoseconds","startValue":0,"endValue":1,"samples":['
    yield from (f"{',' if i else ''}{block}" for i in range(times))
    yield '],"weights":['
    yield from (f"{',' if i else ''}{weights}" for i in range(times))
    yield "]}]}"


def trace_blocks(size):
    """Spans of 64 threads, three deep, as tracers write them: each when it ends."""
    yield '{"traceEvents":[\n'
    written_bytes = at = 0
    while written_bytes < size:
        rows = []
        for i in range(BLOCK):
            thread, depth = i % 64, 2 - i // 64 % 3
            name = ("request", "query", "read")[depth]
            begin, length = at + (i // 192) * 900 + depth * 10, 800 - depth * 100
            rows.append(f'{{"ph":"X","name":"{name} {i % 977}","cat":"server","pid":1,"tid":{thread},'
                        f'"ts":{begin}.{i % 1000:03d},"dur":{length}}},\n')
        block = "".join(rows)
        at += (BLOCK // 192 + 1) * 900
        written_bytes += len(block)
        yield block
    yield '{"ph":"M","name":"thread_name","pid":1,"tid":0,"args":{"name":"main"}}]}\n'
