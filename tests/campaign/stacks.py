#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the stacks of thirty-five Debian programs that wick was not tuned for, against their machine code and against perf.

    stacks.py WICK [--only NAME] [--keep DIRECTORY]

Each program is recorded twice, by `wick record` and by `perf record --call-graph dwarf`. Then:

    complete   a stack counts only if its outermost frame is a known start: the entry of a file, a function that starts
               threads, fibers or goroutines. wick's own claim must not exceed that count, and the count must not be
               below that of perf. Two runs of a program with a JIT can differ by more than the two profilers do, so
               wick may also reach perf's count on perf's own recording.
               It must also reach the program's bar: 95 %, since most code has unwind tables or frame pointers, or wick
               follows it. The bars of programs whose code has neither are in the table below.
    pairs      in 200 stacks, a call must end at the return address of each caller, and a call that names its target
               must lead to the callee: itself, by jumps, or through a stub or a pointer. An impossible pair is a failure.

It installs the programs with apt-get. Without a network it tries those that are there.
"""
import argparse
import collections
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

SOURCES = {
    "sorts.c": r"""
#include <stdio.h>
#include <stdlib.h>
static int compare(const void *a, const void *b) { int x = *(int *)a, y = *(int *)b; return (x > y) - (x < y); }
__attribute__((noinline)) unsigned inner(unsigned s) { for (int i = 0; i < 20000; i++) s = s * 1103515245 + 12345; return s; }
__attribute__((noinline)) unsigned outer(unsigned s) { unsigned r = inner(s); __asm__ volatile("" : "+r"(r)); return r + 1; }
int main(void) {
  static int numbers[5000]; char text[64]; unsigned s = 1;
  for (int round = 0; round < 400; round++) {
    for (int i = 0; i < 5000; i++) numbers[i] = (s = s * 1103515245 + 12345) >> 8;
    qsort(numbers, 5000, sizeof *numbers, compare);
    for (int i = 0; i < 200; i++) snprintf(text, sizeof text, "%d %g", numbers[i], numbers[i] * 1.5);
    for (int i = 0; i < 50; i++) s = outer(s);
  }
  return s == 7;
}
""",
    "threads.c": r"""
#include <pthread.h>
#include <signal.h>
static volatile unsigned long sink;
__attribute__((noinline)) void spin(long n) { while (n--) sink = sink * 3 + 1; }
static void handler(int s) { (void)s; spin(200000); }
static void *run(void *p) { (void)p; for (int i = 0; i < 150; i++) { spin(1000000); raise(SIGUSR1); } return 0; }
int main(void) {
  pthread_t a, b; signal(SIGUSR1, handler);
  pthread_create(&a, 0, run, 0); pthread_create(&b, 0, run, 0); pthread_join(a, 0); pthread_join(b, 0);
}
""",
    "fibers.c": r"""
#include <ucontext.h>
static ucontext_t home, fiber; static char stack[65536]; static volatile unsigned long sink;
__attribute__((noinline)) void spin(long n) { while (n--) sink = sink * 3 + 1; }
static void run(void) { for (;;) { spin(300000); swapcontext(&fiber, &home); } }
int main(void) {
  getcontext(&fiber); fiber.uc_stack.ss_sp = stack; fiber.uc_stack.ss_size = sizeof stack; fiber.uc_link = &home;
  makecontext(&fiber, run, 0);
  for (int i = 0; i < 2000; i++) swapcontext(&home, &fiber);
}
""",
    "main.go": r"""
package main
import ("fmt"; "sort"; "strings")
type node struct { l, r *node; v int }
func build(d int) *node { if d == 0 { return &node{v: 1} }; return &node{build(d - 1), build(d - 1), d} }
func (n *node) sum() int { if n == nil { return 0 }; return n.v + n.l.sum() + n.r.sum() }
func work(k int) int { s := 0
  for i := 0; i < k; i++ { s += build(10).sum(); x := []string{}
    for j := 0; j < 200; j++ { x = append(x, fmt.Sprintf("%d-%s", j*7919%1000, strings.Repeat("a", j%7))) }
    sort.Strings(x); s += len(x[0]) }
  return s }
