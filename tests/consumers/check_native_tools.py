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


def annotated(path, folder, inclusive):
    """{function: cost} as callgrind_annotate prints it for the first event, and the total."""
    text = run("callgrind_annotate", "--threshold=100", "--auto=no", f"--inclusive={'yes' if inclusive else 'no'}",
               path, cwd=folder)
    found, total = collections.Counter(), None
    for line in text.splitlines():
        match = re.match(r"\s*([\d,]+) \(\s*[\d.]+%\).*?  (\S.*)$", line)
        if not match:
            continue
        cost = int(match[1].replace(",", ""))
        if match[2].startswith("PROGRAM TOTALS"):
            total = cost
            continue
        name = re.sub(r" \[[^][]*\]$", "", match[2])
        name = name.partition(":")[2]
        found[name] = max(found[name], cost) if inclusive else found[name] + cost
    return found, total


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
