# SPDX-License-Identifier: Apache-2.0
"""The tools whose files wick reads and writes: valgrind, the JDK, bpftrace, gdb and eu-stack.

Each test makes a file with the tool itself, so it covers the installed version. Equal must be: the total, the
functions by self and by total cost, the number of events of each type, and the functions on the stacks of a running
program.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import time

import consumers

PACKAGES = {"valgrind": "valgrind", "callgrind_annotate": "valgrind", "java": "openjdk-17-jdk-headless",
            "javac": "openjdk-17-jdk-headless", "jfr": "openjdk-17-jdk-headless", "bpftrace": "bpftrace", "gdb": "gdb",
            "eu-stack": "elfutils", "cc": "gcc"}

PROGRAM = r"""
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#include "inlined.h"
__attribute__((noinline)) int leaf(int n) { int s = 0; for (int i = 0; i < n; i++) s = mixed(s, i); return s; }
__attribute__((noinline)) int first(int n) { return leaf(n) + leaf(n / 2); }
__attribute__((noinline)) int second(int n) { return leaf(2 * n) + first(n); }
__attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) void rest_here(void) { for (;;) usleep(100000); }
void* worker(void* unused) { rest_here(); return unused; }
int main(int count, char** words) {
  int s = 0;
  for (int i = 0; i < 50; i++) s += first(i) + second(i) + fib(9);
  if (count > 1) { pthread_t t; pthread_create(&t, 0, worker, words); rest_here(); }
  return s == 12345;
}
"""
INLINED = "static inline __attribute__((always_inline)) int mixed(int a, int b) {\n  return a * b + 3;\n}\n"

# Recursion of one function and of two, alone and below each other.
RECURSIVE = r"""
#include <pthread.h>
#define NOINLINE __attribute__((noinline))
NOINLINE int work(int n) { volatile int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
NOINLINE int odd(int n);
NOINLINE int even(int n) { work(10); return n == 0 ? 1 : odd(n - 1) + 1; }
NOINLINE int odd(int n) { work(5); return n == 0 ? 0 : even(n - 1) + 2; }
NOINLINE int down(int n) { int s = work(20); return n == 0 ? s + even(9) : down(n - 1) + s; }
NOINLINE int tree(int n) { return n < 2 ? down(3) : tree(n - 1) + tree(n - 2); }
NOINLINE void* worker(void* unused) { tree(6); return unused; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, worker, 0);
  int s = odd(40) + even(70);
  for (int i = 0; i < 20; i++) s += down(30) + tree(7);
  pthread_join(t, 0);
  return s == 12345;
}
"""
PYTHON = """
import json, re
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
def walk(x): return {k: walk(v) for k, v in x.items()} if isinstance(x, dict) else x
fib(10)
for i in range(3):
    walk(json.loads(json.dumps({"a": {"b": {"c": list(range(40))}}})))
    sorted(range(100), key=lambda v: -v)
    re.sub(r"(\\w+)", lambda m: m[1].upper(), "a b c " * 10)