func main() { c := make(chan int); for g := 0; g < 4; g++ { go func() { c <- work(2000) }() }
  t := 0; for g := 0; g < 4; g++ { t += <-c }; fmt.Println(t) }
""",
    "calls.go": r"""
package main
/*
extern unsigned called_back(unsigned);
__attribute__((noinline)) static unsigned calls_go(unsigned s) { return called_back(s) + 1; }
*/
import "C"
import ("fmt"; "sync"; "time")
type cell struct { next *cell; rest [100]byte }
//export called_back
func called_back(s C.uint) C.uint { x := uint32(s); for i := 0; i < 3000; i++ { x = x*1103515245 + 12345 }; return C.uint(x) }
func allocate(n int) int { var list *cell; for i := 0; i < n; i++ { list = &cell{next: list} }
  c := 0; for ; list != nil; list = list.next { c++ }; return c }
func recurse(n int) (r int) { defer func() { if recover() != nil { r = 1 } }(); if n == 0 { panic("x") }; return recurse(n-1) + 1 }
func main() { var group sync.WaitGroup
  for g := 0; g < 6; g++ { group.Add(1); go func() { defer group.Done()
    for i := 0; i < 8000; i++ { C.calls_go(C.uint(i)); allocate(100); for k := 0; k < 3; k++ { recurse(8) }
      c := make(chan int); go func() { time.Sleep(time.Microsecond); c <- 1 }()
      select { case <-c: case <-time.After(time.Second): } } }() }
  group.Wait(); fmt.Println("done") }
""",
    "coroutines.cc": r"""
#include <coroutine>
#include <exception>
#include <utility>
struct Task {
  struct promise_type {
    std::coroutine_handle<> caller = std::noop_coroutine(); unsigned result = 0;
    Task get_return_object() { return Task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    struct Last {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> h) noexcept { return h.promise().caller; }
      void await_resume() noexcept {}
    };
    Last final_suspend() noexcept { return {}; }
    void return_value(unsigned value) { result = value; }
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
  explicit Task(std::coroutine_handle<promise_type> h) : handle(h) {}
  Task(Task &&other) : handle(std::exchange(other.handle, {})) {}
  ~Task() { if (handle) handle.destroy(); }
  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> c) { handle.promise().caller = c; return handle; }
  unsigned await_resume() { return handle.promise().result; }
};
__attribute__((noinline)) unsigned burn(unsigned s, int n) { for (int i = 0; i < n; i++) s = s * 1103515245 + 12345; return s; }
Task step(unsigned s, int depth) {
  if (depth == 0) co_return burn(s, 4000);
  unsigned r = co_await step(s + depth, depth - 1);
  co_return burn(r, 500);
}
Task all() { unsigned s = 1; for (int i = 0; i < 20000; i++) s = co_await step(s, 12); co_return s; }
int main() { Task task = all(); task.handle.resume(); return task.handle.promise().result == 7; }
""",
    "go.mod": "module campaign\ngo 1.19\n",
    "Work.java": r"""
import java.util.*;
public class Work {
  static long f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
  public static void main(String[] a) { long s = 0; Map<String, Integer> m = new HashMap<>();
    for (int i = 0; i < 60; i++) { s += f(27); for (int j = 0; j < 20000; j++) m.merge("k" + j % 977, 1, Integer::sum); }
    System.out.println(s + m.size()); } }
