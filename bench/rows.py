"""The table of benchmarks. Adding one is one entry in ROWS; bench/README.md tells how.

A row runs wick and a peer on the same input and judges what they cost. A command is one line of words with
names in braces: {wick}, {input} (the row's input file), {output} (a file that is removed before each run; its
size is the measure "bytes"), {prepared} (what the command "prepare" made, once), and the peers by name.

Bars come from what users would notice, and from the figures of the peers; a row whose bar cannot be measured
yet says what it needs, so that the gap is seen in every table.
"""
from dataclasses import dataclass

MIB = 1 << 20


@dataclass
class Bar:
    """What is judged. measure: time, memory or bytes. compared: "faster" is peer over wick, more is better;
    "times the peer's" is wick over peer, less is better; "absolute" is wick alone, less is better.
    Without a limit the figure is shown and not judged."""
    measure: str
    compared: str
    limit: float | None = None


@dataclass
class Row:
    name: str
    wick: str            # the command
    against: str         # the peer, in the words of the table
    peer: str            # its command
    bars: list
    input: str = ""      # a name of INPUTS
    prepare: str = ""
    repeat: int = 0      # 0: as the command line says
    full_only: bool = False


@dataclass
class NotYet:
    name: str
    bar: str
    needs: str


INPUTS = {  # name: stacks and whether they are sorted; 200 bytes a stack
    "large": (1_000_000, False),
    "large, sorted": (1_000_000, True),
    "medium": (100_000, False),
}

ROWS = [
    Row("folded to report, unsorted", "{wick} report {input}", "wc -lw", "{wc} -lw {input}", input="large",
        bars=[Bar("time", "times the peer's", 10), Bar("memory", "absolute", 256 * MIB)]),
    Row("folded to report, sorted", "{wick} report {input}", "wc -lw", "{wc} -lw {input}", input="large, sorted",
        bars=[Bar("time", "times the peer's", 10), Bar("memory", "absolute", 256 * MIB)]),
    Row("folded to SVG, 100 k stacks", "{wick} flame {input} -o {output}", "flamegraph.pl",
        "{perl} {flamegraph} {input} > {output}", input="medium", bars=[Bar("time", "faster", 20)]),
    Row("folded to SVG, 1 M stacks", "{wick} flame {input} -o {output}", "flamegraph.pl",
        "{perl} {flamegraph} {input} > {output}", input="large", bars=[Bar("time", "faster", 20)], full_only=True),
    Row("start", "{wick} --help", "true", "{true}", repeat=20,
        bars=[Bar("time", "absolute", 0.010), Bar("time", "times the peer's")]),
    Row(".wick written", "{wick} convert --to wick {input} -o {output}", "zstd -3",
        "{zstd} -3 -q -f {input} -o {output}", input="large", bars=[Bar("time", "times the peer's"), Bar("bytes", "times the peer's")]),
    Row(".wick read", "{wick} report {prepared}", "the folded file", "{wick} report {input}",
        input="large", prepare="{wick} convert --to wick {input} -o {prepared}", bars=[Bar("time", "times the peer's")]),

    NotYet("DWARF perf.data to named folded, no inlines", "20 x perf script --no-inline",
           "the perf.data reader and names"),
    NotYet("the same with inlines, small binary", "25 x perf script, 12 x perfparser",
           "the perf.data reader and names"),
    NotYet("the same with inlines, 42 MB C++ binary", "100 x perf script, 15 x perfparser",
           "the perf.data reader and names"),
    NotYet("frame-pointer perf.data to call-graph report", "20 x perf report -g", "the perf.data reader"),
    NotYet("frame-pointer perf.data to folded", "100 x perf script | stackcollapse-perf.pl", "the perf.data reader"),
    NotYet("perf script text to folded", "1 GB/s a core", "the perf script reader"),
    NotYet("memory on a 2.2 GB DWARF file", "64 MB, flat in the file's size", "the perf.data reader"),
    NotYet("CPU time accounted for, 506 threads", "98 to 102 %", "the recorder"),
    NotYet("lost samples, 506 threads on 2 CPUs", "0 privileged; else counted exactly", "the recorder"),
    NotYet("bytes a sample, whole stacks", "32 from 100 k samples on, 100 from 5 k on", "the recorder"),
    NotYet("attach to a saturated 506-thread server", "first sample within 0.25 s, every time", "the recorder"),
    NotYet("record -- true", "under 0.03 s", "the recorder"),
    NotYet("recorder CPU, 999 Hz, whole stacks", "a fifth of perf's", "the recorder"),
    NotYet("complete stacks, no frame pointers", "99.5 %", "the recorder"),
    NotYet("named frames", "99.5 % where any symbol source exists", "names"),
    NotYet("deepest stack", "no limit of ours; spliced or stitched past 64 KB", "the recorder"),
    NotYet("the leaf's direct caller, frame-pointer builds", "present in wick's recordings", "the recorder"),
    NotYet("share of each function on truth", "inside the 95 % interval 95 % of the time", "the recorder"),
    NotYet("1 M samples in the viewer, first picture", "a quarter of speedscope's time", "the viewer"),
]
