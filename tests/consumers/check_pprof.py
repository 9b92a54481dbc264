# SPDX-License-Identifier: Apache-2.0
"""go tool pprof on what wick writes, and on the same files as wick reads."""
import re

import consumers

LINE = re.compile(r"^\s*(\d+)[a-zA-Z]*\s+[\d.]+%\s+[\d.]+%\s+(\d+)[a-zA-Z]*\s+[\d.]+%\s+(.*?)(?: \((?:partial-)?inline\))?$")


class Check(consumers.Consumers):
    program = "go"

    def pprof(self, *arguments):
        return self.run_program("go", "tool", "pprof", "-symbolize=none", *arguments)

    def top(self, path, *flags):
        """(total, {name: (flat, cum)})"""
        text = self.pprof("-top", "-nodecount=0", "-nodefraction=0", "-edgefraction=0", "-unit=nanoseconds", *flags, path)
        total = re.search(r"of (\d+)[a-zA-Z]* total", text)
        rows = {}
        for line in text.splitlines():
            if (match := LINE.match(line)):
                rows[match[3]] = (int(match[1]), int(match[2]))
        return int(total[1]) if total else sum(flat for flat, _ in rows.values()), rows

    def compare(self, source, written=None):
        """What pprof says about a file, against wick's report on the source of that file."""
        if written is None:
            written = self.folder / "written.pb.gz"
            self.wick("convert", source, "--to", "pprof", "-o", written)
        total, rows = self.top(written)
        expected_total, expected = self.report(source)
        self.assertEqual(total, expected_total)
        self.assertGreater(len(expected), 1)
        for index, what in enumerate(("self", "total")):
            self.assert_same_top({name: row[index] for name, row in rows.items()},
                                 {name: row[index] for name, row in expected.items()}, what)
        return written

    def test_folded(self):
        self.compare(consumers.ROOT / "docs/demo/wick-itself.folded.gz")

    def test_pprof_of_others(self):
        for name in ("fib", "profile-with-labels"):
            source = self.corpus(f"parca-pprof/{name}.pb.gz")
            self.compare(source, source)
            written = self.compare(source)
            texts = [self.pprof("-traces", path) for path in (source, written)]
            stacks = [sorted(line for line in text.splitlines() if not re.match(r"\s*(thread|tid)\w*:", line))
                      for text in texts]
            self.assertEqual(*stacks)

    def test_same_bytes(self):
        source = consumers.ROOT / "docs/demo/wick-itself.folded.gz"
        for name in ("a.pb.gz", "b.pb.gz"):
            self.wick("convert", source, "--to", "pprof", "-o", self.folder / name)
        self.assertEqual(*[(self.folder / name).read_bytes() for name in ("a.pb.gz", "b.pb.gz")])

    def test_recording(self):
        """Threads, source lines and machine code, which need the mappings to be right."""
        source = self.recording()
        written = self.compare(source)
        _, threads = self.report(source, "thread")
        tags = self.pprof("-tags", "-unit=nanoseconds", written)
        section = tags[tags.index(" tid: "):].split("\n\n")[0]
        found = {tid: int(weight) for weight, tid in re.findall(r"(\d+)\.\d+ns \(.*?\): (\d+)", section)}
        self.assertEqual(found, {name.split()[-1]: total for name, (_, total) in threads.items()})
        listing = self.pprof("-list", "^hot", written)
        hottest = max((line for line in listing.splitlines() if re.search(r"\d:", line)),
                      key=lambda line: float((re.findall(r"([\d.]+)s ", line.replace("ms", "s")) or [0])[-1]))
        self.assertIn("s += inner(x + i)", hottest)
        self.assertIn("ROUTINE", listing)
        code = self.pprof("-disasm", "hot", written)
        self.assertRegex(code, r"\d(ms|s) +[0-9a-f]+: SQRTSD")

    def test_difference(self):
        """pprof -diff_base writes a file that wick reads as a pair."""
        names = []
        for name, text in (("before", "main;a 10\nmain;b 10\n"), ("after", "main;a 10\nmain;b 30\n")):
            (self.folder / f"{name}.folded").write_text(text)
            self.wick("convert", f"{name}.folded", "--to", "pprof", "-o", f"{name}.pb.gz")
            names.append(f"{name}.pb.gz")
        self.pprof("-proto", "-output", "both.pb.gz", "-diff_base", *names)
        folded = self.wick("convert", "both.pb.gz", "--to", "folded", "-o", "-")
        self.assertEqual(sorted(folded.splitlines()), ["main;a 10 10", "main;b 10 30"])