""",
    "work.js": "function f(n){return n<2?n:f(n-1)+f(n-2)}; let o={}; for(let i=0;i<40;i++){f(27); "
               "for(let j=0;j<20000;j++){o['k'+j%977]=(o['k'+j%977]||0)+1}} console.log(Object.keys(o).length)\n",
    "work.lua": "local function f(n) if n<2 then return n end return f(n-1)+f(n-2) end\nlocal t={}\n"
                "for i=1,150 do f(27) for j=1,20000 do local k='k'..(j%977) t[k]=(t[k] or 0)+1 end end\nprint(#t)\n",
    "work.py": "def f(n): return n if n < 2 else f(n - 1) + f(n - 2)\nd = {}\nfor i in range(12):\n    f(21)\n"
               "    for j in range(20000): d[f'k{j % 977}'] = j\nprint(sorted(d)[:2])\n",
    "work.rb": "def f(n) n < 2 ? n : f(n-1) + f(n-2) end\nh = Hash.new(0)\n20.times { f(21); 20000.times { |j| h[\"k#{j%977}\"] += 1 } }\n",
    "work.pl": "sub f { my $n = shift; $n < 2 ? $n : f($n-1) + f($n-2) }\nmy %h;\n"
               "for (1..12) { f(20); $h{'k' . ($_ % 977)}++ for 1..40000 }\nprint scalar(keys %h), qq(\\n);\n",
    "work.php": "<?php function f($n) { return $n < 2 ? $n : f($n-1) + f($n-2); }\n"
                "for ($i = 0; $i < 25; $i++) { f(24); $a = []; for ($j = 0; $j < 40000; $j++) $a[\"k\" . $j % 977] = $j; ksort($a); }\n",
    "work.erl": "-module(work).\n-export([start/0]).\nf(N) when N < 2 -> N;\nf(N) -> f(N-1) + f(N-2).\n"
                "start() -> [f(25) || _ <- lists:seq(1, 20)], [lists:sort([X * 7919 rem 1009 || X <- lists:seq(1, 20000)]) "
                "|| _ <- lists:seq(1, 40)], halt(0).\n",
    "work.ml": "let rec f n = if n < 2 then n else f (n - 1) + f (n - 2)\nexception Found\n"
               "let () = for _ = 1 to 60 do ignore (f 27); ignore (List.sort compare (List.init 20000 (fun x -> x * 7919 mod 1009)));\n"
               "  for j = 1 to 8000 do try List.iter (fun x -> if x = j mod 7 then raise Found) [1;2;3;4;5;6] with Found -> () done done\n",
    "work.pas": "program work; {$mode objfpc} uses sysutils, classes;\n"
                "function f(n: integer): integer; begin if n < 2 then f := n else f := f(n - 1) + f(n - 2); end;\n"
                "var i, j: integer; l: TStringList; begin l := TStringList.Create;\n"
                "for i := 1 to 40 do begin f(27); try if i mod 2 = 0 then raise Exception.Create('x'); except end;\n"
                "for j := 1 to 3000 do l.Add('k' + IntToStr(j * 7919 mod 977)); l.Sort; l.Clear; end; end.\n",
    "work.cs": "using System; using System.Collections.Generic; class Work { static int F(int n) { return n < 2 ? n : F(n - 1) + F(n - 2); }\n"
               "static void Main() { var d = new Dictionary<string, int>(); for (int i = 0; i < 40; i++) { F(27);\n"
               "for (int j = 0; j < 10000; j++) d[\"k\" + j % 977] = j; try { throw new Exception(\"x\"); } catch (Exception) {} } } }\n",
}

# bar: the smallest share of complete stacks, in percent.
Program = collections.namedtuple("Program", "packages prepare command bar", defaults=[95])
PROGRAMS = {
    "ffmpeg": Program("ffmpeg", "", "ffmpeg -loglevel error -f lavfi -i testsrc2=size=640x360:rate=30 -t 20 -c:v libx264 -f null -"),
    "openssl-gcm": Program("openssl", "", "openssl speed -seconds 1 -bytes 1024 -evp aes-256-gcm"),
    "openssl-rsa": Program("openssl", "", "openssl speed -seconds 1 rsa2048"),
    "openssl-sha": Program("openssl", "", "openssl speed -seconds 1 -bytes 4096 -evp sha256"),
    "musl": Program("musl-tools", "musl-gcc -O2 sorts.c -o musl", "./musl"),
    "musl-static": Program("musl-tools", "musl-gcc -O2 -static sorts.c -o musl-static", "./musl-static"),
    "musl-stripped": Program("musl-tools", "musl-gcc -O2 -static -s sorts.c -o musl-stripped", "./musl-stripped"),
    "musl-threads": Program("musl-tools", "musl-gcc -O1 threads.c -o musl-threads", "./musl-threads"),
    "busybox": Program("busybox-static", "", "busybox sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; "
                       "busybox dd if=/dev/zero bs=1M count=60 2>/dev/null | busybox gzip -c | busybox sha256sum'"),
    "glibc-static": Program("gcc", "gcc -O2 -static -s sorts.c -o glibc-static", "./glibc-static"),
    "fibers": Program("gcc", "gcc -O1 fibers.c -o fibers", "./fibers"),
    "go": Program("golang-go", "mkdir -p go && cp main.go go.mod go/ && cd go && go build -o ../go-full .", "./go-full"),
    "go-stripped": Program("golang-go", "mkdir -p go && cp main.go go.mod go/ && cd go && go build -ldflags='-s -w' -o ../go-stripped .", "./go-stripped"),
    # What C has called is on the stack of a goroutine, and its callers are on two others.
    "go-calls": Program("golang-go gcc", "mkdir -p calls && cp calls.go go.mod calls/ && cd calls && go build -o ../go-calls-c .",
                        "./go-calls-c", 60),
    "coroutines": Program("g++", "g++ -std=c++20 -O2 coroutines.cc -o coroutines", "./coroutines"),
    "ocaml": Program("ocaml-nox", "ocamlopt work.ml -o work-ocaml", "./work-ocaml"),
    "pascal": Program("fpc", "fpc -O2 work.pas -owork-pascal", "./work-pascal"),
    "mono": Program("mono-runtime mono-mcs", "mcs work.cs", "mono work.exe"),
    "luajit": Program("luajit", "", "luajit work.lua", 0),  # compiled traces have no frames
    "luajit-off": Program("luajit", "", "luajit -joff work.lua"),
    "lua": Program("lua5.4", "", "lua5.4 work.lua"),
    "java": Program("default-jdk-headless", "javac Work.java", "java Work", 60),
    "java-fp": Program("default-jdk-headless", "javac Work.java", "java -XX:+PreserveFramePointer Work"),
    "node": Program("nodejs", "", "node work.js"),
    "qemu-user": Program("qemu-user musl-tools", "musl-gcc -O2 -static sorts.c -o guest", "qemu-x86_64 ./guest", 30),
    "erlang": Program("erlang-base", "erlc work.erl", "erl -noshell -s work start", 10),
    "python": Program("python3", "", "python3 work.py"),
    "perl": Program("perl", "", "perl work.pl"),
    "ruby": Program("ruby", "", "ruby work.rb"),
    "php": Program("php-cli", "", "php work.php"),
    "bash": Program("bash", "", "bash -c 'for ((i=0;i<150000;i++)); do x=$((x+i)); done; for i in {1..300}; do (:); done'"),
    "xz": Program("xz-utils", "head -c 6000000 /usr/bin/perl > data", "xz -k -c -T2 data"),
    "zstd": Program("zstd", "cat /usr/bin/perl /usr/bin/gdb > data 2>/dev/null || cp /usr/bin/perl data", "zstd -15 -q -c data"),
    "gcc": Program("gcc", "", "gcc -O2 -c sorts.c threads.c fibers.c"),
    "sqlite": Program("sqlite3", "", "sqlite3 :memory: \"create table t as with recursive c(x) as (select 1 union all select x+1 from c "
                      "where x<400000) select x, x*7919%1009 y from c; select y, count(*), sum(x) from t group by y order by 2 desc limit 1;\""),
}

# The outermost function of a stack that is complete; for files without names the entry and the unwind entries decide.
STARTS = re.compile(r"^(_start|_dl_start_user|clone|clone3|__clone|__clone3|__start_context|start_context|_start_c|ret_from_fork\w*|"
                    r"runtime\.(goexit|mstart|mstart0|rt0_go|_rt0\w*|clone|sigreturn)(\.abi0)?|_rt0_amd64\w*|make_fcontext)$")
# Go's scheduler between two goroutines starts where it has left the first, as in Go's own profiles, with one of these.
LEAVES_GOROUTINE = re.compile(r"^runtime\.(park_m|goexit0|gosched_m|goschedguarded_m|gopreempt_m|goyield_m|preemptPark|exitsyscall0)$")
KERNEL = re.compile(r"^\[(kernel|guest|k)")
LONGEST_ENTRY = 128  # bytes of the code at a file's entry up to its call of the C library or of main; Free Pascal: 72
HEAD = re.compile(r"^\S.*:\s+\d+\s+\S+:")
FRAME = re.compile(r"^\s+([0-9a-f]+) (.*?)(?:\+0x([0-9a-f]+))? \(([^()]*)\)$")


class Elf:
    """The bytes at linked addresses, and the addresses of stubs and of the entry."""

    def __init__(self, path):
        self.path = path
        self.data = pathlib.Path(path).read_bytes()
        if self.data[:5] != b"\x7fELF\x02":
            raise ValueError("not a 64-bit ELF file")
        self.entry, program_headers = struct.unpack_from("<QQ", self.data, 24)
        size, count = struct.unpack_from("<HH", self.data, 54)
        self.loads = []
        for i in range(count):
            kind, flags, offset, address, _, file_size = struct.unpack_from("<IIQQQQ", self.data, program_headers + i * size)
            if kind == 1 and flags & 1:
                self.loads.append((address, file_size, offset))
        self.flow = {}

    def bytes_at(self, address, size):
        for begin, length, offset in self.loads:
            if begin <= address and address + size <= begin + length:
                return self.data[offset + address - begin:offset + address - begin + size]
        return b""

    def bytes_from(self, address, most):
        for begin, length, offset in self.loads:
            if begin <= address < begin + length:
                return self.data[offset + address - begin:offset + min(address + most - begin, length)]
        return b""

    def instructions(self, begin):
        """{address: (mnemonic, target, next)} of the code from `begin` on, by objdump; cached by 4 KB."""
        if begin not in self.flow:
            # Bare bytes: of a file with many symbols, objdump takes seconds to read those.
            with tempfile.NamedTemporaryFile() as code:
                code.write(self.bytes_from(begin, 8192))
                code.flush()
                text = subprocess.run(["objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "--no-show-raw-insn",
                                       f"--adjust-vma={begin}", code.name], capture_output=True, text=True).stdout
            rows = [(int(m[1], 16), m[2], m[3]) for m in re.finditer(r"^\s+([0-9a-f]+):\s+(\S+)(?:[ \t]+(\S+))?", text, re.M)]
            found = {}
            for (address, name, operand), (after, _, _) in zip(rows, rows[1:]):
                target = int(operand, 16) if operand and re.fullmatch(r"0x[0-9a-f]+", operand) else None
                found[address] = (name.removeprefix("bnd").strip() or "jmp", target, after)
            self.flow[begin] = found
        return self.flow[begin]

    def leads_to(self, begin, inside):
        """True, False, or None if a jump through a pointer leads anywhere: objdump's reading of the code."""
        seen, todo, unknown = set(), [begin], False
        while todo and len(seen) < 6000:
            at = todo.pop()
            code = self.instructions(at)
            while at in code and at not in seen:
                seen.add(at)
                name, target, after = code[at]
                if at <= inside < after:
                    return True
                if name.startswith(("ret", "hlt", "ud2", "int3")):
                    break
                if name.startswith("j"):
                    if target is None:
                        unknown = True
                        break
                    todo.append(target)
                    if name.startswith("jmp"):
                        break
                at = after
            else:
                unknown = unknown or at not in seen
        return None if unknown or todo else False


