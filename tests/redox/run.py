#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads recordings of generate.py with wick, in every variant: the stacks must be correct. Usage: run.py WICK"""
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import answers  # noqa: E402

HERE = pathlib.Path(__file__).parent
WICK = sys.argv[1]
failures = []


def expect(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def generate(directory, *options):
    subprocess.run([sys.executable, HERE / "generate.py", directory, *options], check=True)


def wick(*words, status=0):
    done = subprocess.run([WICK, *map(str, words)], capture_output=True, text=True, check=False)
    expect(done.returncode == status, f"{' '.join(map(str, words))}: status {done.returncode}: {done.stderr.strip()[:200]}")
    return done


def inputs(directory):
    return sorted(p for p in directory.iterdir() if p.name.startswith("profiling"))


def stacks(text):
    counts = {}
    for line in text.splitlines():
        stack, _, count = line.replace("_[k]", "").rpartition(" ")
        counts[stack] = counts.get(stack, 0) + int(count)
    return counts


def folded(directory, symbols, *options):
    return stacks(wick("convert", *inputs(directory), "--symbols", directory / symbols, "--contexts",
                       directory / "contexts.txt", "--to", "folded", *options).stdout)


def info(directory, *options):
    return answers.parse(wick("info", *inputs(directory), "--json", *options).stdout)


def every_variant(scratch):
    for variant in ["first", "second", "text", "blocks", "perf"]:
        directory = scratch / variant
        generate(directory, "--variant", variant)
        truth = stacks((directory / "truth.folded").read_text())
        for symbols in ["kernel.nm", "kernel.elf"]:
            expect(folded(directory, symbols) == truth, f"{variant} with {symbols} gives the truth")
        expect(wick("report", *inputs(directory), "--symbols", directory / "kernel.nm", "--tsc-ghz", "2.2").stdout.find("PROBABLY") < 0,
               f"{variant}: right symbols raise no alarm")
        for symbols in ["other.nm", "other.elf"]:
            wrong = wick("report", *inputs(directory), "--symbols", directory / symbols, status=3)
            expect("PROBABLY FROM ANOTHER KERNEL" in wrong.stdout.splitlines()[0], f"{variant}: {symbols} is noticed first")
            wick("report", *inputs(directory), "--symbols", directory / symbols, "--allow-loss", "100")


def alarm_of_every_verb(scratch):
    """Wherever names come out, the alarm comes first and sets the status."""
    rings, wrong = inputs(scratch / "first"), ["--symbols", scratch / "first" / "other.elf"]
    stored = scratch / "wrong.wick"
    alarm = "PROBABLY FROM ANOTHER KERNEL"
    expect(alarm in wick("convert", *rings, *wrong, "-o", stored, status=3).stderr, "convert raises the alarm")
    expect(alarm in wick("report", stored, status=3).stdout.splitlines()[0], "a converted recording still raises it")
    expect(alarm in wick("hot", *rings, *wrong, status=3).stdout.splitlines()[0], "hot raises it")
    expect(alarm in wick("diff", stored, stored, status=3).stdout.splitlines()[0], "diff raises it")
    expect(alarm in wick("view", *rings, *wrong, "-o", scratch / "wrong.html", status=3).stderr, "view raises it")
    for name in ["wrong.svg", "wrong.md", "wrong.json", "wrong.csv"]:
        shown = wick("flame", *rings, *wrong, "-o", scratch / name, status=3).stderr
        expect(shown.count(alarm) == 1, f"the person who waits for {name} sees it")
    expect(answers.parse(wick("report", stored, "--json", status=3).stdout)["cautions"][0].find(alarm) >= 0, "JSON has it")


def code_of_the_kernel(scratch):
    for variant in ["first", "text", "perf"]:
        directory = scratch / variant
        symbols = ["--symbols", directory / "kernel.elf"]
        shown = wick("annotate", *inputs(directory), "allocate_p2frame", *symbols).stdout
        expect("nop" in shown and "allocate_p2frame" in shown, f"{variant}: annotate shows instructions")
    rings, stored = inputs(scratch / "first"), scratch / "named.wick"
    wick("convert", *rings, "--symbols", scratch / "first" / "kernel.elf", "-o", stored)
    expect("nop" in wick("annotate", stored, "allocate_p2frame", "--symbols", scratch / "first" / "kernel.elf").stdout,
           "annotate of a converted recording")
    for words, message in [([], "--symbols FILE"), (["--symbols", scratch / "first" / "kernel.nm"], "without code"),
                           (["--symbols", scratch / "first" / "other.elf"], "not the recorded file")]:
        expect(message in wick("annotate", stored, "allocate_p2frame", *words, status=1).stderr, f"annotate: {message}")
    text = scratch / "named.txt"
    text.write_text("".join(f"kernel 0 [000] {i}.5: cycles:\n\tffffffff80101090 kernel::memory::allocate_p2frame+0x10 (kernel)\n\n"
                            for i in range(9)))
    elf = scratch / "named.elf"
    sys.path.insert(0, str(HERE))
    import generate as made
    kernel = made.Kernel()
    start = kernel.start["kernel::memory::allocate_p2frame"]
    text.write_text(text.read_text().replace("ffffffff80101090", f"{start + 0x10:x}"))
    elf.write_bytes(kernel.elf())
    expect("name its file with --symbols" in wick("annotate", text, "allocate_p2frame", status=1).stderr, "--symbols is advised")
    expect("nop" in wick("annotate", text, "allocate_p2frame", "--symbols", elf).stdout, "a text with names is annotated, too")


def symbols_of_programs(scratch):
    directory = scratch / "second"
    words = [*inputs(directory), "--contexts", directory / "contexts.txt", "--symbols", directory / "kernel.elf"]
    for file in ["dd.elf", "dd.nm"]:
        for name in ["dd", "/bin/dd"]:
            text = wick("report", *words, "--symbols", f"{name}={directory / file}", "--csv").stdout
            expect("dd::main" in text and "dd::copy" in text and "[dd]+0x" not in text and "[orbital]+0x" in text,
                   f"{name}={file} names the functions of one program")
    shown = wick("annotate", *words, "--symbols", f"dd={directory / 'dd.elf'}", "dd::copy").stdout
    expect("nop" in shown, "the code of a program")
    expect("PROBABLY FROM ANOTHER BUILD" in wick("report", *words, "--symbols", f"dd={directory / 'other.elf'}", status=3).stdout,
           "symbols of another program")
    expect("are not used: the profile has no addresses of [cp]" in
           wick("report", *words, "--symbols", f"cp={directory / 'dd.elf'}").stdout, "a name that no program has")
    twice = wick("report", *words, "--symbols", directory / "kernel.nm", status=2).stderr
    expect("two files for the kernel" in twice, "two kernels")


def symbols_of_a_program_that_was_moved(scratch):
    directory = scratch / "moved"
    generate(directory, "--variant", "second", "--moved", "0x7f0012345000")
    kernel = [*inputs(directory), "--contexts", directory / "contexts.txt", "--symbols", directory / "kernel.elf"]
    names = [f"dd::step_{i}" for i in range(8)]
    for file, note in {"moved.elf": True, "moved.elf@0x7f0012345000": False, "moved.nm@0x7f0012345000": False}.items():
        report = wick("report", *kernel, "--symbols", f"dd={directory / file}", "--limit", "0", "--sort", "total").stdout
        expect(all(name in report for name in names) and "[dd]+0x" not in report, f"{file} names a program that was moved")
        inferred = "wick inferred where [dd] was loaded from its return addresses (at 0x7f0012345000" in report
        expect(inferred == note, f"{file}: wick says what it inferred, and only that")
    words = [*kernel, "--symbols", f"dd={directory / 'moved.elf'}"]
    expect("nop" in wick("annotate", *words, "dd::step_3").stdout, "the code of a program that was moved")
    stored = scratch / "moved.wick"
    wick("convert", *words, "-o", stored)
    again = wick("report", stored, *words[len(inputs(directory)) + 2:], "--limit", "0", "--sort", "total", "--csv").stdout
    expect(again == wick("report", stored, "--limit", "0", "--sort", "total", "--csv").stdout, "named twice is the same")
    wrong = wick("report", *kernel, "--symbols", f"dd={directory / 'moved.elf'}@0x7f0012346000", status=3).stdout
    expect("PROBABLY FROM ANOTHER BUILD" in wrong, "a wrong address is noticed")
    listed = wick("report", *kernel, "--symbols", f"dd={directory / 'moved.nm'}", status=3).stdout
    expect("its ELF file shows where it was loaded, and --symbols dd=FILE@ADDRESS says it" in " ".join(listed.split()),
           "a list of symbols cannot show the address")
    unknown = wick("report", *kernel, "--symbols", f"dd={directory / 'kernel.elf'}", status=3).stdout
    expect("PROBABLY FROM ANOTHER BUILD" in unknown, "another program is noticed")
    fixed = wick("report", *kernel, "--symbols", f"dd={directory / 'dd.elf'}@0x5000", status=2).stderr
    expect("is linked to fixed addresses" in fixed, "an address for a program with its own")


def pictures_have_the_same_names(scratch):
    """The same samples as recording, folded text, picture and text of redox-kprofiling: no function differs."""
    directory = scratch / "first"
    stored, truth = scratch / "rings.wick", stacks((directory / "truth.folded").read_text())
    wick("convert", *inputs(directory), "--symbols", directory / "kernel.elf", "-o", stored)
    for letters in "_ox":
        text = directory / f"kprofiling-{letters}.folded"
        expect(stacks(wick("convert", text, "--to", "folded").stdout).keys() >= truth.keys(), f"{letters}: the names are plain")
        picture = scratch / f"kprofiling-{letters}.svg"
        wick("flame", text, "-o", picture, "--flamegraph-pl", "--min-width", "0")
        for form in [text, picture]:
            answer = answers.parse(wick("diff", stored, form, "--json").stdout)
            figures = answer["figures"]
            expect(figures["more"] == 0 and figures["less"] == 0 and figures["no_evidence"] == 6 - 1,
                   f"{form.name} against the recording: {figures}")
            rows = wick("report", form, "--csv", "--by", "function").stdout.splitlines()
            expect(len(rows) == 1 + 9, f"{form.name}: {len(rows) - 1} functions")
        offsets = len(wick("report", text, "--csv", "--by", "function+offset").stdout.splitlines())
        expect((offsets > 50) == (letters != "_"), f"{letters}: {offsets} offsets")
    differ = scratch / "differ.folded"
    differ.write_text("main;other 500\nmain;another 500\n")
    expect("almost no functions in common" in wick("diff", stored, differ).stdout.splitlines()[0], "no common names")


def digits_of_time_stamps(scratch):
    """Decimal and hexadecimal time stamps, beside addresses of programs in hexadecimal digits."""
    rng = random.Random(3)
    for form in ["{}", "{:x}"]:
        lines, tsc = [], 3400003565200
        for i in range(900):
            tsc += 3565157 + rng.randrange(900)
            lines.append(f"cpu0 {form.format(tsc)} ffffffff80100094 ffffffff801006b5 {0x40a1bc + i:x}")
        text = scratch / "digits.txt"
        text.write_text("\n".join(lines) + "\n")
        facts = {r["name"]: r["value"] for r in answers.rows(answers.parse(wick("info", text, "--json").stdout))}
        expect(facts["TSC rate"].startswith("3.4"), f"{form}: {facts['TSC rate']}")
    slow = scratch / "slow.txt"
    slow.write_text("".join(f"0 {10**12 + i * 545000} ffffffff80100094 ffffffff801006b5\n" for i in range(99)))
    expect("times are probably wrong" in wick("report", slow).stdout, "a rate that no TSC has")


def unknown_text(scratch):
    for name, text in {"bare": "".join(f"ffffffff8010{i:04x}\n" for i in range(2000)),
                       "log": "".join(f"{i}.5 started unit {i}\n" for i in range(500)) + "1.5 ffffffff80100094\n",
                       "prose": "These are words.\n" * 50 + "0 723347349521 ffffffff801010c7\n"}.items():
        path = scratch / f"{name}.txt"
        path.write_text(text)
        expect("not a text of a Redox kernel" in wick("report", path, "--format", "redox", status=1).stderr, f"{name} is refused")
    lines = scratch / "untimed.txt"
    lines.write_text("".join(f"ffffffff8010{i:04x} ffffffff801006b5\n" for i in range(300)))
    expect(answers.parse(wick("report", lines, "--format", "redox", "--json").stdout)["samples"] == 300,
           "lines without times are samples")


def text_cut_inside_a_line(scratch):
    """A part of an address is not an address: the line is dropped, and the loss sets the status."""
    whole = (scratch / "text" / "profiling.txt").read_text()
    lines = whole.splitlines()
    for cut in [3, 17, 40, 61]:
        path = scratch / "cut.txt"
        path.write_text("\n".join(lines[:500]) + "\n" + lines[500][:cut])
        answer = wick("report", path, "--symbols", scratch / "text" / "kernel.nm", "--json", status=3)
        expect(answers.parse(answer.stdout)["samples"] == 500, f"cut after {cut} characters: samples")


def one_file_of_rings(scratch):
    rings = scratch / "first"
    together = scratch / "together"
    together.write_bytes(b"".join(p.read_bytes() for p in inputs(rings)))
    apart = wick("report", *inputs(rings), "--by", "cpu", "--csv", "--tsc-ghz", "2.2").stdout
    expect(wick("report", together, "--by", "cpu", "--csv", "--tsc-ghz", "2.2").stdout == apart,
           "rings in one file are the same CPUs")
    piped = subprocess.run(f"cat {together} | {WICK} report - --by cpu --csv --tsc-ghz 2.2", shell=True,
                           capture_output=True, text=True, check=True).stdout
    expect(piped == apart, "standard input is read as well")


def lanes(scratch):
    directory = scratch / "pause"
    generate(directory, "--pause", "--seconds", "5")
    answer = info(directory, "--tsc-ghz", "2.2")
    cpus, pauses = answers.rows(answer, "cpus"), answers.rows(answer, "pauses")
    expect(len(cpus) == 3 and all(r["missing_is"] == "user, idle or lost" for r in cpus), "missing ticks are not a loss")
    for row in cpus:
        ticks = row["samples"] + row["missing"]
        expect(abs(ticks - 4 / 0.001048575) < 30, f"CPU {row['cpu']}: {ticks} ticks without the pause")
    expect(len(pauses) == 1 and abs(pauses[0]["from"] - 2e9) < 1e8 and abs(pauses[0]["to"] - 3e9) < 1e8,
           f"the pause is found: {pauses}")
    expect(not [loss for loss in answer["loss"] if loss.get("data_loss", True)], "nothing is called lost")


def estimated_rate(scratch):
    for ghz in [1.0, 2.893, 4.7]:
        directory = scratch / f"ghz{ghz}"
        generate(directory, "--ghz", str(ghz), "--seconds", "3")
        rate = [r["value"] for r in answers.rows(info(directory)) if r["name"] == "TSC rate"]
        expect(len(rate) >= 1 and all(abs(float(r.split()[0]) - ghz) < 0.001 for r in rate), f"{ghz} GHz, estimated: {rate}")


def cut_anywhere(scratch):
    """No stack is made up, and the number of samples is about proportional to the bytes."""
    rng = random.Random(7)
    for variant in ["first", "second"]:
        directory, cut = scratch / variant, scratch / f"cut-{variant}"
        cut.mkdir()
        whole = (directory / "profiling-0").read_bytes()
        truth = stacks((directory / "truth.folded").read_text())
        for name in ["kernel.nm", "contexts.txt"]:
            (cut / name).write_bytes((directory / name).read_bytes())
        total = sum(folded_one(whole, cut).values())
        for _ in range(20):
            begin, end = sorted(rng.sample(range(len(whole)), 2))
            if end - begin < 4000:
                continue
            found = folded_one(whole[begin:end], cut)
            made_up = [s for s in found if not any(t == s or t.endswith(";" + s) for t in truth)]
            expect(len(made_up) <= 1, f"{variant} cut to {begin}..{end}: {made_up}")
            expected = total * (end - begin) / len(whole)
            expect(abs(sum(found.values()) - expected) < 0.1 * expected + 5, f"{variant} cut to {begin}..{end}: samples")


def bytes_lost_and_gained(scratch):
    """As on a serial line: the remaining stacks are real ones, and the loss is reported."""
    rng = random.Random(9)
    for variant in ["first", "second"]:
        directory, hurt = scratch / variant, scratch / f"hurt-{variant}"
        hurt.mkdir()
        whole = (directory / "profiling-0").read_bytes()
        for name in ["kernel.nm", "contexts.txt"]:
            (hurt / name).write_bytes((directory / name).read_bytes())
        truth = folded_one(whole, hurt)
        content, at, damages = bytearray(whole), len(whole) - 3000, 0
        while at > 3000:
            if rng.random() < 0.5:
                del content[at:at + rng.randint(1, 7)]
            else:
                content[at:at] = rng.randbytes(rng.randint(1, 7))
            damages += 1
            at -= rng.randint(2000, 4000)
        found = folded_one(bytes(content), hurt)
        whole_stacks = sum(min(count, truth.get(stack, 0)) for stack, count in found.items())
        missing = sum(truth.values()) - whole_stacks
        expect(damages > 10 and missing <= 3 * damages, f"{variant}: {missing} stacks are not whole after {damages} damages")
        answer = wick("report", hurt / "profiling-0", "--symbols", hurt / "kernel.nm", "--json", "--allow-loss", "100").stdout
        lost = sum(line["count"] or 0 for line in answers.parse(answer)["loss"] if line["data_loss"])
        absent = sum(truth.values()) - sum(found.values())
        expect(absent <= lost <= absent + 2 * damages, f"{variant}: {absent} samples are absent, {lost} are answer")


def folded_one(content, directory):
    (directory / "profiling-0").write_bytes(content)
    return folded(directory, "kernel.nm", "--allow-loss", "100")


def rings_are_one_run(scratch):
    rings = inputs(scratch / "first")
    empty = scratch / "profiling-9"
    empty.write_bytes(b"")
    answer = wick("report", *rings, empty)
    expect("no data from this CPU" in answer.stdout + answer.stderr, "an empty ring beside others is reported")
    wick("report", empty, empty, status=1)
    answer = answers.parse(wick("diff", "--json", *rings, empty, "--", *rings).stdout)
    expect([side["runs"] for side in answers.rows(answer, "sides")] == [1, 1], "rings of one recording are one run")
    answer = answers.parse(wick("diff", "--json", rings[0], rings[0], "--", *rings).stdout)
    expect([side["runs"] for side in answers.rows(answer, "sides")] == [2, 1], "rings of one CPU are several runs")
    plan = answers.parse(wick("diff", "--json", *rings).stdout)
    expect("plan" in plan["sections"] and any("CPUs of one recording" in note for note in plan["notes"]),
           "rings of one recording are one side")
    picture = scratch / "kprofiling-_.svg"
    done = wick("diff", "--json", picture, *rings, "--symbols", scratch / "first" / "kernel.elf")
    answer = answers.parse(done.stdout)
    expect([side["runs"] for side in answers.rows(answer, "sides")] == [1, 1] and answer["figures"]["no_evidence"] == 6 - 1,
           "a picture against all rings of a recording, without --")
    expect("are not used" not in done.stdout + done.stderr, "symbols of one side are used")
    done = wick("diff", "--json", *rings, *rings)
    expect([side["runs"] for side in answers.rows(answers.parse(done.stdout), "sides")] == [1, 1], "two recordings without --")
    page = scratch / "page.html"
    done = wick("view", "-o", page, *rings[:2])
    expect("the CPUs of one recording" in done.stderr and "<title>2 files - wick" in page.read_text(),
           "two rings of one recording are one run in the viewer")
    wick("view", "-o", page, *rings, "--", *rings)
    expect(" against " in page.read_text().split("</title>")[0], "rings on both sides are compared")


def bad_input(scratch):
    rings = inputs(scratch / "first")
    for words, message in [(["--symbols", scratch / "none"], "none: No such file"),
                           (["--tsc-ghz", "0"], "--tsc-ghz takes the rate in GHz"),
                           (["--fields", "cpu tsc"], "--fields needs ip")]:
        expect(message in wick("report", *rings, *words, status=2).stderr, message)
    (scratch / "prose").write_text("These are words.\n")
    expect("is neither an ELF file nor" in wick("report", *rings, "--symbols", scratch / "prose", status=1).stderr,
           "symbols that are none")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        every_variant(scratch)
        alarm_of_every_verb(scratch)
        code_of_the_kernel(scratch)
        symbols_of_programs(scratch)
        symbols_of_a_program_that_was_moved(scratch)
        pictures_have_the_same_names(scratch)
        digits_of_time_stamps(scratch)
        unknown_text(scratch)
        text_cut_inside_a_line(scratch)
        one_file_of_rings(scratch)
        lanes(scratch)
        estimated_rate(scratch)
        cut_anywhere(scratch)
        bytes_lost_and_gained(scratch)
        rings_are_one_run(scratch)
        bad_input(scratch)
    print("failed" if failures else "passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
