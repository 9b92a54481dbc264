#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records a program with known hot lines and compares `wick annotate` with them, and with `wick report`.

    run.py WICK [TRUTH] [-k NAME]

TRUTH is the workload of that name. Tests that need it are skipped, with a message, if it is not built. Recording needs
permission (root, or perf_event_paranoid); without it everything is skipped, with a message.
"""
import collections
import csv
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import answers  # noqa: E402
import skips  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
WICK = str(pathlib.Path(sys.argv[1]).resolve())
TRUTH = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 and not sys.argv[2].startswith("-") else None
COMPILER = shutil.which("g++") or shutil.which("c++") or shutil.which("clang++")


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120, **more)


def asked(*words):
    """The output of wick. Without permission for one event on each CPU some time is lost; these tests ignore that."""
    done = run(WICK, *words, "--allow-loss", "100")
    assert done.returncode == 0, done.stderr
    return done.stdout


def annotated(path, *words):
    return answers.parse(asked("annotate", path, *words, "--json"))


def samples(rows):
    return sum(row["samples"] for row in rows)


def reported(path, *flags):
    """Self samples of `wick report`, by name and module, as the report distinguishes them."""
    rows = answers.rows(answers.parse(asked("report", path, "--json", *flags)))
    return {row["name"]: row["samples"] for row in rows}


class Annotate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.here = pathlib.Path(cls.scratch.name)
        (cls.here / "src").mkdir()
        cls.source = cls.here / "src" / "work.cc"
        shutil.copy(HERE / "work.cc", cls.source)
        cls.program = cls.here / "work"
        # -fno-tree-vectorize and similar flags are not needed: each iteration depends on the previous one.
        subprocess.run([COMPILER, "-O2", "-g", "-Wl,--build-id", "src/work.cc", "-o", "work"], cwd=cls.here, check=True)
        os.utime(cls.source, (time.time() - 1000,) * 2)
        cls.recording = cls.here / "work.wick"
        done = run(WICK, "record", "-q", "-F", "997", "-o", cls.recording, "--", cls.program, "1500")
        if done.returncode != 0:
            raise unittest.SkipTest("nothing can be recorded here: " + done.stderr.strip())
        cls.hot = {kind: number for number, line in enumerate(cls.source.read_text().splitlines(), 1)
                   for kind in re.findall(r"// HOT(.*)$", line)}

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def test_sums_are_those_of_the_report(self):
        inlined, plain = reported(self.recording), reported(self.recording, "--by", "offset")
        for function in ("churn", "divide"):
            answer = annotated(self.recording, function)
            whole = samples(answers.rows(answer))
            self.assertGreater(whole, 50, "too few samples to say anything")
            self.assertEqual(whole, samples(answers.rows(answer, "lines")))
            self.assertEqual(whole, samples(answers.rows(answer, "parts")))
            self.assertEqual(whole, answers.rows(answer, "function")[0]["samples"])
            parts = {row["name"]: row["samples"] for row in answers.rows(answer, "parts") if row["samples"]}
            self.assertEqual(parts, {name: inlined[name] for name in parts})
            for row in answers.rows(answer):
                self.assertEqual(row["samples"], plain.get(f"work+{row['address']}", 0), row)

    def test_lines_are_those_of_the_report(self):
        by_line = reported(self.recording, "--by", "line")
        lines = collections.Counter()
        for function in ("churn", "divide", "main"):
            for row in answers.rows(annotated(self.recording, function), "lines"):
                lines[f"{row['file']}:{row['line']}"] += row["samples"]
        for line, count in lines.items():
            self.assertEqual(count, by_line.get(line, 0), line)
        file_lines = {f"{row['file']}:{row['line']}": row["samples"]
                      for row in answers.rows(annotated(self.recording, "work.cc"))}
        self.assertEqual({k: v for k, v in file_lines.items() if v}, {k: v for k, v in lines.items() if v})

    def test_hot_lines_have_the_heat(self):
        for function, kind in (("churn", ", inlined"), ("divide", "")):
            answer = annotated(self.recording, function)
            whole = samples(answers.rows(answer))
            # The loop around a line is one instruction away from it: skid may charge that instead.
            near = [row for row in answers.rows(answer, "lines") if 0 <= self.hot[kind] - row["line"] <= 1]
            self.assertGreater(samples(near), 0.9 * whole, answers.rows(answer, "lines"))
            text = next(row["source"] for row in answers.rows(answer, "lines") if row["line"] == self.hot[kind])
            self.assertIn("// HOT" + kind, text)
        self.assertTrue(any(row["inlined"] == "mix(unsigned int)" or row["inlined"] == "mix"
                            for row in answers.rows(annotated(self.recording, "churn"))))

    def test_lines_of_another_file_than_their_function(self):
        """As parser generators do it: the function is in one file, its hot line in another."""
        text = self.source.read_text().replace("    value = 3.0 / value + 1.5;  // HOT\n",
                                               '#line 70 "parse.y"\n    value = 3.0 / value + 1.5;\n'
                                               '#line 900 "src/generated.cc"\n')
        (self.here / "src" / "generated.cc").write_text(text)
        subprocess.run([COMPILER, "-O2", "-g", "src/generated.cc", "-o", "generated"], cwd=self.here, check=True)
        recording = self.here / "generated.wick"
        done = run(WICK, "record", "-q", "-F", "997", "-o", recording, "--", self.here / "generated", "500")
        self.assertEqual(done.returncode, 0, done.stderr)
        by_line = reported(recording, "--by", "line")
        hot = f"{self.here}/parse.y:70"
        self.assertGreater(by_line.get(hot, 0), 0.1 * sum(by_line.values()), by_line)
        self.assertNotIn(f"{self.here}/src/generated.cc:70", by_line)
        lines = {f"{row['file']}:{row['line']}": row["samples"]
                 for row in answers.rows(annotated(recording, "divide"), "lines")}
        self.assertEqual(lines[hot], by_line[hot])

    def test_filters_count(self):
        """The two halves of the time add up to the whole."""
        whole = answers.rows(annotated(self.recording, "divide"), "function")[0]["samples"]
        halves = [answers.rows(annotated(self.recording, "divide", "--time", span), "function")[0]["samples"]
                  for span in ("0%..50%", "50%..100%")]
        self.assertEqual(sum(halves), whole)
        self.assertGreater(min(halves), 0)
        nothing = run(WICK, "annotate", self.recording, "divide", "--thread", "no-such-thread")
        self.assertNotEqual(nothing.returncode, 0)

    def test_addresses_and_forms(self):
        address = answers.rows(annotated(self.recording, "divide"))[3]["address"]
        for word in (f"work:{address}", f"work+{address}", f"{self.program}:{address}"):
            self.assertEqual(answers.rows(annotated(self.recording, word), "function")[0]["name"], "divide")
        table = list(csv.DictReader(io.StringIO(asked("annotate", self.recording, "divide", "--csv").split("\n\n")[0])))
        self.assertEqual(len(table), len(answers.rows(annotated(self.recording, "divide"))))
        self.assertIn("div", "".join(row["instruction"] for row in table))
        intel = asked("annotate", self.recording, "divide", "-M", "intel")
        self.assertNotIn("%xmm", intel)
        asked("annotate", self.recording, "churn", "-o", self.here / "page.html")
        page = (self.here / "page.html").read_text()
        self.assertTrue(page.startswith("<!doctype html>"))
        self.assertNotRegex(page, r"(src|href)=")
        asked("annotate", self.recording)  # the hottest

    def test_no_line_is_wider_than_the_terminal(self):
        folder = self.here / ("a_long_name_" * 8) / "src"
        folder.mkdir(parents=True)
        shutil.copy(HERE / "work.cc", folder)
        subprocess.run([COMPILER, "-O2", "-g", "-o", folder / "work", folder / "work.cc"], check=True)
        recording = folder / "work.wick"
        self.assertEqual(run(WICK, "record", "-q", "-o", recording, "--", folder / "work", "300").returncode, 0)
        for width in (80, 100, 120):
            text = asked("annotate", recording, "divide", "--width", width)
            self.assertIn("work.cc", text)
            self.assertLessEqual(max(map(len, text.splitlines())), width)

    def test_templates_fold_before_names_are_cut(self):
        source = self.here / "templates.cc"
        source.write_text("""#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>