def call_before(code, address):
    """(kind, target) of the call that ends at `address`; the bytes before it are `code`."""
    if len(code) >= 5 and code[-5] == 0xE8:
        return "direct", (address + struct.unpack("<i", code[-4:])[0]) % 2**64
    for length in (2, 3, 4, 6, 7, 8):
        tail = code[-length:]
        while tail and tail[0] & 0xF0 == 0x40:
            tail = tail[1:]
        if len(tail) >= 2 and tail[0] == 0xFF and tail[1] >> 3 & 7 == 2:
            mode, low = tail[1] >> 6, tail[1] & 7
            has_sib = mode != 3 and low == 4
            displacement = {0: 4 if low == 5 else 0, 1: 1, 2: 4, 3: 0}[mode]
            if has_sib and mode == 0 and len(tail) > 2 and tail[2] & 7 == 5:
                displacement = 4
            if len(tail) == 2 + has_sib + displacement:
                return "indirect", None
    return None, None


def stacks_of(text):
    """[[(address, name, offset, module)]], leaf first, of perf-script text."""
    stacks, frames = [], None
    for line in text.splitlines():
        if HEAD.match(line):
            frames = []
            stacks.append(frames)
        elif (found := FRAME.match(line)) and frames is not None:
            frames.append((int(found[1], 16), found[2], int(found[3] or "0", 16), found[4]))
    return stacks


