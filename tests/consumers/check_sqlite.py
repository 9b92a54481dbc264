# SPDX-License-Identifier: Apache-2.0
"""Databases: sqlite3 on what wick writes, and perf's own export of the same recording, table by table.

Ids are joined away. What differs on purpose is listed in docs/sql.md: addresses, ends and bindings of symbols, names of
functions that have none in perf.
"""
import collections
import os
import pathlib
import shutil
import subprocess
import time

import consumers

PYTHON = "/usr/bin/python3"  # Debian's, which has its PySide2
SCRIPTS = pathlib.Path("/usr/lib/perf-core/scripts/python")


class Check(consumers.Consumers):
    program = "sqlite3"

    def ask(self, path, query):
        text = self.run_program("sqlite3", "-readonly", "-separator", "\x1f", path, query)
        return [tuple(line.split("\x1f")) for line in text.splitlines()]

    def converted(self, source):
        path = self.folder / "x.sqlite"
        self.wick("convert", source, "-o", path)
        self.assertEqual(self.ask(path, "PRAGMA integrity_check"), [("ok",)])
        return path

    def test_folded(self):
        source = consumers.ROOT / "docs/demo/wick-itself.folded.gz"
        path = self.converted(source)
        total, expected = self.report(source)
        self.assertEqual(self.ask(path, "SELECT sum(period) FROM samples"), [(str(total),)])
        rows = self.ask(path, "SELECT name, sum(self), sum(total) FROM functions GROUP BY name")
        self.assertEqual({name: (int(own), int(all_)) for name, own, all_ in rows}, expected)
        folded = sorted(self.ask(path, "SELECT folded || ' ' || self FROM stacks_view WHERE self > 0"))
        written = sorted((line,) for line in self.wick("convert", source, "--to", "folded").splitlines())
        # The view has names without the kinds of frames.
        self.assertEqual(len(folded), len(written))
        for (view,) in self.ask(path, "SELECT name FROM sqlite_schema WHERE type = 'view'"):
            self.ask(path, f"SELECT * FROM {view} LIMIT 3")

    def test_same_answers_as_query(self):
        source = consumers.ROOT / "docs/demo/orders.trace.json"
        path = self.converted(source)
        for query in ("SELECT * FROM functions ORDER BY id", "SELECT * FROM spans ORDER BY id",
                      "SELECT * FROM samples_view WHERE id > 0 ORDER BY id", "SELECT * FROM calls_view WHERE id > 0",
                      "SELECT symbol, count(*) FROM samples_view GROUP BY symbol ORDER BY 2, 1"):
            rows = [tuple(line.split(",")) for line in self.wick("query", source, query, "--csv").splitlines()[1:]]
            texts = [tuple("null" if cell == "" and row[at] == "null" else cell for at, cell in enumerate(found))
                     for row, found in zip(rows, self.ask(path, query), strict=True)]
            for row, found in zip(rows, texts):
                for mine, theirs in zip(row, found):
                    if mine != theirs:
                        self.assertAlmostEqual(float(mine), float(theirs), places=6, msg=query)

    def perf_export(self, recording):
        if not (SCRIPTS / "export-to-sqlite.py").exists():
            self.skipTest("perf's export-to-sqlite.py is not installed")
        if subprocess.run([PYTHON, "-c", "import PySide2.QtSql"], capture_output=True, check=False).returncode:
            self.skipTest("PySide2 is not installed")
        path = self.folder / "perf.db"
        path.unlink(missing_ok=True)  # the exporter does not write over a file
        # perf's own Python looks for its modules beside the first python3 of the PATH.
        self.run_program("perf", "script", "-i", recording, "-s", SCRIPTS / "export-to-sqlite.py", path, "all", "calls",
                         "callchains", env=dict(self.environment, PATH=f"{pathlib.Path(PYTHON).parent}:/bin"))
        return path

    def perf_recording(self):
        if not shutil.which("perf"):
            self.skipTest("perf is not installed")
        binary = self.compiled("-fno-omit-frame-pointer")
        path = self.folder / "fp.data"
        done = subprocess.run(["perf", "record", "-q", "-N", "-e", "cpu-clock", "-F", "499", "-g", "-o", path, binary],
                              capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            self.skipTest(f"perf cannot record here: {done.stderr.strip()[-150:]}")
        return path

    def test_perfs_export(self):
        recording = self.perf_recording()
        perf, ours = self.perf_export(recording), self.converted(recording)
        for table in ("selected_events", "machines", "samples", "call_paths", "calls", "threads", "comms", "comm_threads",
                      "dsos", "symbols", "samples_view", "call_paths_view", "calls_view", "threads_view", "symbols_view",
                      "dsos_view", "machines_view", "comm_threads_view", "branch_types"):
            columns = [self.ask(path, f"SELECT name FROM pragma_table_info('{table}')") for path in (perf, ours)]
            self.assertEqual(*columns, f"the columns of {table}")
        same = {
            "samples": "SELECT time, cpu, pid, tid, command, event, in_tx, flags FROM samples_view ORDER BY id",
            "periods": "SELECT time, period, weight, data_src FROM samples ORDER BY id",
            "machines": "SELECT * FROM machines_view",
            "branch_types": "SELECT * FROM branch_types",
            "comms": "SELECT command, pid, tid FROM comm_threads_view ORDER BY 1, 2, 3",
            "calls": "SELECT * FROM calls_view",
            "unknown": "SELECT * FROM symbols_view WHERE id = 0",
        }
        for name, query in same.items():
            self.assertEqual(self.ask(ours, query), self.ask(perf, query), name)
        # Where perf has a name, wick has the same, but for inlined and made-up ones; the same for the callers.
        query = "SELECT symbol, dso_short_name FROM samples_view ORDER BY id"
        pairs = list(zip(self.ask(ours, query), self.ask(perf, query), strict=True))
        named = [(mine, theirs) for mine, theirs in pairs if theirs[0] != "unknown"]
        equal = sum(mine[0].split("(")[0] == theirs[0].split("(")[0] for mine, theirs in named)
        self.assertGreater(equal, 0.97 * len(named), collections.Counter(p for p in named if p[0] != p[1]).most_common(5))

    def test_perfs_viewer(self):
        viewer = SCRIPTS / "exported-sql-viewer.py"
        if not viewer.exists() or subprocess.run([PYTHON, "-c", "import PySide2.QtWidgets, PySide2.QtSql"],
                                                 capture_output=True, check=False).returncode:
            self.skipTest("perf's exported-sql-viewer.py or PySide2 is not installed")
        path = self.converted(consumers.ROOT / "docs/demo/orders.trace.json")
        log = self.folder / "viewer.log"
        with open(log, "w", encoding="utf-8") as out:
            process = subprocess.Popen([PYTHON, viewer, path], stdout=out, stderr=out, cwd=self.folder,
                                       env=dict(os.environ, QT_QPA_PLATFORM="offscreen", HOME=str(self.folder)))
        try:
            time.sleep(3)
            self.assertIsNone(process.poll(), log.read_text())
        finally:
            process.kill()
            process.wait()
        self.assertNotIn("Traceback", log.read_text())

    def test_reads_perfs_export(self):
        recording = self.perf_recording()
        perf = self.perf_export(recording)
        total, expected = self.report(recording)
        total_again, again = self.report(perf)
        self.assertEqual(total_again, total)
        totals = [{name.split("(")[0]: row[1] for name, row in rows.items()} for rows in (again, expected)]
        self.assertEqual(totals[0]["hot"], totals[1]["hot"])