int main() {
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i) texts.push_back(std::to_string(rand()));
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::string> copy(texts);
    std::sort(copy.begin(), copy.end(), [](const std::string& a, const std::string& b) { return a < b; });
  }
}
""")
        subprocess.run([COMPILER, "-O2", "-g", "-o", self.here / "templates", source], check=True)
        recording = self.here / "templates.wick"
        self.assertEqual(run(WICK, "record", "-q", "-o", recording, "--", self.here / "templates").returncode, 0)
        lines = asked("annotate", recording, "sort", "--width", 80).splitlines()
        self.assertRegex(lines[0], "^Code of std::\\S*sort\\S*<>")
        names = [line for line in lines if "inlined" in line or "  <" in line]
        self.assertTrue(any("<>" in name for name in names), names[:9])
        self.assertEqual([name for name in names if re.search(r"\.\.[^<]*> >", name)][:9], [])

    def test_perf_data_gives_the_same_answer(self):
        if not shutil.which("perf"):
            self.skipTest("perf is not here")
        data = self.here / "perf.data"
        done = run("perf", "record", "-q", "-F", "499", "-e", "cpu-clock", "-g", "-o", data, "--", self.program, "500")
        if done.returncode != 0:
            self.skipTest("perf cannot record here: " + done.stderr)
        inlined = reported(data)
        answer = annotated(data, "churn")
        parts = {row["name"]: row["samples"] for row in answers.rows(answer, "parts") if row["samples"]}
        self.assertEqual(parts, {name: inlined[name] for name in parts})
        self.assertEqual(samples(answers.rows(answer)), reported(data, "--no-inline")["churn"])

    def test_another_build_is_refused_and_the_old_one_found(self):
        moved = self.here / "elsewhere"
        old = moved / str(self.program).lstrip("/")
        old.parent.mkdir(parents=True)
        shutil.copy2(self.program, old)
        copy = self.here / "moved.wick"
        shutil.copy(self.recording, copy)
        shutil.move(self.program, self.here / "kept")
        try:
            gone = run(WICK, "annotate", copy, "divide")
            self.assertEqual(gone.returncode, 1)
            self.assertIn("was not found", gone.stderr)
            subprocess.run([COMPILER, "-O1", "-g", "-Wl,--build-id", self.source, "-o", self.program], check=True)
            other = run(WICK, "annotate", copy, "divide")
            self.assertEqual(other.returncode, 1)
            self.assertIn("is not the recorded file: its build id differs", other.stderr)
            found = annotated(copy, "divide", "--symfs", moved)
            self.assertTrue(old.samefile(answers.rows(found, "function")[0]["binary"]))
        finally:
            shutil.move(self.here / "kept", self.program)

    def test_names_that_come_later(self):
        bare, recording, debug = self.here / "bare", self.here / "bare.wick", self.here / "debug"
        subprocess.run(["strip", self.program, "-o", bare], check=True)
        subprocess.run([WICK, "record", "-q", "-F", "997", "-o", recording, "--", bare, "300"], check=True)
        self.assertNotIn("churn", reported(recording))
        notes = subprocess.run(["readelf", "-n", bare], capture_output=True, text=True, check=True).stdout
        build_id = re.search(r"Build ID: (\w+)", notes)[1]
        (debug / ".build-id" / build_id[:2]).mkdir(parents=True)
        subprocess.run(["objcopy", "--only-keep-debug", self.program,
                        debug / ".build-id" / build_id[:2] / (build_id[2:] + ".debug")], check=True)
        self.assertIn("churn", reported(recording, "--debug-dir", debug))
        self.assertNotIn("churn", reported(recording), "the file itself has changed")

    def test_sources_that_moved_or_changed(self):
        kept = self.source.read_text()
        try:
            self.source.write_text("\n" + kept)
            self.assertIn("changed after the program was built", asked("annotate", self.recording, "divide"))
            (self.here / "new").mkdir()
            shutil.move(self.source, self.here / "new" / "work.cc")
            os.utime(self.here / "new" / "work.cc", (0, 0))
            lost = asked("annotate", self.recording, "divide")
            self.assertRegex(lost, r"Cannot find the source .*work.cc; say where it is now with --source-dir")
            for place in (self.here / "new", f"{self.here}/src={self.here}/new"):
                found = asked("annotate", self.recording, "divide", "--source-dir", place)
                self.assertNotIn("Cannot find the source", found)
        finally:
            shutil.rmtree(self.here / "new", ignore_errors=True)
            self.source.write_text(kept)
            os.utime(self.source, (0, 0))

    def test_hostile_sources_are_shown_not_obeyed(self):
        kept = self.source.read_text()
        try:
            lines = kept.splitlines()
            lines[self.hot[""] - 1] = "\x1b]0;owned\x07\x1b[2J</script><script>alert(1)</script>\t<b>&"
            self.source.write_text("\n".join(lines))
            text = asked("annotate", self.recording, "divide")
            self.assertNotIn("\x1b", text)
            self.assertNotIn("\x07", text)
            asked("annotate", self.recording, "divide", "-o", self.here / "hostile.html")
            page = (self.here / "hostile.html").read_text()
            self.assertNotIn("<script>alert", page)
            self.assertIn("&lt;script&gt;alert(1)", page)
        finally:
            self.source.write_text(kept)
            os.utime(self.source, (0, 0))

    def test_wrong_names_get_a_suggestion(self):
        done = run(WICK, "annotate", self.recording, "divdie")
        self.assertEqual(done.returncode, 1)
        self.assertIn('did you mean "divide"?', done.stderr)

    def test_truth_leaves(self):
        """Each leaf of the workload: instructions add up to the row of the report, with and without inlining."""
        if TRUTH is None or not TRUTH.exists():
            self.skipTest("truth is not built (make workloads)")
        recording = self.here / "truth.wick"
        done = run(WICK, "record", "-q", "-F", "499", "-o", recording, "--", TRUTH, "--seconds", "3")
        self.assertEqual(done.returncode, 0, done.stderr)
        inlined = reported(recording)
        leaves = [name for name, count in inlined.items() if name.startswith("truth::") and name.endswith("_leaf")
                  and count > 10]
        self.assertGreater(len(leaves), 10)
        for leaf in leaves:
            answer = annotated(recording, leaf)
            parts = {row["name"]: row["samples"] for row in answers.rows(answer, "parts") if row["samples"]}
            self.assertEqual(parts, {name: inlined[name] for name in parts}, leaf)
            self.assertEqual(samples(answers.rows(answer)), samples(answers.rows(answer, "lines")), leaf)


if __name__ == "__main__":
    if COMPILER is None:
        skips.skip_all("no compiler is installed (package g++)")
    skips.main(sys.argv[3 if TRUTH else 2:])