class Checker:
    def __init__(self):
        self.files = {}

    def file(self, path):
        if path not in self.files:
            try:
                self.files[path] = Elf(path)
            except (OSError, ValueError):
                self.files[path] = None
        return self.files[path]

    def is_complete(self, stack):
        """Whether the outermost frame is a known start."""
        if not stack:
            return False
        address, name, _, module = stack[-1]
        if KERNEL.match(module) or STARTS.match(name.split("@")[0]):
            return True
        leaves = any(LEAVES_GOROUTINE.match(inner) for _, inner, _, _ in stack[-3:-1])
        if name.startswith(("runtime.mcall", "runtime.morestack")) and leaves:
            return True
        elf = self.file(module)
        if elf is None:
            return False
        is_clone_of_musl = elf.bytes_at(address + 1, 6) == bytes.fromhex("89c731c0b03c")
        return 0 <= address - elf.entry < LONGEST_ENTRY or is_clone_of_musl

    def impossible_pairs(self, stack):
        bad = []
        for (inside, name, offset, module), (caller, caller_name, _, caller_module) in zip(stack, stack[1:]):
            elf = self.file(caller_module)
            is_signal = name in ("__restore_rt", "(signal)", "runtime.sigreturn") or "restore_rt" in caller_name
            is_inlined = inside == caller
            if elf is None or is_inlined or KERNEL.match(module) or KERNEL.match(caller_module) or is_signal:
                continue
            if caller_name.startswith("runtime.goexit"):  # new goroutines return to it, although it has not called them
                continue
            if caller_name in ("__restore_rt", "runtime.sigreturn", "runtime.sigreturn.abi0", "__start_context"):
                continue
            code = elf.bytes_at(caller + 1 - 8, 8)
            if not code:
                continue
            kind, target = call_before(code, caller + 1)
            if kind is None:
                bad.append(("no call", name, hex(inside), caller_name, hex(caller)))
            elif kind == "direct" and caller_module == module and target != inside - offset:
                if elf.leads_to(target, inside) is False:
                    bad.append(("calls another", name, hex(inside), caller_name, hex(caller)))
            elif kind == "direct" and caller_module != module and elf.leads_to(target, 0) is False:
                bad.append(("calls its own file", name, hex(inside), caller_name, hex(caller)))
        return bad


