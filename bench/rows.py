# SPDX-License-Identifier: Apache-2.0
"""The table of benchmarks. Adding one is one entry in ROWS; bench/README.md explains how.

A row runs wick and a peer on the same input and judges their cost. A command is one line of words with
names in braces: {wick}, {input} (the row's input file), {output} (a file of its own for each side, removed before
each run; its size is the measure "bytes"), {prepared} (the output of the command "prepare", made once), {attached}
(see there: the cost of a recorder that attaches), and the peers by name. A line may join commands by " | ", and end in
" < {prepared}", " > {output}" or both.

Bars come from differences that users would notice, and from the figures of the peers; a row whose bar cannot be
measured yet says what it needs, so that every table shows the gap.
"""
from dataclasses import dataclass

from exchange import BranchStacks, Converted, FlightRecording, Written
from recordings import Program, Recording

MIB = 1 << 20


@dataclass
class Bar:
    """The figure to judge. measure: time, cpu, memory or bytes. compared: "faster" is peer over wick, more is better;
    "times the peer's" is wick over peer, less is better; "absolute" is wick alone, less is better.
    Without a limit the figure is shown and not judged."""
    measure: str
    compared: str
    limit: float | None = None


@dataclass
class Row:
    name: str
    wick: str            # the command
    against: str         # the peer, as named in the table
    peer: str            # its command
    bars: list
    input: str = ""      # a name of INPUTS
    prepare: str = ""
    repeat: int = 0      # pairs of runs, if the default is too few or takes too long
    full_only: bool = False
    check: str = ""      # how to check that both did the same work: a kind of checks.py


@dataclass
class Range:
    """The range for every figure of that name. unit: "share", "ratio", "seconds" or "frames"."""
    figure: str
    unit: str
    low: float | None = None
    high: float | None = None


@dataclass
class Observed:
    """Not the cost of a command, but its view of a program with a known profile: a function of observed.py."""
    name: str
    against: str
    observe: str
    bars: list
    arguments: tuple = ()
    flags: str = "-fomit-frame-pointer"  # compiler flags of the program, busy
    input: str = ""                      # another program: a name of INPUTS
    full_only: bool = False


@dataclass
class NotYet:
    name: str
    bar: str
    needs: str


@dataclass
class Folded:
    """Made by data.py; 200 bytes a stack."""
    stacks: int
    is_sorted: bool = False


NO_FRAME_POINTERS, FRAME_POINTERS = "-fomit-frame-pointer", "-fno-omit-frame-pointer"
INPUTS = {
    "large": Folded(1_000_000),
    "large, sorted": Folded(1_000_000, is_sorted=True),
    "medium": Folded(100_000),
    "dw50": Recording("deep", NO_FRAME_POINTERS, 6.4, "-F 999 --call-graph dwarf", 54),
    "dw500": Recording("deep", NO_FRAME_POINTERS, 13, "-F 4999 --call-graph dwarf", 540),
    "dw2g": Recording("deep", NO_FRAME_POINTERS, 52, "-F 4999 --call-graph dwarf", 2200),
    "long64k": Recording("long", NO_FRAME_POINTERS, 3.6, "-F 999 --call-graph dwarf,65528", 237),
    "big50": Recording("big", NO_FRAME_POINTERS, 6, "-F 999 --call-graph dwarf", 51),
    "fp100k": Recording("deep", FRAME_POINTERS, 12, "-F 9999 -g", 12),
    "deep, the program": Program("deep", NO_FRAME_POINTERS),
    "big, the program": Program("big", NO_FRAME_POINTERS),
    "fp1m": Recording("deep", FRAME_POINTERS, 45, "-F 20000 -g", 94),
    **{f"large as {name}": Converted("large", name) for name in ("wick", "speedscope", "firefox", "pprof", "callgrind")},
    "flight": FlightRecording(1_000_000),
    "branches": BranchStacks(100),
    "branches of 1 GB": BranchStacks(1000),
    "speedscope of 1 GB": Written("speedscope", 1000),
    "trace of 1 GB": Written("trace", 1000),
}

LOAD_FIREFOX = "{load_firefox} {profiler_cli} {input}"
# The bar of a writer alone is the CPU time of gzip -1 on what it wrote: micro/writers_bench.cc measures that. A command
# also reads the profile, and packs pprof with gzip at level 6, as its tools do: four fifths of that row. A callgrind
# file has to find the call of each of two million stacks before its first line, while gzip reads once from start to end.
WRITTEN_FORMATS = {"speedscope": 1, "firefox": 1, "chrome-trace": 1, "pprof": 4.5, "perfetto": 1, "callgrind": 1.8,
                   "cpuprofile": 1}