"""

JAVA = """
public class Busy {
  static final Object LOCK = new Object();
  static long fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
  static void hold() { synchronized (LOCK) { try { Thread.sleep(30); } catch (InterruptedException e) { } } }
  public static void main(String[] words) throws Exception {
    Thread other = new Thread(() -> { for (int i = 0; i < 20; i++) hold(); }, "holder");
    other.start();
    long sum = 0;
    byte[][] kept = new byte[64][];
    for (int i = 0; i < 20; i++) { hold(); sum += fib(30); kept[i] = new byte[1 << 16]; }
    long end = System.nanoTime() + 1500000000L;
    while (System.nanoTime() < end) sum += fib(27);
    other.join();
    System.out.println(sum);
  }
}
"""


def need(test, *programs):
    for program in programs:
        if not shutil.which(program):
            test.skipTest(f"{program} is not installed (package {PACKAGES[program]})")


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, errors="replace", check=True, **options).stdout


def folded(path, *flags):
    """[(frames, number)]"""
    lines = run(consumers.WICK, "convert", path, "--to", "folded", *flags).splitlines()
    return [(line.rpartition(" ")[0].split(";"), float(line.rpartition(" ")[2])) for line in lines]


def costs(stacks):
    """{function: self}, {function: total}"""
    own, total = collections.Counter(), collections.Counter()
    for frames, number in stacks:
        names = [re.sub(r"_\[[kij]\]$", "", frame) for frame in frames]
        own[names[-1]] += number
        for name in set(names):
            total[name] += number
    return own, total


def annotated_rows(path, folder, inclusive):
    """[(function, cost)] as callgrind_annotate prints it for the first event, and the total."""
    text = run("callgrind_annotate", "--threshold=100", "--auto=no", f"--inclusive={'yes' if inclusive else 'no'}",
               path, cwd=folder)
    rows, total = [], None
    for line in text.splitlines():
        match = re.match(r"\s*([\d,]+) \(\s*[\d.]+%\).*?  (\S.*)$", line)
        if not match:
            continue
        cost = int(match[1].replace(",", ""))
        if match[2].startswith("PROGRAM TOTALS"):
            total = cost
            continue
        name = re.sub(r" \[[^][]*\]$", "", match[2])
        rows.append((name.partition(":")[2], cost))
    return rows, total


def annotated(path, folder, inclusive):
    """{function: cost}, and the total."""
    rows, total = annotated_rows(path, folder, inclusive)
    found = collections.Counter()
    for name, cost in rows:
        found[name] = max(found[name], cost) if inclusive else found[name] + cost
    return found, total


def without_namesakes(*tables):
    """{name: sum} over tables of (name, number), of the names that no table has twice."""
    counts = [collections.Counter(name for name, _ in rows) for rows in tables]
    twice = {name for counted in counts for name, count in counted.items() if count > 1}
    sums = collections.Counter()
    for rows in tables:
        sums.update({name: number for name, number in rows if name not in twice})
    return sums


class Check(consumers.Consumers):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.elsewhere = cls.folder / "elsewhere"  # callgrind_annotate shortens paths below its directory
        cls.elsewhere.mkdir()

    def native_program(self):
        need(self, "cc")
        path = self.folder / "program"
        if not path.exists():
            (self.folder / "program.c").write_text(PROGRAM)
            (self.folder / "inlined.h").write_text(INLINED)
            run("cc", "-O1", "-g", self.folder / "program.c", "-o", path, "-lpthread")
        return path

    def callgrind(self, name, *flags):
        need(self, "valgrind", "callgrind_annotate")
        path = self.folder / name
        run("valgrind", "--tool=callgrind", f"--callgrind-out-file={path}", *flags, self.native_program())
        return path

    def check_read(self, path):
        own, total = costs(folded(path))
        expected, whole = annotated(path, self.elsewhere, inclusive=False)
        lines = int(re.search(r"^totals: (\d+)", path.read_text(), re.M)[1])
        self.assertEqual(sum(own.values()), lines)
        self.assertGreater(len(expected), 20)
        for name, cost in expected.items():
            self.assertEqual(own[name], cost, name)
        expected, _ = annotated(path, self.elsewhere, inclusive=True)
        for name in ("leaf", "first", "second", "main", "fib", "_dl_relocate_object", "_dl_start"):
            # valgrind's sums of calls can exceed those of lines by a few instructions.
            self.assertAlmostEqual(total[name], expected[name], delta=2 * (whole - lines), msg=name)
        return own

    def test_callgrind_files_have_the_costs_of_callgrind_annotate(self):
        for flags in ([], ["--dump-instr=yes", "--collect-jumps=yes", "--cache-sim=yes"],
                      ["--compress-strings=no", "--compress-pos=no"], ["--separate-callers=2"]):
            with self.subTest(flags=flags):
                path = self.callgrind("callgrind.out", *flags)
                if "--separate-callers=2" in flags:
                    own, _ = costs(folded(path))
                    expected, whole = annotated(path, self.elsewhere, inclusive=False)
                    self.assertEqual(sum(own.values()), whole)
                    self.assertEqual(own["leaf'first"], expected["leaf'first"])
                else:
                    own = self.check_read(path)
                    self.assertGreater(own["leaf"], 10000)

    def reported(self, *paths):
        rows = json.loads(self.wick("report", *paths, "--json", "--limit", "0"))["sections"]["entries"]["rows"]
        return [(row["name"], row["total"]) for row in rows]

    def check_totals(self, paths, least):
        """The totals are those of callgrind_annotate. Returns those that are less, because calls inside of calls of the
        same function count once. Functions with one name in several files or objects are separate in different ways."""
        tables, more = [], 0
        for path in paths:
            rows, whole = annotated_rows(path, self.elsewhere, inclusive=True)
            tables.append(rows)
            # valgrind's sums of calls can exceed those of lines by a few instructions.
            lines = sum(int(number) for number in re.findall(r"^totals: (\d+)", path.read_text(), re.M))
            more += 2 * abs(whole - lines)
        expected = without_namesakes(*tables)
        expected.pop("clone", None)  # it also starts threads: wick adds what has no callers
        found = without_namesakes(self.reported(*paths))
        both = sorted(found.keys() & expected.keys(), key=lambda name: -expected[name])
        limited = {name: found[name] for name in both if found[name] < expected[name] - more}
        exact = [name for name in both if name not in limited]
        self.assertGreater(len(exact), least)
        for name in exact:
            self.assertAlmostEqual(found[name], expected[name], delta=more, msg=name)
        for ours, theirs in zip(sorted((found[name] for name in exact), reverse=True)[:consumers.TOP], exact):
            self.assertAlmostEqual(ours, expected[theirs], delta=more)
        for name, total in limited.items():
            self.assertLessEqual(total, found.get(name.partition("'")[0], expected[name]), name)
        return limited

    def recursive_program(self):
        need(self, "cc")
        path = self.folder / "recursive"
        if not path.exists():
            (self.folder / "recursive.c").write_text(RECURSIVE)
            run("cc", "-O1", "-g", "-fno-optimize-sibling-calls", self.folder / "recursive.c", "-o", path, "-lpthread")
        return path

    def test_totals_in_recursion(self):
        need(self, "valgrind", "callgrind_annotate")
        for flags in ([], ["--dump-every-bb=20000", "--combine-dumps=yes"], ["--separate-threads=yes"],
                      ["--separate-recs=1"]):
            with self.subTest(flags=flags):
                path = self.folder / f"recursive{''.join(flags)}.callgrind"
                run("valgrind", "--tool=callgrind", f"--callgrind-out-file={path}", *flags, self.recursive_program())
                paths = sorted(path.parent.glob(f"{path.name}-*")) or [path]
                limited = self.check_totals(paths, least=40)
                separate = "--separate-recs=1" not in flags
                self.assertIn("down'2" if separate else "down", limited)
                self.assertEqual({name for name in limited if "'" not in name}, set() if separate else
                                 limited.keys() & {"down", "even", "odd", "tree"})

    def test_totals_of_an_interpreter(self):
        need(self, "valgrind", "callgrind_annotate")
        script = self.folder / "script.py"
        script.write_text(PYTHON)
        path = self.folder / "python.callgrind"
        run("valgrind", "--tool=callgrind", f"--callgrind-out-file={path}", "/usr/bin/python3", "-S", "-E", script)
        limited = self.check_totals([path], least=1000)
        self.assertGreater(len(limited), 5)
        self.assertTrue(all("'" in name for name in limited))

    def test_cachegrind(self):
        need(self, "valgrind")
        path = self.folder / "cachegrind.out"
        run("valgrind", "--tool=cachegrind", "--cache-sim=yes", f"--cachegrind-out-file={path}", self.native_program())
        whole = int(re.search(r"^summary: (\d+)", path.read_text(), re.M)[1])
        self.assertEqual(sum(number for _, number in folded(path)), whole)

    def test_callgrind_annotate_shows_the_report_of_written_files(self):
        need(self, "callgrind_annotate")
        source = self.folder / "stacks.folded"
        lines = ["main;a;b;a;c 5", "main;a;b 7", "a;c 11", "c 3", "main;a 2", "x;x;x 4", "x;y;x;z 6", "main;b;a;b 8",
                 "thread;run;main;a 9", "operator()(int);f<a, b>::g (x) 10"]
        source.write_text("\n".join(lines) + "\n")
        self.check_written(source, ["--unit", "samples"])

    def check_written(self, source, flags):
        written = self.folder / "written.callgrind"
        run(consumers.WICK, "convert", source, "--to", "callgrind", "-o", written, *flags)
        own, total = costs(folded(source, *flags))
        found, whole = annotated(written, self.elsewhere, inclusive=False)
        self.assertEqual(whole, sum(own.values()))
        self.assertEqual({name: cost for name, cost in own.items() if cost}, dict(found))
        found, _ = annotated(written, self.elsewhere, inclusive=True)
        found.pop("[root]", None)
        self.assertEqual({name: cost for name, cost in total.items() if cost}, dict(found))
        again = run(consumers.WICK, "convert", source, "--to", "callgrind", *flags)
        self.assertEqual(written.read_text(), again)

    def test_callgrind_annotate_shows_what_callgrind_recorded_after_conversion(self):
        path = self.callgrind("callgrind.again")
        written = self.folder / "again.callgrind"
        run(consumers.WICK, "convert", path, "--to", "callgrind", "-o", written)
        before, whole = annotated(path, self.elsewhere, inclusive=False)
        after, whole_after = annotated(written, self.elsewhere, inclusive=False)
        self.assertEqual((whole, before), (whole_after, after))
        text = written.read_text()
        self.assertIn("inlined.h", text)
        self.assertIn(str(self.folder / "program"), text)

    def java_recording(self):
        need(self, "java", "javac", "jfr")
        path = self.folder / "busy.jfr"
        if not path.exists():
            (self.folder / "Busy.java").write_text(JAVA)
            run("javac", "-d", self.folder, self.folder / "Busy.java")
            run("java", f"-XX:StartFlightRecording=settings=profile,filename={path}", "-cp", self.folder, "Busy")
        return path

    def test_jfr_events_are_those_of_jfr_summary(self):
        path = self.java_recording()
        summary = dict(re.findall(r"^ (\S+)\s+(\d+)\s+\d+$", run("jfr", "summary", path), re.M))
        checked = 0
        for event in ("jdk.ExecutionSample", "jdk.NativeMethodSample", "jdk.ObjectAllocationSample",
                      "jdk.JavaMonitorEnter", "jdk.ThreadPark", "jdk.ThreadSleep"):
            if int(summary.get(event, 0)) == 0:
                continue
            rows = json.loads(run("jfr", "print", "--json", "--stack-depth", "64", "--events", event, path))
            events = rows["recording"]["events"]
            self.assertEqual(len(events), int(summary[event]))
            self.assertEqual(self.stacks_of(path, event), self.printed_stacks(events), event)
            checked += 1
        self.assertGreaterEqual(checked, 3)

    def stacks_of(self, path, event):
        """The number of events with each stack."""
        text = run(consumers.WICK, "convert", path, "--event", event, "--to", "perf-script")
        stacks = collections.Counter()
        for block in text.split("\n\n"):
            frames = re.findall(r"^\s+[0-9a-f]+ (.*) \([^()]*\)$", block, re.M)
            if frames or re.search(r"\d+\.\d+:", block):
                stacks[tuple(frames)] += 1
        return stacks

    @staticmethod
    def printed_stacks(events):
        stacks = collections.Counter()
        for event in events:
            trace = event["values"].get("stackTrace") or {"frames": []}
            stacks[tuple(f"{frame['method']['type']['name'].replace('/', '.')}.{frame['method']['name']}"
                         for frame in trace["frames"])] += 1
        return stacks

    def test_jfr_threads_and_hot_function(self):
        path = self.java_recording()
        own, _ = costs(folded(path, "--event", "jdk.ExecutionSample"))
        self.assertEqual(own.most_common(1)[0][0], "Busy.fib")
        text = run(consumers.WICK, "report", path, "--event", "jdk.JavaMonitorEnter", "--by", "thread")
        self.assertIn("holder", text)

    def running(self):
        process = subprocess.Popen([self.native_program(), "wait"])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        time.sleep(0.5)
        return process

    def check_backtrace(self, text, frames):
        path = self.folder / "stacks.txt"
        path.write_text(text)
        stacks = folded(path)
        self.assertEqual(len(stacks), 2, text)
        for names, number in stacks:
            self.assertEqual(number, 1)
            self.assertIn("rest_here", names)
        self.assertTrue(all(any(frame in names for names, _ in stacks) for frame in frames), stacks)

    def test_gdb(self):
        need(self, "gdb")
        process = self.running()
        done = subprocess.run(["gdb", "-p", str(process.pid), "-batch", "-ex", "thread apply all bt"],
                              capture_output=True, text=True, check=False)
        if "rest_here" not in done.stdout:
            self.skipTest("gdb may not attach to processes here")
        self.check_backtrace(done.stdout, ["main", "worker"])

    def test_eu_stack(self):
        need(self, "eu-stack")
        process = self.running()
        for flags in ([], ["-m", "-s", "-i"]):
            done = subprocess.run(["eu-stack", *flags, "-p", str(process.pid)], capture_output=True, text=True,
                                  check=False)
            if "rest_here" not in done.stdout:
                self.skipTest("eu-stack may not attach to processes here")
            self.check_backtrace(done.stdout, ["main", "worker"])

    def test_bpftrace(self):
        need(self, "bpftrace")
        script = "profile:hz:99 { @[kstack, ustack, comm, pid] = count(); @n = count(); } interval:s:1 { exit(); }"
        busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        self.addCleanup(busy.wait)
        self.addCleanup(busy.kill)
        done = subprocess.run(["bpftrace", "-e", script], capture_output=True, text=True, check=False,
                              env=os.environ | {"BPFTRACE_MAP_KEYS_MAX": "100000"})
        counted = re.search(r"^@n: (\d+)", done.stdout, re.M)
        if not counted or "@[" not in done.stdout:
            self.skipTest("bpftrace may not load programs here")
        path = self.folder / "bpftrace.txt"
        path.write_text(done.stdout)
        printed = sum(int(number) for number in re.findall(r"\]: (\d+)$", done.stdout, re.M))
        self.assertEqual(sum(number for _, number in folded(path, "--unit", "samples")), printed)
        self.assertIn(f" {busy.pid}", run(consumers.WICK, "report", path, "--unit", "samples", "--by", "thread", "--limit", "0"))