def record(wick, program, directory):
    own = directory / "own.wick"
    theirs = directory / "perf.data"
    for file in (own, theirs):
        file.unlink(missing_ok=True)
    subprocess.run(f"exec timeout 60 {wick} record -q -o {own} -- {program.command}", shell=True, cwd=directory,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    subprocess.run(f"exec timeout 60 perf record -q -F 997 --call-graph dwarf -o {theirs} -- {program.command}", shell=True,
                   cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    wick_text = subprocess.run([wick, "convert", own, "--to", "perf-script", "--no-inline"], capture_output=True, text=True,
                               errors="replace").stdout
    perf_text = subprocess.run(["perf", "script", "-i", theirs, "--no-inline", "-F", "comm,tid,time,period,event,ip,sym,symoff,dso"],
                               capture_output=True, text=True, errors="replace").stdout
    return wick_text, perf_text


def complete_share(checker, text):
    stacks = [stack for stack in stacks_of(text) if stack]
    return 100 * sum(checker.is_complete(stack) for stack in stacks) / max(1, len(stacks))


def share_on_perf_data(wick, checker, directory):
    """What wick makes of the recording that perf made."""
    text = subprocess.run([wick, "convert", directory / "perf.data", "--to", "perf-script", "--no-inline"],
                          capture_output=True, text=True, errors="replace").stdout
    return complete_share(checker, text)


def claimed_complete(wick, file):
    text = subprocess.run([wick, "quality", file, "--json"], capture_output=True, text=True).stdout
    found = re.search(r'"samples":(\d+).*?"complete":(\d+)', text, re.S)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def check(wick, name, program, directory):
    """One line of the table, and whether it is as it should be."""
    if program.prepare:
        run = subprocess.run(program.prepare, shell=True, cwd=directory, capture_output=True, text=True)
        if run.returncode != 0:
            print(f"{name:14} not tried: {run.stderr.strip()[:200]}")
            return True
    wick_text, perf_text = record(wick, program, directory)
    checker = Checker()
    stacks = [s for s in stacks_of(wick_text) if s]
    samples, claimed = claimed_complete(wick, directory / "own.wick")
    complete = sum(checker.is_complete(s) for s in stacks)
    perf_stacks = [s for s in stacks_of(perf_text) if s]
    perf_complete = sum(checker.is_complete(s) for s in perf_stacks)
    step = max(1, len(stacks) // 200)
    bad = [pair for stack in stacks[::step] for pair in checker.impossible_pairs(stack)]
    share, perf_share = (100 * a / max(1, b) for a, b in ((complete, len(stacks)), (perf_complete, len(perf_stacks))))
    false = max(0, claimed - complete)
    print(f"{name:14} samples {samples:6} complete {share:6.1f} %  falsely {false:4}  perf {perf_share:6.1f} %  "
          f"impossible pairs {len(bad)}", flush=True)
    for row, count in collections.Counter(bad).most_common(3):
        print(f"    {count} times: {row}")
    if false:
        ends = collections.Counter(s[-1][1:] for s in stacks if not checker.is_complete(s))
        print(f"    ends: {ends.most_common(3)}")
    # Two recordings of one program differ by chance.
    noise = 200 * (max(0.01, perf_share / 100 * (1 - perf_share / 100)) / max(1, min(len(stacks), len(perf_stacks)))) ** 0.5
    reaches_perf = share + noise >= perf_share
    if not reaches_perf:
        on_same = share_on_perf_data(wick, checker, directory)
        print(f"    {on_same:.1f} % of perf's own recording are complete in wick")
        reaches_perf = on_same >= perf_share - 0.5
    if share < program.bar:
        print(f"    below its bar of {program.bar} %")
    return not bad and not false and reaches_perf and share >= program.bar and samples > 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("wick", type=pathlib.Path)
    parser.add_argument("--only")
    parser.add_argument("--keep", type=pathlib.Path)
    options = parser.parse_args()
    wick = options.wick.resolve()
    chosen = {n: p for n, p in PROGRAMS.items() if not options.only or re.search(options.only, n)}
    packages = sorted({word for p in chosen.values() for word in p.packages.split()} | {"binutils", "linux-perf"})
    subprocess.run(["apt-get", "install", "-y", "-q", "--no-install-recommends", *packages], capture_output=True)
    with tempfile.TemporaryDirectory() as temporary:
        directory = options.keep or pathlib.Path(temporary)
        directory.mkdir(exist_ok=True)
        for file, text in SOURCES.items():
            (directory / file).write_text(text)
        good = [check(wick, name, program, directory) for name, program in chosen.items()]
    print(f"{sum(good)} of {len(good)} programs as they should be")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
