# SPDX-License-Identifier: Apache-2.0
"""Programs that run.py records: what a profiler of Python must not be confused by."""
GIL = """
import hashlib, threading, time
until = time.monotonic() + 0.8
def pure():
    while time.monotonic() < until:
        sum(range(1000))
def digest():
    data = bytes(8 << 20)
    while time.monotonic() < until:
        hashlib.sha256(data)
thread = threading.Thread(target=digest)
thread.start()
pure()
thread.join()
"""
ASKED = """
import threading, time
def alone():
    until = time.thread_time() + 0.4
    while time.thread_time() < until:
        sum(range(1000))
def long_call():
    for _ in range(10):
        sum(range(3_000_000))
def asks():
    while not done:
        time.sleep(0)
alone()
done = False
thread = threading.Thread(target=asks)
thread.start()
long_call()
done = True
thread.join()
"""
THREAD_NAMES = """
import threading, time
def busy():
    until = time.thread_time() + 0.1
    while time.thread_time() < until:
        sum(range(500))
class Named(threading.Thread):
    def __init__(self):
        self.url = "not its name"
        super().__init__(name="subclass")
    def run(self):
        busy()
threads = [threading.Thread(target=busy, name="worker alpha"), Named()]
vars(threads[0])  # has a dictionary from now on
for thread in threads: thread.start()
for thread in threads: thread.join()
"""
SUBINTERPRETER = """
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
INSIDE = '''
import time
def inside():
    until = time.thread_time() + 0.5
    while time.thread_time() < until:
        sum(range(100))
inside()
'''
def outside():
    interpreters.run_string(interpreters.create(), INSIDE)
outside()
"""
EXEC = """
import os, sys, time
def burn():
    until = time.thread_time() + 0.4
    while time.thread_time() < until:
        pass
def burn_first():
    burn()
def burn_child():
    burn()
def burn_again():
    burn()
if len(sys.argv) > 1:
    burn_again()
else:
    burn_first()
    child = os.fork()
    if child == 0:
        burn_child()
        os._exit(0)
    os.waitpid(child, 0)
    os.execv(sys.executable, [sys.executable, "-B", sys.argv[0], "again"])
"""
FOREIGN_THREADS = """
import ctypes, time
libc = ctypes.CDLL(None)
START = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
@START
def called_back(_):
    until = time.thread_time() + 0.02
    while time.thread_time() < until:
        pass
for _ in range(50):
    thread = ctypes.c_ulong()
    libc.pthread_create(ctypes.byref(thread), None, called_back, None)
    libc.pthread_join(thread, None)
"""
MANY_THREADS = """
import threading, time
def in_a_thread():
    for _ in range(3):
        until = time.thread_time() + 0.0004
        while time.thread_time() < until:
            pass
        time.sleep(0.01)
threading.stack_size(1 << 17)
threads = [threading.Thread(target=in_a_thread) for _ in range(2000)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print("done")
"""
# Two functions that call a third one, at the same address and depth, which calls native code for about 10 ms.
NATIVE_CALLS = """
import time
def calls_of_10_ms():
    count = 1000
    while True:
        begin = time.thread_time()
        sum(range(count))
        if time.thread_time() - begin > 0.01:
            return range(count)
        count *= 2
def add():
    return sum(items)
def first():
    return add()
def second():
    return add()
def key(_):
    return sum(items)
def third():
    return sorted([1], key=key)
def main():
    until = time.monotonic() + 2
    while time.monotonic() < until:
        first()
        second()
        third()
items = calls_of_10_ms()
main()
"""
RECURSION = """
import sys, time
sys.setrecursionlimit(6000)
def leaf():
    until = time.thread_time() + 1
    while time.thread_time() < until:
        pass
def down(depth):
    down(depth - 1) if depth else leaf()
def main():
    down(5000)
main()
"""
EXECUTED_TEXT = """
import time
def spin():
    until = time.thread_time() + 0.003
    while time.thread_time() < until:
        pass
for number in range(150):
    exec("def made():\\n  spin()\\nmade()")
"""
HOSTILE_NAMES = """
import time
def burn(until):
    while time.thread_time() < until:
        pass
def named(name, file):
    more = {"co_qualname": name} if hasattr(burn.__code__, "co_qualname") else {}
    return type(burn)(burn.__code__.replace(co_name=name, co_filename=file, **more), globals())
hostile = ["\\x1b]0;title\\x07\\r\\n\\x00", "</script><script>alert(7)</script>", "\\u202egnp.\\ud800", "n" * (1 << 20)]
for number, name in enumerate(hostile * 2):
    named(name, hostile[number % 3])((number + 1) * 0.1)
"""
IMPOSTOR = """
#include <stdlib.h>
#include <string.h>
#include <time.h>
unsigned char _PyRuntime[1 << 20] = {1};
unsigned long Py_Version = VERSION;
__attribute__((noinline)) long _PyEval_EvalFrameDefault(long x) {
  while (clock() < CLOCKS_PER_SEC * SECONDS) x += x * x;
  return x;
}
int main() {
  for (size_t i = 0; i < sizeof _PyRuntime; ++i) _PyRuntime[i] = FILL;
  return _PyEval_EvalFrameDefault(1) == 7;
}
"""
TASKS = """
import asyncio, json, sys, time
cpu = {}
def work(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        sum(range(200))
async def slices(name, share):
    for _ in range(int(SECONDS / 0.01)):
        start = time.thread_time()
        work(0.01 * share)
        cpu[name] = cpu.get(name, 0) + time.thread_time() - start
        await asyncio.sleep(0)
async def helper(name, share):
    await slices(name, share)
async def outer():
    await asyncio.create_task(helper("direct", 0.2), name="direct")
async def main():
    names = {"fast": 0.1, "sl\u00f6w \u4e2d": 0.4}
    tasks = [asyncio.create_task(slices(name, share), name=name) for name, share in names.items()]
    tasks.append(asyncio.create_task(outer(), name="outer"))
    await asyncio.gather(*tasks, slices("gathered", 0.3))
SECONDS = float(sys.argv[1])
asyncio.run(main())
print(json.dumps(cpu))
"""
LOOPS = """
import asyncio, threading
def run(name):
    async def spin():
        for _ in range(400):
            for _ in range(100):
                sum(range(300))
            await asyncio.sleep(0)
    async def main():
        await asyncio.create_task(spin(), name=name)
    asyncio.run(main())
threads = [threading.Thread(target=run, args=("loop %d" % number,)) for number in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""
# A program with the functions that Cython makes of
#
#     1 cdef class Basket:
#     2     def total(self, n):
#     3         return add(n)
#     4 cdef add(n): ...
CYTHON_SYMBOLS = """
#include <time.h>
#define NOINLINE static __attribute__((noinline))
#line 4 "shop.pyx"
NOINLINE long __pyx_f_4shop_add(long x) { while (clock() < CLOCKS_PER_SEC / 3) x += x * x; return x; }
#line 2 "shop.pyx"
NOINLINE long __pyx_pw_4shop_6Basket_1total(long x) {
#line 3 "shop.pyx"
  return __pyx_f_4shop_add(x) + 1;
}
#line 99 "shop.c"
int main() { return __pyx_pw_4shop_6Basket_1total(1) == 7; }
"""
CYTHON = """
from time import thread_time
cdef long add(long n):
    cdef long i, total = 0
    for i in range(n):
        total += i ^ n
    return total
