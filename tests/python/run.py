#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records python_truth with every Python of this machine and compares the profiles with what the program measured.

    run.py WICK WORKLOADS [-k NAME]

WORKLOADS is the build directory of the workloads, which has the extension of python_truth. Needs permission for one event on each CPU and for BPF (root); without it everything is skipped, with a message. The
interpreters are those of Debian, of pyenv, and those that WICK_PYTHONS names, separated by colons.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import answers  # noqa: E402
import programs  # noqa: E402
import skips  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
WICK = str(pathlib.Path(sys.argv.pop(1)).resolve())
EXTENSION = pathlib.Path(sys.argv.pop(1)).resolve() / "python_truth/truth_native.abi3.so"
TRUTH = HERE.parents[1] / "workloads/python_truth/python_truth.py"
VERSIONS = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
DEBIAN = "/usr/bin/python3"
# Who may call the first function of a path, and functions that the versions put between two of its names.
RUNNERS = {"<lambda>", "Row.run_chunk", "run_rows", "work"}
BETWEEN = re.compile(r"<genexpr>|<listcomp>|<module>|sub\b")


def run(*words, **more):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120, check=False, **more)


def interpreters():
    """{version: path}: one of each version."""
    found = {}
    candidates = [*filter(None, os.environ.get("WICK_PYTHONS", "").split(":")), DEBIAN,
                  *sorted(map(str, pathlib.Path.home().glob(".pyenv/versions/*/bin/python3")))]
    for path in candidates:
        done = run(path, "-c", "import sys; print('%d.%d' % sys.version_info[:2])") if os.access(path, os.X_OK) else None
        if done and done.returncode == 0:
            found.setdefault(done.stdout.strip(), path)
    return found


def known_interpreters():
    return {version: path for version, path in interpreters().items() if version in VERSIONS}


def some_interpreters():
    """Of each way to mark entries one: all frames, marked frames, shims."""
    return {version: path for version, path in interpreters().items() if version in ("3.8", "3.11", "3.13")}


def json_of(*words):
    done = run(WICK, *words, "--json", "--limit", "0")
    if done.returncode not in (0, 3):
        raise AssertionError(f"{words}: {done.stderr}")
    return answers.parse(done.stdout)


def stacks_of(path, *flags):
    """(functions from the root on, weight) of each folded stack."""
    text = run(WICK, "convert", path, "--to", "folded", "-o", "-", *flags).stdout
    for line in text.splitlines():
        stack, _, weight = line.rpartition(" ")
        yield stack.split(";"), int(weight)


# The functions of dataflow that nest, outermost first: native ones and those of Python alternate.
WORKER_PATHS = tuple(path.split() for path in (
    "FlatMap::on_batch flat_map_shim flat_map_items split_line select_words long_enough",
    "Map::on_batch map_shim map_items lower_word",
    "Filter::on_batch filter_shim filter_items is_no_stop_word",
    "KeyOn::on_batch key_on_shim key_items word_itself",
    "FoldFinal::on_batch count_one",
    "Output::on_batch Shape.write",
    "next_batch Partition.next_batch <listcomp> Wordcount.line_at",
))
WORKER_FUNCTIONS = {name for path in WORKER_PATHS for name in path} | {"_PyEval_EvalFrameDefault", "[missing frames]", "[unknown]"}


def short_name(name):
    name = re.sub(r"_\[[a-z]\]$", "", name).replace("(anonymous namespace)::", "").removeprefix("dataflow::")
    return name.split("(")[0].split("<locals>.")[-1]


def is_worker_stack(stack):
    """Whether a stack of a worker is whole, and has only functions that call each other, in their order."""
    names = [short_name(name) for name in stack]
    nested = [name for name in names if name in WORKER_FUNCTIONS]
    if nested and nested[-1] == "_PyEval_EvalFrameDefault":
        nested.pop()  # it has just been called
    return names[0] == "clone3" and any(is_part(nested, path) for path in WORKER_PATHS)


def is_part(nested, path):
    """A prefix of a path; later versions of Python have no function for a comprehension."""
    return nested == path[:len(nested)] or nested == [name for name in path if name != "<listcomp>"][:len(nested)]


class PythonTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="wick-python-")
        cls.folder = pathlib.Path(cls.scratch.name)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def record(self, name, *words, flags=()):
        path = self.folder / f"{name}.wick"
        done = run(WICK, "record", "-o", path, *flags, "--", *words, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return path, done

    def agreement(self, path, *flags):
        """The samples that have interpreter frames: verified, unverified, unmatched, unread."""
        figures = json_of("quality", path, *flags)["figures"]
        return {state: figures[state] for state in ("verified", "unverified", "unmatched", "unread")}

    def check_shares(self, path, truth):
        rows = json_of("report", path, "--stacks", "runtime")["sections"]["entries"]["rows"]
        rows = {row["name"]: row for row in rows if row["module"].endswith(TRUTH.name)}  # importlib has a `release`, too
        outside = []
        for expected in truth["rows"]:
            row, share = rows.get(expected["self_function"]), expected["cpu_ns"] / truth["totals"]["process_cpu_ns"]
            self.assertIsNotNone(row, f"{expected['self_function']} is not in the profile")
            low, high = row["self_share_low"], row["self_share_high"]
            margin = (high - low) / 2  # the machine runs other tests, and starting the interpreter is not in the rows
            if not low - margin <= share <= high + margin:
                outside.append((expected["self_function"], share, low, high))
        self.assertEqual(outside, [], "shares outside of their intervals")

    def check_native_shares(self, path, truth):
        rows = self.rows(path)
        for expected in filter(lambda row: "native_function" in row, truth["rows"]):
            row, share = rows[expected["native_function"]], expected["cpu_ns"] / truth["totals"]["process_cpu_ns"]
            margin = (row["total_share_high"] - row["total_share_low"]) / 2
            self.assertGreater(share, row["total_share_low"] - margin, row)
            self.assertLess(share, row["total_share_high"] + margin, row)
            uses = self.rows(path, "--by", "gil", "--focus", f"^{expected['native_function']}$")
            held = sum(use["total_share"] for name, use in uses.items() if name.startswith("holds"))
            # The moments around the release, and samples that have no copy of the list.
            self.assertTrue(held > 0.95 if expected["gil"] == "holds" else held < 0.05, (expected, uses))
        released = [row for name, row in self.rows(path, "--by", "gil").items() if name.startswith(("other", "free"))]
        share = truth["gil"]["released_ns"] / truth["totals"]["process_cpu_ns"]
        margin = sum(row["total_share_high"] - row["total_share_low"] for row in released) / 2
        self.assertAlmostEqual(sum(row["total_share"] for row in released), share, delta=2 * margin)

    def check_callers(self, path, truth):
        """Only callers that the program has, in verified samples."""
        callers, names = {}, set()
        for row in truth["rows"]:
            names.update(row["path"])
            for caller, callee in zip([None, *row["path"]], row["path"]):
                callers.setdefault(callee, set()).add(caller)
        wrong, pairs = {}, 0
        for stack, weight in stacks_of(path, "--stacks", "runtime"):
            functions = [name for name in stack if not BETWEEN.search(name)]
            for caller, callee in zip(functions, functions[1:]):
                if callee not in names:
                    continue
                pairs += 1
                allowed = callers[callee] | (RUNNERS if None in callers[callee] else set())
                if caller not in allowed and caller in names | RUNNERS:
                    wrong[caller, callee] = wrong.get((caller, callee), 0) + weight
        self.assertGreater(pairs, 10)
        self.assertEqual(wrong, {})

    def check_python(self, version, python):
        path, done = self.record(f"truth-{version}", python, "-B", TRUTH, "--seconds", 3, "--extension", EXTENSION)
        truth = json.loads(done.stdout)
        # While the interpreter starts, some 15 samples have nothing to read, however long the program runs.
        self.check_verified(path, 0.99, "--time", "0.1..")
        self.check_verified(path, 0.98)
        self.check_shares(path, truth)
        self.check_native_shares(path, truth)
        if tuple(map(int, version.split("."))) >= (3, 11):  # before, several functions have one name
            self.check_callers(path, truth)

    def test_lines_and_files_are_those_of_the_source(self):
        path, _ = self.record("lines", DEBIAN, "-B", TRUTH, "--seconds", 1, "--phases", "methods")
        rows = json_of("report", path, "--by", "line", "--stacks", "runtime")["sections"]
        rows = next(iter(rows.values()))["rows"]
        source = TRUTH.read_text().splitlines()
        leaf = [row for row in rows if row["name"].startswith(f"{TRUTH}:")]
        self.assertTrue(leaf, rows[:3])
        line = int(max(leaf, key=lambda row: row["self"])["name"].rsplit(":", 1)[1])
        self.assertIn(source[line - 1].strip(), ("for i in range(400):", "total += i * i", "while tick() and clock() < until:"))

    def test_a_program_that_lives_50_ms_has_names(self):
        script = "def brief():\n  x = 0\n  while time.thread_time() < 0.06:\n    x += 1\nimport time\nbrief()\n"
        path, _ = self.record("brief", DEBIAN, "-c", script, flags=["-F", "4999"])
        rows = {row["name"]: row for row in json_of("report", path, "--stacks", "runtime")["sections"]["entries"]["rows"]}
        self.assertIn("brief", rows)
        self.assertGreater(rows["brief"]["total_share"], 0.3)

    def test_kill_9_loses_no_name(self):
        path = self.folder / "killed.wick"
        recorder = subprocess.Popen([WICK, "record", "-q", "-o", path, "--", DEBIAN, "-B", TRUTH, "--seconds", "20",
                                     "--phases", "methods"], stdout=subprocess.DEVNULL)
        time.sleep(3)
        target = run("pgrep", "-f", "python_truth.py --seconds 20 --phases methods").stdout.split()
        recorder.kill()
        recorder.wait()
        for pid in target:
            try:
                os.kill(int(pid), signal.SIGKILL)
            except ProcessLookupError:
                pass
        names = {row["name"] for row in json_of("report", path, "--stacks", "runtime")["sections"]["entries"]["rows"]}
        self.assertLessEqual({"Engine.run", "Engine.step", "method_leaf"}, names)

    def test_an_attached_program_has_names_at_once(self):
        target = subprocess.Popen([DEBIAN, "-B", TRUTH, "--seconds", "10", "--phases", "fold"], stdout=subprocess.DEVNULL)
        try:
            time.sleep(0.3)
            path = self.folder / "attached.wick"
            done = run(WICK, "record", "-o", path, "-p", target.pid, "--duration", "0.3")
        finally:
            target.kill()
            target.wait()
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {row["name"]: row for row in json_of("report", path, "--stacks", "runtime")["sections"]["entries"]["rows"]}
        self.assertGreater(rows["fold_leaf"]["self_share"], 0.8)

    def test_doctor_names_the_interpreters_of_a_process(self):
        target = subprocess.Popen([DEBIAN, "-B", TRUTH, "--seconds", "10"], stdout=subprocess.DEVNULL)
        try:
            time.sleep(0.3)
            checks = json_of("doctor", "-p", target.pid)["sections"]["checks"]["rows"]
        finally:
            target.kill()
            target.wait()
        version = run(DEBIAN, "-c", "import platform; print(platform.python_version())").stdout.strip()
        self.assertEqual([row["what"] for row in checks], [f"CPython {version} in process {target.pid}"])
        self.assertIn("copied at each sample", checks[0]["state"])

    def write(self, name, text):
        path = self.folder / f"{name}.py"
        path.write_text(text)
        return path

    def rows(self, path, *flags):
        return {row["name"]: row for row in json_of("report", path, *flags)["sections"]["entries"]["rows"]}

    def check_verified(self, path, least, *flags):
        counts = self.agreement(path, *flags)
        self.assertGreaterEqual(counts["verified"] / sum(counts.values()), least, counts)

    def test_samples_know_who_has_the_gil(self):
        script = self.write("gil", programs.GIL)
        for version, python in some_interpreters().items():
            with self.subTest(version):
                path, _ = self.record(f"gil-{version}", python, script)
                self.assertIn("holds", self.rows(path, "--by", "gil"))
                pure = self.rows(path, "--by", "label:gil", "--focus", "^pure$")
                holds = [pure[use]["total_share"] for use in ("holds", "holds, others ask") if use in pure]
                self.assertGreater(sum(holds), 0.9, pure)
                digest = self.rows(path, "--by", "gil", "--focus", "^digest$")
                elsewhere = sum(digest[use]["total_share"] for use in ("other holds", "free") if use in digest)
                self.assertGreater(elsewhere, 0.8, digest)

    def test_samples_know_that_others_ask_for_the_gil(self):
        script = self.write("asked", programs.ASKED)
        for version, python in known_interpreters().items():
            with self.subTest(version):
                path, _ = self.record(f"asked-{version}", python, script)
                alone = self.rows(path, "--by", "gil", "--focus", "^alone$")
                self.assertGreater(alone["holds"]["total_share"], 0.9, alone)
                asked = self.rows(path, "--by", "gil", "--focus", "^long_call$")
                self.assertGreater(asked["holds, others ask"]["total_share"], 0.1, asked)
                self.assertIn("GIL of", json.dumps(json_of("timeline", path)))

    def tasks(self, path, *flags):
        return self.rows(path, "--by", "task", *flags)

    def test_every_task_has_its_share(self):
        script = self.write("tasks", programs.TASKS)
        for version, python in known_interpreters().items():
            with self.subTest(version):
                path, done = self.record(f"tasks-{version}", python, script, 1)
                cpu = json.loads(done.stdout)
                rows = self.tasks(path, "--focus", "^work$")
                gathered = [name for name in rows if re.fullmatch(r"Task-\d+", name) and rows[name]["total_share"] > 0.2]
                self.assertEqual(len(gathered), 1, rows.keys())
                cpu[gathered[0]] = cpu.pop("gathered")
                outside = []
                for name, seconds in cpu.items():
                    row, share = rows[name], seconds / sum(cpu.values())
                    margin = (row["total_share_high"] - row["total_share_low"]) / 2
                    if not row["total_share_low"] - margin <= share <= row["total_share_high"] + margin:
                        outside.append((name, share, row["total_share_low"], row["total_share_high"]))
                self.assertEqual(outside, [], "shares outside of their intervals")
                for name in ("[unknown task]", "[no task]"):
                    self.assertLess(rows[name]["total_share"] if name in rows else 0, 0.05, name)
                coroutines = self.rows(path, "--by", "label:coroutine", "--focus", "^work$")
                self.assertGreater(coroutines["slices"]["total_share"], 0.6, coroutines.keys())

    def test_awaiting_coroutines_are_callers(self):
        script = self.write("awaiting", programs.TASKS)
        names = ("main", "outer", "helper", "slices", "work")
        for version, python in known_interpreters().items():
            with self.subTest(version):
                path, _ = self.record(f"awaiting-{version}", python, script, 0.5)
                stacks = list(stacks_of(path, "--stacks", "runtime", "--label", "task=^direct$", "--focus", "^work$"))
                whole = sum(weight for stack, weight in stacks if tuple(name for name in stack if name in names) == names)
                self.assertGreater(whole, 0.8 * sum(weight for _, weight in stacks), stacks[:5])
                for stack, _ in stacks_of(path, "--stacks", "native"):
                    self.assertNotIn("outer", stack)

    def test_each_thread_has_a_loop(self):
        script = self.write("loops", programs.LOOPS)
        for version, python in some_interpreters().items():
            with self.subTest(version):
                path, _ = self.record(f"loops-{version}", python, script)
                rows = self.tasks(path, "--focus", "spin$")
                for number in range(3):
                    self.assertGreater(rows[f"loop {number}"]["total_share"], 0.15, rows.keys())
                self.assertLess(rows["[unknown task]"]["total_share"] if "[unknown task]" in rows else 0, 0.1)

    def test_threads_have_the_names_of_the_program(self):
        script = self.write("names", programs.THREAD_NAMES)
        for version, python in known_interpreters().items():
            with self.subTest(version):
                path, _ = self.record(f"names-{version}", python, script)
                names = {name.rpartition(" ")[0] for name in self.rows(path, "--by", "thread")}
                self.assertLessEqual({"worker alpha", "subclass"}, names)

    def test_callers_of_a_subinterpreter_are_in_the_stack(self):
        script = self.write("subinterpreter", programs.SUBINTERPRETER)
        for version, python in some_interpreters().items():
            with self.subTest(version):
                path, _ = self.record(f"subinterpreter-{version}", python, script)
                stacks = [(";".join(stack), weight) for stack, weight in stacks_of(path, "--stacks", "runtime")]
                inside = sum(weight for stack, weight in stacks if "inside" in stack)
                joined = sum(weight for stack, weight in stacks if re.search(r"\boutside;.*\binside\b", stack))
                self.assertGreater(joined, 0.9 * inside, stacks[:5])
                self.check_verified(path, 0.8)

    def test_a_program_that_executes_itself_again_is_read_again(self):
        script = self.write("again", programs.EXEC)
        for version, python in some_interpreters().items():
            with self.subTest(version):
                path, _ = self.record(f"again-{version}", python, "-B", script)
                rows = self.rows(path, "--stacks", "runtime")
                for name in ("burn_first", "burn_child", "burn_again"):
                    self.assertGreater(rows[name]["total_share"], 0.2, name)
                self.check_verified(path, 0.9)

    def test_threads_of_c_code_that_call_functions_for_a_moment(self):
        path, _ = self.record("foreign", DEBIAN, self.write("foreign", programs.FOREIGN_THREADS))
        rows = self.rows(path, "--stacks", "runtime")
        self.assertGreater(rows["called_back"]["total_share"], 0.5)
        counts = self.agreement(path)
        self.assertLess(counts["unmatched"] / sum(counts.values()), 0.05, counts)

    def test_code_that_has_died_is_a_function_without_a_name(self):
        path, done = self.record("executed", DEBIAN, self.write("executed", programs.EXECUTED_TEXT))
        self.assertIn("functions of Python, ", done.stderr)
        self.assertNotIn("an interpreter", done.stderr)
        stacks = [stack for stack, _ in stacks_of(path, "--stacks", "runtime") if stack[-1] == "spin"]
        self.assertLessEqual({stack[-2] for stack in stacks}, {"made", "[unknown]"})
        self.check_verified(path, 0.9)

    def test_recursion_of_calls_alone_is_verified(self):
        path, _ = self.record("calls", DEBIAN, "-B", TRUTH, "--seconds", 1, "--phases", "calls")
        self.check_verified(path, 0.98)

    def test_without_bpf_the_copied_stack_proves_most_functions(self):
        script = self.write("native", programs.NATIVE_CALLS)
        callers = {"add": {"first", "second"}, "key": {"third"}, "first": {"main"}, "second": {"main"}, "third": {"main"}}
        for version, python in some_interpreters().items():
            with self.subTest(version):
                path = self.folder / f"native-{version}.wick"
                done = run("setpriv", "--bounding-set=-all", "--inh-caps=-all", WICK, "record", "-o", path, "--", python, "-B", script)
                if done.returncode != 0:
                    skips.report(self.id().rsplit(".", 1)[-1], f"recording without privileges: {done.stderr.strip()}")
                    return
                counts = self.agreement(path)
                # On a quiet machine, nine of ten; on a loaded one, other programs delay wick's readings.
                self.assertGreater(counts["verified"], 0, counts)
                for stack, _ in stacks_of(path, "--stacks", "runtime"):
                    for caller, callee in zip(stack, stack[1:]):
                        self.assertIn(caller, callers.get(callee, {caller}), stack)

    def test_dataflow_has_the_stacks_that_its_readme_describes(self):
        program = HERE.parents[1] / "build/workloads/dataflow/dataflow"
        if not program.exists():
            skips.report(self.id().rsplit(".", 1)[-1], "needs `make workloads`")
            return
        path, _ = self.record("dataflow", program, "--workers", 4, "--seconds", 2, "--no-check", flags=["-F", "997"])
        right, wrong = 0, {}
        for stack, weight in stacks_of(path, "--thread", "dataflow:work"):
            if is_worker_stack(stack):
                right += weight
            else:
                wrong[";".join(stack)] = wrong.get(";".join(stack), 0) + weight
        share = right / (right + sum(wrong.values()))
        self.assertGreater(share, 0.99, sorted(wrong.items(), key=lambda item: -item[1])[:5])

    def test_functions_that_are_entered_without_a_call(self):
        script = self.write("odd", programs.ODD_CALLS)
        chains = ["thrower;thrown_at", "closer;closed", "consumer;delegate;inner", "driver;awaits;awaited",
                  "interrupted;on_signal", "dropper;(Held.)?__del__", "collector;(Ring.)?__del__"]
        for version, python in some_interpreters().items():
            with self.subTest(version):
                path, _ = self.record(f"odd-{version}", python, "-B", script)
                weights, others = dict.fromkeys(chains, 0), {}
                for stack, weight in stacks_of(path, "--stacks", "runtime", "--focus", "^burn$"):
                    text = ";".join(stack)
                    match = [chain for chain in chains if re.fullmatch(f"<module>;{chain};burn", text)]
                    if match:
                        weights[match[0]] += weight
                    else:
                        others[text] = others.get(text, 0) + weight
                whole = sum(weights.values()) + sum(others.values())
                self.assertLess(sum(others.values()), 0.02 * whole, others)
                for chain, weight in weights.items():
                    self.assertGreater(weight, 0.05 * whole, chain)

    def test_many_threads(self):
        path, done = self.record("threads", DEBIAN, self.write("threads", programs.MANY_THREADS))
        self.assertIn("done", done.stdout)
        self.assertGreater(self.rows(path, "--stacks", "runtime")["in_a_thread"]["total_share"], 0.3)

    def test_the_callers_beyond_a_deep_recursion_are_missing_and_not_invented(self):
        path, _ = self.record("deep", DEBIAN, self.write("deep", programs.RECURSION))
        outermost = {stack[0] for stack, _ in stacks_of(path, "--focus", "^leaf$", "--show", "^(main|down|leaf|.missing frames.)$")}
        self.assertEqual(outermost, {"[missing frames]"})

    def test_names_are_text(self):
        path, _ = self.record("hostile", DEBIAN, self.write("hostile", programs.HOSTILE_NAMES))
        page, picture = self.folder / "hostile.html", self.folder / "hostile.svg"
        for words in (["report", path, "--stacks", "runtime"], ["tree", path], ["view", path, "-o", page],
                      ["flame", path, "-o", picture]):
            done = run(WICK, *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("\x1b]", done.stdout)
            self.assertLess(len(done.stdout), 1_000_000)
        xml.etree.ElementTree.parse(picture)
        self.assertNotIn("<script>alert(7)", page.read_text())

    def build(self, program, source, *flags):
        built = run("cc", "-O1", "-g", *flags, "-o", program, source)
        self.assertEqual(built.returncode, 0, built.stderr)

    def test_a_version_that_wick_does_not_know_is_one_sentence(self):
        source, program = self.folder / "later.c", self.folder / "python3.15"
        source.write_text(programs.IMPOSTOR)
        self.build(program, source, "-rdynamic", "-DFILL=0", "-DVERSION=0x030f02f0", "-DSECONDS=1")
        path, done = self.record("later", program)
        sentence = "CPython 3.15.2 is not supported; 3.8 to 3.14 are"
        for text in (done.stderr, run(WICK, "report", path).stdout):
            self.assertEqual(text.count(sentence), 1, text)
            self.assertNotIn("An interpreter (", text)
        target = subprocess.Popen([program])
        try:
            time.sleep(0.2)
            checks = json_of("doctor", "-p", target.pid)["sections"]["checks"]["rows"]
        finally:
            target.kill()
            target.wait()
        self.assertEqual([row["verdict"] for row in checks], ["missing"])
        self.assertIn(sentence, checks[0]["state"])
        self.assertIn("python3 -X perf", checks[0]["remedy"])

    def test_functions_of_cython_have_their_python_names_and_lines(self):
        source, program = self.folder / "shop.c", self.folder / "shop"
        source.write_text(programs.CYTHON_SYMBOLS)
        self.build(program, source)
        path, _ = self.record("shop", program)
        rows = self.rows(path)
        for name in ("shop.add", "shop.Basket.total"):
            self.assertGreater(rows[name]["total_share"], 0.9, name)
        rows = next(iter(json_of("report", path, "--by", "line")["sections"].values()))["rows"]
        lines = {pathlib.Path(row["name"]).name for row in rows if row["total_share"] > 0.9}
        self.assertLessEqual({"shop.pyx:4", "shop.pyx:3"}, lines)
        if shutil.which("cython3") and shutil.which("/usr/bin/python3-config"):
            self.check_cython()

    def check_cython(self):
        source = self.folder / "shop.pyx"
        source.write_text(programs.CYTHON)
        done = run("cython3", "-3", "--line-directives", source, "-o", self.folder / "built.c")
        self.assertEqual(done.returncode, 0, done.stderr)
        includes = run("/usr/bin/python3-config", "--includes").stdout.split()
        self.build(self.folder / "shop.so", self.folder / "built.c", "-O2", "-shared", "-fPIC", *includes)
        script = "import shop\ndef main_function():\n  shop.Basket().total(0.5)\nmain_function()"
        path, _ = self.record("cython", DEBIAN, "-c", script)
        rows = self.rows(path)
        for name in ("shop.Basket.total", "main_function"):
            self.assertGreater(rows[name]["total_share"], 0.8, name)
        stacks = [";".join(stack) for stack, _ in stacks_of(path)]
        self.assertTrue(any(re.search("main_function;.*shop.Basket.total;", stack) for stack in stacks), stacks[:5])
        self.assertIn("shop.pyx", " ".join(run(WICK, "report", path, "--by", "line", "--limit", "5").stdout.split()))

    def test_a_program_with_the_symbols_of_python_is_no_python(self):
        source = self.folder / "impostor.c"
        source.write_text(programs.IMPOSTOR)
        program = self.folder / "python3.11"
        for fill in ("0", "rand()"):
            self.build(program, source, "-rdynamic", f"-DFILL={fill}", "-DVERSION=0x030b02f0", "-DSECONDS=1/3")
            path, done = self.record("impostor", program)
            self.assertEqual(done.returncode, 0)
            counts = self.agreement(path)
            self.assertEqual((counts["verified"], counts["unverified"], counts["unmatched"]), (0, 0, 0))

    def test_no_runtimes_shows_native_stacks(self):
        path, _ = self.record("native", DEBIAN, "-B", TRUTH, "--seconds", 0.3, "--phases", "fold", flags=["--no-runtimes"])
        names = {row["name"] for row in json_of("report", path)["sections"]["entries"]["rows"]}
        self.assertIn("_PyEval_EvalFrameDefault", names)
        self.assertNotIn("fold_leaf", names)
        for verb in ("report", "hot", "tree"):
            cautions = json_of(verb, path)["cautions"]
            self.assertEqual(len([text for text in cautions if "`wick record` adds them" in text]), 1, verb)


def add_versions():
    found = interpreters()
    for version in VERSIONS:
        name = f"test_python_{version.replace('.', '_')}_shows_what_it_measured"

        def test(self, version=version):
            if version not in found:
                skips.report(self.id().rsplit(".", 1)[-1], f"CPython {version} is not installed; WICK_PYTHONS may name one")
                return
            self.check_python(version, found[version])

        setattr(PythonTest, name, test)


def main():
    allowed = run(WICK, "record", "-q", "-o", "/dev/null", "--", "true")
    if allowed.returncode != 0 or os.geteuid() != 0:
        skips.skip_all(f"needs permission to record with BPF: {allowed.stderr.strip()}")
    add_versions()
    unittest.main()


if __name__ == "__main__":
    main()