# These rows must ask wick and the peer for the same result: names from symbol tables, no inlined functions.
TO_FOLDED = "{wick} convert {input} --to folded --no-inline -o {output} --allow-loss 100"
PERF_SCRIPT = "{perf} script -i {input} --no-inline > {output}"
WITH_INLINES = TO_FOLDED.replace(" --no-inline", "")
PERFPARSER = "{perfparser} --input {input} --output {output}"
RECORD_DWARF = "{perf} record -q -N -e cpu-clock --call-graph dwarf,65528"
# Every address is requested once, and nothing is cached. The peers get the same addresses as wick.
ADDRESSES = "{addresses} {input} 100000"
SYMBOLIZE = "{wick} symbolize {prepared} -o {output}"
NOTHING_CACHED = "env WICK_CACHE=off "
ADDRESS_LINES = "{addresses} {input} 100000 | {cut} -s -d+ -f2 | {tr} -d ) > {prepared}"
LOOK_UP_ADDRESSES = "{}{{wick}} symbolize -e {{input}} --linkage-names < {{prepared}} > {{output}}"
LOOK_UP_NAMES = LOOK_UP_ADDRESSES.replace(" --linkage-names", "")
LOOK_UP_LINES = LOOK_UP_ADDRESSES.replace("linkage-names", "lines-only")
ADDR2LINE = "{addr2line} -i -e {input} < {prepared} > {output}"
NAMED_BY_SYMBOLS = ADDRESSES + " | {wick} convert - --no-inline --to wick -o {prepared}"
# Questions of docs/sql.md that wick and sqlite3 can both answer; sqlite3 reads a database that had to be written first.
# A command is split at blanks, and a comment of SQL is as good as one.
SQL_QUESTIONS = {
    "functions": "SELECT name, self, total FROM functions ORDER BY self DESC LIMIT 20",
    "threads and seconds": "SELECT thread_id, CAST(seconds AS integer), sum(weight) FROM costs GROUP BY 1, 2",
    "perf's view": "SELECT symbol, count(*) FROM samples_view GROUP BY symbol",
    "callers": "SELECT c.function, sum(s.total) FROM stacks s JOIN stacks c ON c.id = s.parent_id GROUP BY 1",
}
# The bars for text are for one core.
ONE_CORE = "taskset -c 0 "

