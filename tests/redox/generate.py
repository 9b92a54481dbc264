#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates recordings in the formats of the Redox kernel, of a made-up kernel with known stacks.

    generate.py DIRECTORY [--variant first|second|text|blocks|perf] [--cpus N] [--seconds S] [--ghz G] [--seed N]

It writes into DIRECTORY:

    profiling-N     the ring of CPU N, raw words (first, second), or
    profiling.txt   the text of a daemon: one line a sample (text), a block a sample (blocks), or the format of
                    perf script with bare addresses (perf)
    kernel.nm       the kernel's symbols as nm -CS prints them
    kernel.elf      the same as an ELF file with code, in which every return address follows a call
    other.nm, other.elf   those of another build, with functions at other addresses
    contexts.txt    names of contexts (second)
    moved.elf, moved.nm   with --moved ADDRESS: the program of one of them, which can run at any address (second)
    dd.elf, dd.nm   the program of one of them: its functions (second)
    kprofiling-O.folded   the samples as redox-kprofiling writes them, with the options O: _, o, x
    truth.folded    the sampled stacks: function names and counts

src/formats/redox/redox.h describes the formats. The CPU after the last is the one that samples the others.
"""
import argparse
import pathlib
import random
import struct

TEXT = 0xFFFFFFFF80000000
FUNCTIONS = [  # name, bytes; in the order of their addresses
    ("kernel::kmain", 0x200),
    ("kernel::arch::x86_64::interrupt::syscall::syscall_instruction", 0x90),
    ("<kernel::scheme::root::RootScheme as kernel::scheme::KernelScheme>::kread", 0x340),
    ("kernel::syscall::syscall", 0x600),
    ("kernel::context::switch::switch", 0x480),
    ("kernel::arch::x86_shared::time::counter", 0x60),
    ("kernel::memory::allocate_p2frame", 0x260),
    ("kernel::context::memory::correct_inner", 0x700),
    ("kernel::scheme::user::UserInner::call_extended_inner", 0x500),
]
PATHS = {  # stack, root first: percentage
    ("kernel::arch::x86_64::interrupt::syscall::syscall_instruction", "kernel::syscall::syscall",
     "kernel::context::switch::switch"): 30,
    ("kernel::arch::x86_64::interrupt::syscall::syscall_instruction", "kernel::syscall::syscall",
     "kernel::context::switch::switch", "kernel::arch::x86_shared::time::counter"): 20,
    ("kernel::context::memory::correct_inner", "kernel::memory::allocate_p2frame"): 35,
    ("kernel::kmain",): 5,
    ("kernel::arch::x86_64::interrupt::syscall::syscall_instruction", "kernel::syscall::syscall",
     "<kernel::scheme::root::RootScheme as kernel::scheme::KernelScheme>::kread",
     "kernel::scheme::user::UserInner::call_extended_inner"): 10,
}
CONTEXTS = {7: "/bin/orbital", 9: "file:/bin/dd", 0xFFFFFFFF: ""}
USER_CODE = 0x412345
PROGRAM = [("dd::copy", 0xC0), ("dd::main", 0xC0)]  # with the gaps, its calls end at USER_CODE and 0x100 after it
MOVED_PROGRAM = [(f"dd::step_{i}", 0xC0 + 0x58 * i) for i in range(8)] + [("dd::main", 0x70)]
TICK_SECONDS = 0xFFFFF / 1e9
CALL = b"\xe8\x00\x00\x00\x00"


class Kernel:
    """Functions with addresses. The only call in each ends at return_offset."""
    return_offset = 0x25

    def __init__(self, shift=0, functions=tuple(FUNCTIONS), base=TEXT + 0x100000):
        self.start, self.size, at = {}, {}, base + shift
        for name, size in functions:
            self.start[name], self.size[name] = at, size
            at += size + 0x40  # a gap that belongs to no function

    def addresses(self, path, rng):
        """The addresses of a stack, leaf first: an instruction, then return addresses."""
        leaf = self.start[path[-1]] + rng.randrange(1, self.size[path[-1]])
        return [leaf] + [self.start[name] + self.return_offset for name in reversed(path[:-1])]

    def nm(self):
        lines = [f"{a:016x} {self.size[n]:016x} t {n}" for n, a in sorted(self.start.items(), key=lambda e: e[1])]
        odd = ["                 U undefined", f"{TEXT:016x} T _text_start_without_size",
               f"{TEXT + 0x10:016x} b bss_that_looks_like_a_size", f"{TEXT + 0x200000:016x} 0000000000000010 D some_data"]
        return "\n".join(odd + lines) + "\n"

    def elf(self, kind=2):
        begin, end = min(self.start.values()), max(a + self.size[n] for n, a in self.start.items())
        code = bytearray(b"\x90" * (end - begin))
        for start in self.start.values():
            at = start - begin + self.return_offset - len(CALL)
            code[at:at + len(CALL)] = CALL
        names, symbols = b"\0", struct.pack("<IBBHQQ", 0, 0, 0, 0, 0, 0)
        for name, start in self.start.items():
            symbols += struct.pack("<IBBHQQ", len(names), 0x12, 0, 1, start, self.size[name])
            names += name.encode() + b"\0"
        section_names = b"\0.text\0.symtab\0.strtab\0.shstrtab\0"
        parts, offset, offsets = [bytes(code), symbols, names, section_names], 64 + 56, []
        for part in parts:
            offsets.append(offset)
            offset += len(part)
        header = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01" + bytes(9), kind, 62, 1, begin, 64, offset, 0, 64, 56,
                             1, 64, 5, 4)
        segment = struct.pack("<IIQQQQQQ", 1, 5, offsets[0], begin, begin, len(code), len(code), 0x1000)

        def section(name, kind, flags, address, part, link=0, info=0, entry=0):
            return struct.pack("<IIQQQQIIQQ", name, kind, flags, address, offsets[part], len(parts[part]), link, info, 1,
                               entry)
        table = bytes(64) + section(1, 1, 6, begin, 0) + section(7, 2, 0, 0, 1, 3, 1, 24) + section(15, 3, 0, 0, 2) + \
            section(23, 3, 0, 0, 3)
        return header + segment + b"".join(parts) + table


def samples(kernel, options):
    """(cpu, tsc, context, addresses, names) by CPU; ticks in user mode or idle are left out as the kernel does."""
    rng = random.Random(options.seed)
    paths, weights = list(PATHS), list(PATHS.values())
    start = rng.randrange(10**11, 10**12)
    for cpu in range(options.cpus):
        for tick in range(int(options.seconds / TICK_SECONDS)):
            off = options.seconds * 0.4 < tick * TICK_SECONDS < options.seconds * 0.6 and options.pause
            if off or rng.random() < 0.3:  # user mode, idle; or profiling is off on all CPUs
                continue
            tsc = start + round(tick * TICK_SECONDS * options.ghz * 1e9) + rng.randrange(2000)
            path = rng.choices(paths, weights)[0]
            context = rng.choice(list(CONTEXTS))
            yield cpu, tsc, context, kernel.addresses(path, rng), path


def first_words(tsc, addresses):
    return [addresses[0] & ~(1 << 63), tsc] + addresses[1:31]


def second_words(tsc, context, addresses):
    body = [addresses[0], tsc, context] + addresses[1:29]
    return [0xFEDFAC00 + len(body) + 1] + body


def kprofiling_stack(kernel, addresses, path, options):
    """The folded stack of redox-kprofiling and inferno."""
    frames = ["kernel"]
    for name, address in zip(path, reversed(addresses)):
        frames += [f"[{name}]"] if options in "_x" else []
        frames += [f"[{name}+{address - kernel.start[name]}]"] if options in "ox" else []
    return ";".join(frames)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--variant", default="first", choices=["first", "second", "text", "blocks", "perf"])
    parser.add_argument("--cpus", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--ghz", type=float, default=2.2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--moved", type=lambda text: int(text, 0), help="dd is another program, loaded at this address")
    parser.add_argument("--pause", action="store_true", help="profiling is switched off for a fifth of the time")
    options = parser.parse_args()
    kernel, other = Kernel(), Kernel(shift=0x1331)
    options.directory.mkdir(parents=True, exist_ok=True)
    program = Kernel(functions=PROGRAM, base=USER_CODE - Kernel.return_offset)
    for name, content in {"dd.nm": program.nm().encode(), "dd.elf": program.elf(), "kernel.nm": kernel.nm().encode(), "kernel.elf": kernel.elf(),
                          "other.nm": other.nm().encode(), "other.elf": other.elf()}.items():
        (options.directory / name).write_bytes(content)
    moved = Kernel(functions=MOVED_PROGRAM, base=0x1240)
    if options.moved is not None:
        (options.directory / "moved.elf").write_bytes(moved.elf(kind=3))
        (options.directory / "moved.nm").write_text(moved.nm())
    calls = random.Random(options.seed)
    truth, rings, lines = {}, {}, []
    converted = {"_": {}, "o": {}, "x": {}}
    for cpu, tsc, context, addresses, path in samples(kernel, options):
        names = list(path)
        for letters, counts in converted.items():
            stack = kprofiling_stack(kernel, addresses, path, letters)
            counts[stack] = counts.get(stack, 0) + 1
        if options.variant == "second" and path[0].endswith("syscall_instruction") and context != 0xFFFFFFFF:
            user = [USER_CODE, USER_CODE + 0x100]
            if options.moved is not None and CONTEXTS[context].endswith("dd"):
                called = calls.choice(MOVED_PROGRAM)[0]
                user = [options.moved + moved.start[name] + moved.return_offset for name in (called, "dd::main")]
            addresses = addresses + user
            names = [f"[{CONTEXTS[context].split('/')[-1]}]+{address - 1:#x}" for address in reversed(user)] + names
        truth[";".join(names)] = truth.get(";".join(names), 0) + 1
        if options.variant == "first":
            rings.setdefault(cpu, []).extend(first_words(tsc, addresses))
        elif options.variant == "second":
            rings.setdefault(cpu, []).extend(second_words(tsc, context, addresses))
        elif options.variant == "text":
            lines.append(f"{cpu} {tsc} " + " ".join(f"{a:016x}" for a in addresses))
        elif options.variant == "blocks":
            lines += [f"cpu{cpu}: {tsc}"] + [f"  {a:#x}" for a in addresses] + [""]
        else:
            lines += [f"kernel 0 [{cpu:03}] {tsc / options.ghz / 1e9:.6f}: cycles:"] + \
                [f"\t{a:016x} [unknown] (kernel)" for a in addresses] + [""]
    for cpu, words in rings.items():
        (options.directory / f"profiling-{cpu}").write_bytes(struct.pack(f"<{len(words)}Q", *words))
    if lines:
        (options.directory / "profiling.txt").write_text("\n".join(lines) + "\n")
    (options.directory / "contexts.txt").write_text("".join(f"{i} {n}\n" for i, n in CONTEXTS.items() if n))
    for name, counts in [("truth", truth)] + [(f"kprofiling-{o}", c) for o, c in converted.items()]:
        (options.directory / f"{name}.folded").write_text("".join(f"{s} {n}\n" for s, n in sorted(counts.items())))


if __name__ == "__main__":
    main()
