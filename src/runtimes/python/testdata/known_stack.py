# Runs into a known stack, prints it, and waits. One line for each frame, innermost first:
#
#     frame<TAB>tid<TAB>name<TAB>file<TAB>line<TAB>whether the evaluator was called for it
#
# then "ready". A line on standard input lets it continue: it forks, and the child prints and waits.
# Then `lines` rows follow for each code object that was seen: name, file, first line, and the line of
# each instruction.
import os
import re
import sys
import threading

VERSION = sys.version_info[:2]
# What C code calls. Before 3.11, each frame has its own evaluator.
CALLED_FROM_C = {"<module>", "key_of", "replaced", "numbers", "coroutine", "Thread._bootstrap", "_bootstrap"}
if VERSION == (3, 11):
    CALLED_FROM_C.add("blocked")  # called with *arguments
if VERSION >= (3, 14):
    CALLED_FROM_C.add("Thread.run")  # called in a context
seen = {}


def name_of(code):
    return getattr(code, "co_qualname", code.co_name)


def is_entry(code):
    return VERSION < (3, 11) or name_of(code) in CALLED_FROM_C or code.co_name in CALLED_FROM_C


def report(tid, frame):
    while frame:
        code = frame.f_code
        seen[code] = None
        print("frame", tid, name_of(code), code.co_filename, frame.f_lineno, int(is_entry(code)), sep="\t")
        frame = frame.f_back


def wait():
    report(threading.get_native_id(), sys._getframe()), print("ready", flush=True), sys.stdin.readline()


def blocked(started, never):
    started.append(threading.get_native_id())
    never.acquire()


def recurse(depth):
    return recurse(depth - 1) if depth else wait()


def größe():
    return recurse(200)


def 日本():
    return größe()


def 𐐀𐐁():
    return 日本()


def replaced(match):
    exec(compile("\n\nfunction()", "<made up>", "exec"), {"function": 𐐀𐐁})
    return ""


def key_of(value):
    return re.sub("a", replaced, value)


async def coroutine(values):
    return sorted(values, key=key_of)


def drive(running):
    try:
        running.send(None)
    except StopIteration as end:
        return end.value


def numbers(count):
    for number in range(count):
        yield [drive(coroutine(["a"] * number)) for number in [1]]


class Parser:
    class Inner:
        def feed(self):
            generator = numbers(1)
            return next(
                generator
            )

    def feed(self):
        def closure():
            return self.Inner().feed()

        return (lambda function: function())(
            closure
        )


def lines_of(code):
    if hasattr(code, "co_lines"):
        rows = [(begin, end, line or 0) for begin, end, line in code.co_lines()]
    else:
        import dis
        starts = list(dis.findlinestarts(code)) + [(len(code.co_code), 0)]
        rows = [(begin, end, line) for (begin, line), (end, _) in zip(starts, starts[1:])]
    return ",".join(f"{begin}-{end}={line}" for begin, end, line in rows)


def main():
    never = threading.Lock()
    never.acquire()
    started = []
    thread = threading.Thread(target=blocked, args=(started, never), daemon=True)
    thread.start()
    while not started or sys._current_frames()[thread.ident].f_lineno != blocked.__code__.co_firstlineno + 2:
        pass
    report(started[0], sys._current_frames()[thread.ident])
    Parser().feed()


main()
if os.fork() == 0:
    wait()
    os._exit(0)
os.wait()
for code in seen:
    print("lines", name_of(code), code.co_filename, code.co_firstlineno, lines_of(code), sep="\t")
print("ready", flush=True)
sys.stdin.readline()