ROWS = [
    Row("folded to report, unsorted", "{wick} report {input}", "wc -lw", "{wc} -lw {input}", input="large",
        bars=[Bar("time", "times the peer's", 10), Bar("memory", "absolute", 256 * MIB)]),
    Row("folded to report, sorted", "{wick} report {input}", "wc -lw", "{wc} -lw {input}", input="large, sorted",
        bars=[Bar("time", "times the peer's", 10), Bar("memory", "absolute", 256 * MIB)]),
    Row("folded to SVG, 100 k stacks", "{wick} flame {input} -o {output}", "flamegraph.pl",
        "{perl} {flamegraph} {input} > {output}", input="medium", bars=[Bar("time", "faster", 20)]),
    Row("folded to SVG, 1 M stacks", "{wick} flame {input} -o {output}", "flamegraph.pl",
        "{perl} {flamegraph} {input} > {output}", input="large", bars=[Bar("time", "faster", 20)], full_only=True),
    # The picture is 55 MB; 50 MB/s is the bar.
    Row("flame graph SVG to report", "{wick} report {prepared}", "wc -lw", "{wc} -lw {prepared}", input="medium",
        prepare="{wick} flame {input} --flamegraph-pl --min-width 0 -o {prepared}",
        bars=[Bar("time", "absolute", 1.1), Bar("time", "times the peer's")]),
    # Twice the time of two reports is four times that of one.
    Row("diff of two profiles of 1 M stacks", "{wick} diff {input} {prepared}", "one report", "{wick} report {input}",
        input="large", prepare="{wick} convert {input} --to folded -o {prepared}",
        bars=[Bar("time", "times the peer's", 4)]),
    Row("start", "{wick} --help", "true", "{true}", repeat=20,
        bars=[Bar("time", "absolute", 0.010), Bar("time", "times the peer's")]),
    Row(".wick written", "{wick} convert --to wick {input} -o {output}", "zstd -3",
        "{zstd} -3 -q -f {input} -o {output}", input="large",
        bars=[Bar("time", "times the peer's"), Bar("bytes", "times the peer's")]),
    Row(".wick read", "{wick} report {prepared}", "the folded file", "{wick} report {input}",
        input="large", prepare="{wick} convert --to wick {input} -o {prepared}",
        bars=[Bar("time", "times the peer's")]),

    # Formats of other tools: loading, not what they print; jfr and callgrind_annotate cannot load without printing.
    Row("speedscope file read", "{wick} report {input}", "speedscope", "{node} {speedscope_page} {input} --load",
        input="large as speedscope", repeat=3, bars=[Bar("time", "faster", 5), Bar("cpu", "times the peer's", 0.2)]),
    Row("Firefox profile read", "{wick} report {input}", "profiler-cli load", LOAD_FIREFOX, input="large as firefox",
        repeat=3, bars=[Bar("time", "faster", 5)]),
    Row("pprof profile read", "{wick} report {input}", "go tool pprof -top", "{go_pprof} -top -symbolize=none {input}",
        input="large as pprof", repeat=3, bars=[Bar("time", "faster", 5), Bar("cpu", "times the peer's", 0.2)]),
    Row("flight recording read", "{wick} report {input}", "jfr print", "{jfr} print {input} > {output}", input="flight",
        repeat=3, bars=[Bar("time", "faster", 10), Bar("cpu", "times the peer's", 0.1)]),
    # Both find the program; perf prints the instructions of every block.
    Row("branch stacks to a flow graph", "{wick} flow {input} --json > {output}", "perf script -F +brstackinsn",
        "{perf} script -i {input} -F +brstackinsn > {output}", input="branches", repeat=3,
        bars=[Bar("time", "faster", 20), Bar("memory", "absolute", 256 * MIB)]),
    Row("branch stacks of 1 GB to a flow graph", "{wick} flow {input} --json > {output}", "wc -c", "{wc} -c {input}",
        input="branches of 1 GB", full_only=True, repeat=2, bars=[Bar("memory", "absolute", 256 * MIB)]),
    Row("callgrind file read", "{wick} report {input}", "callgrind_annotate", "{callgrind_annotate} {input} > {output}",
        input="large as callgrind", repeat=3, bars=[Bar("time", "faster", 50), Bar("cpu", "times the peer's", 0.02)]),
    *(Row(f"memory on a {kind} of 1 GB", "{wick} report {input}", "wc -lw", "{wc} -lw {input}", input=f"{kind} of 1 GB",
          full_only=True, repeat=2, bars=[Bar("memory", "absolute", 1_000_000_000), Bar("time", "times the peer's")])
      for kind in ("speedscope", "trace")),
    # wick's side contains reading the .wick file, and packing for pprof; the peer packs the unpacked result.
    *(Row(f"{name} written", f"{{wick}} convert {{input}} --to {name} -o {{output}}", "gzip -1 of the result",
          "{gzip} -1 -c {prepared} > {output}", input="large as wick", repeat=3,
          prepare=f"{{wick}} convert {{input}} --to {name} -o - | {{gzip}} -dcf > {{prepared}}",
          bars=[Bar("time", "faster"), Bar("cpu", "times the peer's", limit)])
      for name, limit in WRITTEN_FORMATS.items()),

    Row("perf.data to SQLite with call paths", "{wick} convert {input} --no-inline --to sqlite -o {output} --allow-loss 100",
        "export-to-sqlite.py", "{perf} script -i {input} -s {export_to_sqlite} {output} all callchains", input="fp100k",
        repeat=2, bars=[Bar("time", "faster", 10), Bar("bytes", "times the peer's")]),
    *(Row(f"SQL: {name}", f"{{wick}} query {{input}} {query.replace(' ', '/**/')} --csv -o {{output}}", "sqlite3",
          f"{{sqlite3}} -readonly {{prepared}} {query.replace(' ', '/**/')} > {{output}}", input="large as wick", repeat=3,
          prepare="{wick} convert {input} --to sqlite -o {prepared}", bars=[Bar("time", "times the peer's", 1.5)])
      for name, query in SQL_QUESTIONS.items()),
    Row("SQL: the first row", "{wick} query {input} SELECT/**/*/**/FROM/**/costs/**/LIMIT/**/1", "wick report", "{wick} report {input}",
        input="large as wick", bars=[Bar("time", "times the peer's", 1.2)]),

    Row("DWARF perf.data to folded, no inlines", TO_FOLDED, "perf script --no-inline", PERF_SCRIPT, input="dw500",
        check="perf script",
        bars=[Bar("time", "faster", 20), Bar("memory", "absolute", 64 * MIB), Bar("memory", "times the peer's")]),
    Row("DWARF perf.data to folded, no inlines, short file", TO_FOLDED, "perf script --no-inline", PERF_SCRIPT,
        input="dw50", check="perf script", bars=[Bar("time", "faster")]),
    # perfparser cannot omit inlined functions, so its time is shown and not judged.
    Row("DWARF perf.data to folded, no inlines (the peer with inlines)", TO_FOLDED, "hotspot-perfparser", PERFPARSER,
        input="dw500", repeat=3, bars=[Bar("time", "faster"), Bar("memory", "times the peer's")]),
    Row("DWARF perf.data, stacks of 125 frames, to folded", TO_FOLDED, "perf script --no-inline",
        PERF_SCRIPT.replace("--no-inline", "--no-inline --max-stack 1024"), input="long64k", check="perf script",
        bars=[Bar("time", "faster"), Bar("memory", "absolute", 64 * MIB)]),
    Row("DWARF perf.data of a 42 MB binary to folded, no inlines", TO_FOLDED, "perf script --no-inline", PERF_SCRIPT,
        input="big50", check="perf script", full_only=True, bars=[Bar("time", "faster")]),
    Row("memory on a 2.2 GB DWARF file", TO_FOLDED, "perf script --no-inline", PERF_SCRIPT, input="dw2g",
        check="perf script", full_only=True, repeat=3,
        bars=[Bar("memory", "absolute", 64 * MIB), Bar("memory", "times the peer's"), Bar("time", "faster", 20)]),
    Row("memory on a 2.2 GB DWARF file (the peer with inlines)", TO_FOLDED, "hotspot-perfparser", PERFPARSER, input="dw2g",
        full_only=True, repeat=3, bars=[Bar("memory", "times the peer's"), Bar("time", "faster")]),
    Row("DWARF perf.data to folded, with inlines", WITH_INLINES, "perf script", PERF_SCRIPT.replace(" --no-inline", ""),
        input="dw500", repeat=3, bars=[Bar("time", "faster", 25)]),
    Row("DWARF perf.data to folded, with inlines (perfparser)", WITH_INLINES, "hotspot-perfparser", PERFPARSER,
        input="dw500", repeat=3, bars=[Bar("time", "faster", 12)]),
    Row("DWARF perf.data of a 42 MB binary to folded, with inlines", WITH_INLINES, "perf script",
        PERF_SCRIPT.replace(" --no-inline", ""), input="big50", full_only=True, repeat=1,
        bars=[Bar("time", "faster", 100)]),
    Row("DWARF perf.data of a 42 MB binary to folded, with inlines (perfparser)", WITH_INLINES, "hotspot-perfparser",
        PERFPARSER, input="big50", full_only=True, repeat=3, bars=[Bar("time", "faster", 15)]),
    # Lines alone, with mangled names, and with readable names.
    Row("100 k addresses of a 42 MB binary, lines with inlines", LOOK_UP_LINES.format(NOTHING_CACHED), "addr2line -i",
        ADDR2LINE, input="big, the program", repeat=5, prepare=ADDRESS_LINES, full_only=True,
        bars=[Bar("time", "faster", 20), Bar("memory", "absolute", 42_500_000)]),
    Row("100 k addresses of a 42 MB binary, demangled, with inlines", LOOK_UP_NAMES.format(NOTHING_CACHED),
        "addr2line -i -f -C", ADDR2LINE.replace("-i", "-i -f -C"), input="big, the program", repeat=5,
        prepare=ADDRESS_LINES, full_only=True,
        bars=[Bar("time", "faster", 20), Bar("memory", "absolute", 42_500_000)]),
    Row("100 k addresses of a 42 MB binary, with inlines", LOOK_UP_ADDRESSES.format(NOTHING_CACHED), "addr2line -i -f",
        ADDR2LINE.replace("-i", "-i -f"), input="big, the program", repeat=5,
        prepare=ADDRESS_LINES, full_only=True,
        bars=[Bar("time", "faster", 20), Bar("cpu", "times the peer's"), Bar("memory", "absolute", 42_500_000)]),
    Row("100 k addresses of a 42 MB binary, with inlines (llvm)", LOOK_UP_ADDRESSES.format(NOTHING_CACHED),
        "llvm-symbolizer",
        "{llvm_symbolizer} -e {input} < {prepared} > {output}",
        input="big, the program", repeat=3, prepare=ADDRESS_LINES, full_only=True, bars=[Bar("time", "faster", 3)]),
    Observed("the search for 100 k addresses seen before", "wick itself", "names_seen_before",
             [Range("first", "seconds"), Range("seen before", "seconds"), Range("over first", "ratio", high=0.1)],
             input="big, the program", full_only=True),
    # The same including the 68 MB of text that both runs write.
    Row("100 k addresses of a 42 MB binary, seen before", LOOK_UP_ADDRESSES.format(""), "wick without its cache",
        LOOK_UP_ADDRESSES.format(NOTHING_CACHED), input="big, the program", prepare=ADDRESS_LINES, full_only=True,
        bars=[Bar("time", "times the peer's")]),
    Row("a profile of 100 k addresses named later", NOTHING_CACHED + SYMBOLIZE, "the same, seen before", SYMBOLIZE,
        input="big, the program", prepare=NAMED_BY_SYMBOLS, full_only=True,
        bars=[Bar("time", "times the peer's"), Bar("memory", "absolute")]),
    Row("frame-pointer perf.data to call-graph report", "{wick} tree {input} --no-inline --allow-loss 100 > {output}",
        "perf report -g", "{perf} report -i {input} -g --stdio --no-inline > {output}", input="fp1m", repeat=3,
        bars=[Bar("time", "faster", 40), Bar("memory", "absolute", 64 * MIB)]),
    Row("frame-pointer perf.data to folded", TO_FOLDED, "perf script | stackcollapse-perf.pl",
        "{perf} script -i {input} --no-inline | {perl} {stackcollapse} > {output}", input="fp1m", repeat=2,
        check="samples", bars=[Bar("time", "faster", 100)]),
    Row("frame-pointer perf.data to folded, short file", TO_FOLDED, "perf script -s stackcollapse.py",
        "{perf} script -i {input} --no-inline -s {stackcollapse_py} > {output}", input="fp100k", repeat=3,
        check="samples", bars=[Bar("time", "faster")]),
    # stackcollapse-perf.pl reads 30 MB/s: 33 times that is 1 GB/s.
    Row("perf script text to folded, as stackcollapse-perf.pl",
        ONE_CORE + "{wick} convert {prepared} --compat stackcollapse --to folded -o {output}", "stackcollapse-perf.pl",
        ONE_CORE + "{perl} {stackcollapse} {prepared} > {output}", input="fp100k", repeat=3, check="equal",
        prepare="{perf} script -i {input} --no-inline > {prepared}", bars=[Bar("time", "faster", 33)]),
    Row("perf script text to folded, as wick reads it", ONE_CORE + "{wick} convert {prepared} --to folded -o {output}",
        "wc -lw", ONE_CORE + "{wc} -lw {prepared}", input="fp100k", check="samples",
        prepare="{perf} script -i {input} --no-inline > {prepared}",
        bars=[Bar("time", "times the peer's"), Bar("memory", "absolute", 64 * MIB)]),
    Row("record -- true", "{wick} record -q -o {output} -- {true}", "perf record",
        "{perf} record -q -N -o {output} -- {true}", repeat=10,
        bars=[Bar("time", "absolute", 0.030), Bar("time", "faster")]),
    # deep runs for a CPU time, so the number of samples is known: 10,000, and 110,000.
    Row("recorded, 10 k samples of whole stacks", "{wick} record -q -F 4999 -o {output} -- {input} 2",
        "perf record --call-graph dwarf,65528", RECORD_DWARF + " -F 4999 -o {output} -- {input} 2",
        input="deep, the program", repeat=3,
        bars=[Bar("bytes", "absolute", 100 * 10_000), Bar("bytes", "times the peer's"), Bar("time", "faster")]),
    Row("recorded, 110 k samples of whole stacks", "{wick} record -q -F 9999 -o {output} -- {input} 11",
        "perf record --call-graph dwarf", RECORD_DWARF.replace(",65528", "") + " -F 9999 -o {output} -- {input} 11",
        input="deep, the program", repeat=2, full_only=True,
        bars=[Bar("bytes", "absolute", 32 * 110_000), Bar("bytes", "times the peer's"), Bar("time", "faster")]),
    Row("recorder CPU, 999 Hz, whole stacks",
        "{attached} {input} 60 -- {wick} record -q -F 999 -p PID --duration 4 -o {output}",
        "perf record --call-graph dwarf,65528",
        "{attached} {input} 60 -- " + RECORD_DWARF + " -F 999 -p PID -o {output} -- sleep 4",
        input="deep, the program", repeat=3, bars=[Bar("cpu", "times the peer's", 0.1), Bar("memory", "absolute")]),
    *(Observed(f"recorder CPU, {threads} threads, 999 Hz", "perf record --call-graph dwarf,65528", "recorder_cpu",
               [Range("cpu", "seconds"), Range("kernel alone", "seconds"), Range("over perf", "ratio", high=0.1),
                Range("over perf, 8 KB", "ratio", high=0.1), Range("over perf, fp", "ratio", high=0.1)],
               arguments=(threads,))
      for threads in ("8", "506")),
    Observed("506 threads on all CPUs, 999 Hz, whole stacks", "perf record --call-graph dwarf,65528", "many_threads",
             [Range("accounted", "share", 0.98, 1.02), Range("lost", "share", high=0)], arguments=(999,)),
    Observed("506 threads on all CPUs, 4999 Hz, whole stacks", "perf record --call-graph dwarf,65528", "many_threads",
             [Range("accounted", "share", 0.98, 1.02), Range("lost", "share", high=0)], arguments=(4999,)),
    # perf's clocks fire for a half to two thirds of the time of 506 threads, and time without samples costs nothing:
    # the interrupt is most of the cost of a sample. So the plain ratio compares different recordings there. The cost
    # per sample, and perf on all CPUs, which takes as many samples as wick, are comparable. With few threads all three
    # are.
    *(Observed(f"slow-down of {threads} threads while recorded, 999 Hz", "perf record --call-graph dwarf", "work_done",
               [Range("slowed", "share"), Range("slowed, CPU", "share"), Range("sampled", "share"),
                Range("over perf", "ratio", high=1), Range("per sample", "ratio", high=1),
                Range("over perf -a", "ratio", high=1), Range("over perf -a, CPU", "ratio", high=1)],
               arguments=(threads,))
      for threads in ("506", "8")),
    Observed("slow-down of 506 threads, no rate asked for", "perf record --call-graph dwarf", "work_done_as_typed",
             [Range("slowed", "share"), Range("over perf", "ratio", high=1)], arguments=("506",)),
    # What the functions of Python cost: against perf, which has none of them, and against wick without them.
    *(Observed(f"slow-down of {name} while recorded, 997 Hz", "perf record --call-graph dwarf; austin, py-spy",
               "python_slowed",
               [Range("slowed", "share"), Range("slowed, CPU", "share"), Range("over perf", "ratio", high=1),
                Range("over perf, CPU", "ratio"), Range("over no-runtimes", "ratio", high=1.15),
                Range("over no-runtimes, CPU", "ratio"), Range("over austin", "ratio", high=0.1),
                Range("over py-spy", "ratio", high=0.1)], arguments=(name,))
      for name in ("dataflow", "python_truth")),
    *(Observed(f"recorder CPU, {name}, 997 Hz", "perf record --call-graph dwarf; austin, py-spy", "python_recorder_cpu",
               [Range("cpu", "seconds"), Range("over perf", "ratio", high=0.34), Range("over no-runtimes", "ratio"),
                Range("over austin", "ratio", high=0.5), Range("over py-spy", "ratio", high=0.5)], arguments=(name,))
      for name in ("dataflow", "python_truth")),
    Observed("attach to a server with 506 busy threads", "perf record --call-graph dwarf -p", "attach_to_a_server",
             [Range("latency", "seconds", high=0.25)]),
    Observed("complete stacks, no frame pointers", "perf record -g", "complete_stacks",
             [Range("complete", "share", 0.995)], full_only=True),
    Observed("deepest stack, 250 KB", "perf record --call-graph dwarf,65528", "deepest_stack",
             [Range("frames", "frames", 1001)]),
    Observed("the leaf's direct caller, frame-pointer build", "perf record -g", "callers_of_leaves",
             [Range("named", "share", 0.99)], flags="-fno-omit-frame-pointer -momit-leaf-frame-pointer"),
    Observed("share of each function on truth", "perf record --call-graph dwarf,65528", "shares_of_truth",
             [Range("inside", "share", 0.9)], full_only=True),
    Observed("the whole machine for a minute, 999 Hz", "nobody", "whole_machine",
             [Range("lost", "share", high=0), Range("growth", "ratio", high=1.1)], full_only=True),
    NotYet("named frames", "99.5 % where any symbol source exists", "names"),
]