cdef class Basket:
    def total(self, seconds):
        cdef long found = 0
        until = thread_time() + seconds
        while thread_time() < until:
            found += add(100000)
        return found
"""
# Ways to enter a function other than a call of it.
ODD_CALLS = """
import gc, os, signal, time
def burn():
    until = time.thread_time() + 0.12
    while time.thread_time() < until:
        pass
def thrown_at():
    try:
        yield
    except ValueError:
        burn()
        yield
def thrower():
    generator = thrown_at()
    next(generator)
    generator.throw(ValueError)
def closed():
    try:
        yield
    finally:
        burn()
def closer():
    generator = closed()
    next(generator)
    generator.close()
def inner():
    burn()
    yield
def delegate():
    yield from inner()
def consumer():
    list(delegate())
async def awaited():
    burn()
async def awaits():
    await awaited()
def driver():
    try:
        awaits().send(None)
    except StopIteration:
        pass
def on_signal(number, frame):
    burn()
def interrupted():
    signal.signal(signal.SIGUSR1, on_signal)
    os.kill(os.getpid(), signal.SIGUSR1)
    time.sleep(0)
class Held:
    def __del__(self):
        burn()
def dropper():
    held = Held()
    del held
class Ring:
    def __init__(self):
        self.me = self
    def __del__(self):
        burn()
def collector():
    Ring()
    gc.collect()
thrower(), closer(), consumer(), driver(), interrupted(), dropper(), collector()
"""
