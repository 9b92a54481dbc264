#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs sweeps of small programs as a user would: tests the stored results, the messages and the remaining processes,
also when something goes wrong.

    run.py WICK [-k NAME]
"""
import csv
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import answers  # noqa: E402
import skips  # noqa: E402

WICK = str(pathlib.Path(sys.argv[1]).resolve())

# Prints a known rate immediately: a planted lock (sigma) and coherency (kappa).
SCALES = "rate = lambda n: 1000 * n / (1 + 0.1 * (n - 1) + 0.01 * n * (n - 1))\n"

# A server that prints when it is ready, and logs what happens to it.
SERVER = """
import os, signal, socket, sys, time
log = open(sys.argv[1], "a", buffering=1)
def stop(number, frame):
    log.write(f"stopped {sys.argv[2]}\\n")
    sys.exit(0)
signal.signal(signal.SIGTERM, stop)
time.sleep(0.2)
if len(sys.argv) > 3:
    listener = socket.create_server(("127.0.0.1", int(sys.argv[3])))
log.write(f"ready {sys.argv[2]}\\n")
print("ready to serve", flush=True)
while True:
    time.sleep(0.05)
"""


class Sweep(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="wick-sweep-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def wick(self, *words, status=0):
        done = subprocess.run([WICK, *words], cwd=self.folder, capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return done

    def sweep(self, plan, *words, status=0):
        self.write("plan.toml", plan)
        return self.wick("sweep", "plan.toml", *words, status=status)

    def runs(self, name="plan.sweep"):
        return [json.loads(line) for line in (self.folder / name / "runs.jsonl").read_text().splitlines()]

    def timing(self):
        return [run for run in self.runs() if run["kind"] == "timing"]


class Results(Sweep):
    PLAN = """
        repeats = 3
        warmup = 1
        command = ["sh", "-c", "echo {{not a hole}}; echo '{\\"a\\": {\\"rate\\": {n}00}}' >&2; echo {mode} took {n} ms; sleep 0.0{n}"]
        [axes]
        n = [1, 2, 5]
        mode = ["a", "b"]
        [metrics.rate]
        json = "a.rate"
        from = "stderr"
        better = "more"
        [metrics.took]
        regex = 'took (\\d+) ms'
        [metrics.wall]
        counter = "wall"
        unit = "s"
        [metrics.each]
        value = "took / n"
        [checks]
        one = "each == 1"
    """

    def test_every_run_is_stored_with_its_metrics(self):
        done = self.sweep(self.PLAN)
        runs = self.runs()
        self.assertEqual(len(runs), 6 * 4)
        self.assertEqual([run["order"] for run in runs], list(range(1, 25)))
        self.assertEqual({run["status"] for run in runs}, {"ok"})
        timed = self.timing()
        self.assertEqual(len({(run["point"], run["repeat"]) for run in timed}), 18)
        for run in timed:
            self.assertEqual(run["metrics"]["rate"], 100 * run["axes"]["n"])
            self.assertEqual(run["metrics"]["each"], 1)
            self.assertGreaterEqual(run["metrics"]["wall"], run["axes"]["n"] / 100)
            self.assertEqual(run["checks"], [{"name": "one", "holds": True, "value": 1}])
        # interleaved: each round has each point once, and rounds differ
        rounds = [[run["point"] for run in timed[i:i + 6]] for i in (0, 6, 12)]
        self.assertTrue(all(sorted(r) == [1, 2, 3, 4, 5, 6] for r in rounds), rounds)
        self.assertRegex(done.stdout, r"5  a +500 +500-500  best")
        self.assertRegex(done.stdout, r"5  b +500 +500-500  best", "which is as good")
        self.assertRegex(done.stdout, r"1  a +100 +100-100  worst")
        self.assertRegex(done.stdout, r"2  a +200 +200-200   +2 ", "neither")
        self.assertIn("all points that these runs cannot distinguish from it", done.stdout)
        self.assertIn("Note: rate along n (mode=a; mode=b): If n is a number of workers: Linear", done.stdout)
        self.assertIn("Note: 2 lines of points were fitted; their verdicts are corrected for that", done.stdout)
        self.assertTrue((self.folder / "plan.sweep" / "index.html").stat().st_size > 1000)
        self.assertFalse((self.folder / "plan.sweep" / "scratch").exists())
        machine = json.loads((self.folder / "plan.sweep" / "machine.json").read_text())
        self.assertIn({"name": "CPUs", "value": str(os.cpu_count())}, machine["facts"])
        # shown again, in every form
        self.assertEqual(self.wick("sweep", "plan.sweep").stdout, done.stdout)
        rows = list(csv.DictReader(io.StringIO(self.wick("sweep", "plan.sweep", "--csv").stdout)))
        self.assertEqual([row["n"] for row in rows], ["1", "1", "2", "2", "5", "5"])
        self.assertEqual(rows[5]["rate"], "500")
        found = answers.parse(self.wick("sweep", "plan.sweep", "--json").stdout)
        took = [row["value"] for row in answers.rows(found, "values") if (row["point"], row["metric"]) == (1, "took")]
        self.assertEqual(took, [1, 1, 1])
        # nothing is left to do
        again = self.wick("sweep", "plan.toml")
        self.assertIn("All runs are already done", again.stderr)
        self.assertEqual(len(self.runs()), 24)

    def test_a_run_whose_cpus_the_host_took_is_named(self):
        """The results say how much steal time each run had. They are edited, as if the host had been busy in one of them;
        all times are, since those of a busy machine vary so much that none is far from the others."""
        self.sweep('repeats = 5\ncommand = "sleep 0.0{n}"\n[axes]\nn = [5]\n[metrics.wall]\ncounter = "wall"\n')
        self.assertTrue(all(run["stolen_seconds"] >= 0 for run in self.timing()), self.timing())
        file = self.folder / "plan.sweep" / "runs.jsonl"
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        for run in lines:
            run.update(seconds=0.05 + run["repeat"] / 1000, stolen_seconds=0)
            if (run["kind"], run["repeat"]) == ("timing", 4):
                run.update(seconds=0.9, stolen_seconds=0.8)
        file.write_text("".join(json.dumps(run) + "\n" for run in lines))
        shown = self.wick("sweep", "plan.sweep").stdout
        self.assertRegex(shown, r"Run 4 of point 1 took 900\.0 ms, .* times the median of such runs .* It had 0\.80 s of steal "
                                r"time, in which the host ran something else \(median 0\.00 s\)")

    def test_a_dry_run_runs_nothing(self):
        done = self.sweep(self.PLAN + "\n", "--dry-run")
        self.assertFalse((self.folder / "plan.sweep").exists())
        self.assertEqual(sum(" timing " in line for line in done.stdout.splitlines()), 18)
        self.assertRegex(done.stdout, r"6 points, 24 runs: at most 24 min")
        self.assertIn("program at point 1: sh -c", done.stdout)

    def test_a_planted_knee_is_found_by_the_fit(self):
        self.write("scales.py", SCALES + "import random, sys\n"
                   "print('rate', rate(int(sys.argv[1])) * random.uniform(0.99, 1.01))\n")
        done = self.sweep("""
            command = "python3 scales.py {n}"
            warmup = 0
            [axes]
            n = [1, 2, 4, 8, 16, 32]
            [metrics.rate]
            regex = 'rate (\\S+)'
            better = "more"
        """)
        fit = answers.rows(answers.parse(self.wick("sweep", "plan.sweep", "--json").stdout), "scaling")[0]
        # sqrt((1 - 0.1) / 0.01)
        self.assertAlmostEqual(fit["knee"], 9.49, delta=1)
        self.assertAlmostEqual(fit["sigma"], 0.1, delta=0.03)
        self.assertIn("Scaling", done.stdout)
        self.assertIn("Furthest from linear scaling: point 6", done.stdout)

    def test_failed_checks_are_named_and_give_status_4(self):
        done = self.sweep("""
            command = "echo {n}"
            repeats = 2
            [axes]
            n = [1, 2]
            [metrics.n_out]
            regex = '\\d+'
            [checks]
            small = "n_out < 2"
        """, status=4)
        self.assertRegex(done.stdout, r"2  2 .*check failed: small")
        self.assertNotRegex(done.stdout, r"1  1 .*check failed")

    def test_two_sweeps_are_compared(self):
        plan = """
            command = "sh -c 'echo {n} $FACTOR'"
            repeats = 4
            [axes]
            n = [1, 2]
            [metrics.took]
            regex = '\\d+'
        """
        self.write("slow.py", "import sys, random\nprint(int(sys.argv[1]) * int(sys.argv[2]) + random.random() / 10)\n")
        for name, factor in (("before", 10), ("after", 20)):
            self.write("plan.toml", plan.replace("sh -c 'echo {n} $FACTOR'", f"python3 slow.py {{n}} {factor}")
                       .replace("\\d+", "\\S+"))
            self.wick("sweep", "plan.toml", "-o", name)
        done = self.wick("sweep", "before", "after")
        self.assertEqual(done.stdout.count("worse"), 2, done.stdout)
        rows = list(csv.DictReader(io.StringIO(self.wick("sweep", "before", "after", "--csv").stdout)))
        for row in rows:
            self.assertAlmostEqual(float(row["change"]), 100, delta=3)
        self.assertTrue((self.folder / "comparison.html").exists())
        done = self.wick("sweep", "before", "before")
        self.assertEqual(done.stdout.count("no evidence"), 2, done.stdout)
        self.write("plan.toml", "command = 'true'\nrepeats = 1\nwarmup = 0\n")
        self.wick("sweep", "plan.toml", "-o", "other")
        self.assertIn("before and other have no point with a metric in common",
                      self.wick("sweep", "before", "other", status=1).stderr)


class Roles(Sweep):
    PLAN = """
        repeats = 1
        warmup = 0
        [roles.first]
        kind = "server"
        command = "python3 server.py log first {port}"
        ready = { port = "{port}", timeout = 10 }
        [roles.second]
        kind = "server"
        command = "python3 server.py log second"
        ready = { output = "^ready to serve" }
        [roles.client]
        command = "sh -c 'echo client {instance} of {instances} >>log; sleep 0.1'"
        instances = 3
    """

    def test_servers_are_awaited_and_stopped_in_reverse_order(self):
        self.write("server.py", SERVER)
        self.sweep(self.PLAN)
        lines = (self.folder / "log").read_text().splitlines()
        self.assertEqual(lines[:2], ["ready first", "ready second"])
        self.assertEqual(sorted(lines[2:5]), [f"client {i} of 3" for i in range(3)])
        self.assertEqual(lines[5:], ["stopped second", "stopped first"])

    def test_a_command_may_tell_readiness_and_another_may_stop(self):
        self.sweep("""
            repeats = 1
            warmup = 0
            [roles.server]
            kind = "server"
            command = ["sh", "-c", "sleep 0.3; touch {dir}/up; while [ ! -e {dir}/down ]; do sleep 0.02; done"]
            ready = { command = "test -e {dir}/up" }
            stop = { command = "touch {dir}/down" }
            [roles.client]
            command = ["sh", "-c", "test -e {dir}/up && echo up"]
        """)

    def test_environment_cpus_and_instances_reach_the_program(self):
        self.sweep("""
            repeats = 1
            warmup = 0
            environment = { MODE = "{mode}" }
            [axes]
            mode = ["x y"]
            copies = [1, 3]
            [roles.client]
            command = ["sh", "-c", "echo mode=$MODE own=$OWN; taskset -p $$; echo 5"]
            environment = { OWN = "{instance}" }
            cpus = "0"
            instances = "{copies}"
            [metrics.sum]
            regex = '(?m)^\\d$'
            better = "more"
            [metrics.cpu_mask]
            regex = 'mask: (\\d+)'
            [metrics.most]
            regex = 'own=(\\d)'
            combine = "max"
        """)
        by_copies = {run["axes"]["copies"]: run["metrics"] for run in self.timing()}
        self.assertEqual(by_copies[1], {"sum": 5, "cpu_mask": 1, "most": 0})
        self.assertEqual(by_copies[3], {"sum": 15, "cpu_mask": 1, "most": 2})

    def test_each_instance_of_a_server_has_a_port_of_its_own(self):
        self.write("echo.py", "import socket, sys\nlistener = socket.create_server(('127.0.0.1', int(sys.argv[1])))\n"
                   "while True:\n    peer, _ = listener.accept()\n    peer.sendall(sys.argv[2].encode())\n    peer.close()\n")
        self.write("ask.py", "import socket, sys\n"
                   "for port in sys.argv[1:]: print(socket.create_connection(('127.0.0.1', int(port))).recv(99).decode())\n")
        self.sweep("""
            repeats = 1
            warmup = 0
            [roles.backend]
            kind = "server"
            command = "python3 echo.py {port} backend-{instance}"
            ready = { port = "{port}", timeout = 10 }
            instances = 3
            [roles.proxy]
            kind = "server"
            command = "python3 echo.py {port} proxy-of-{backend.port}"
            ready = { port = "{port}", timeout = 10 }
            stop = { command = "sh -c 'kill $(pgrep -f \\"echo.py {port} [p]roxy\\")'" }
            [roles.client]
            command = "python3 ask.py {proxy.port} {backend.port} {backend.ports}"
            instances = 4
            [metrics.own]
            regex = '(?s)proxy-of-(\\d+).backend-'
            combine = "min"
            [metrics.least]
            regex = '(?s)proxy-of-\\d+.backend-(\\d)'
            combine = "min"
            [metrics.sum]
            regex = '(?s)proxy-of-\\d+.backend-(\\d)'
            combine = "sum"
            [metrics.all]
            regex = '(?s)backend-0.backend-1.backend-(2)'
            combine = "sum"
        """)
        metrics = self.timing()[0]["metrics"]
        self.assertEqual(metrics["least"], 0)
        self.assertEqual(metrics["sum"], 0 + 1 + 2 + 0, "clients take the servers in turn")
        self.assertEqual(metrics["all"], 4 * 2)

    def test_of_two_servers_the_plan_must_say_whose_port(self):
        server = "[roles.%s]\nkind = 'server'\ncommand = 'sleep {port}'\n"
        done = self.sweep(server % "a" + server % "b" + "[roles.c]\ncommand = 'true {port}'\n", status=1)
        self.assertIn("plan.toml:8: {port} could be the port of a or of b; write {a.port} or {b.port}.", done.stderr)

    def test_builds_are_made_once_each_in_their_own_directory(self):
        self.sweep("""
            build = "echo building {flag} >>built; echo {flag} >{build_dir}/program"
            command = "cat {build_dir}/program {n}"
            repeats = 3
            [axes]
            flag = [1, 2]
            n = ["", "/dev/null"]
            [metrics.out]
            regex = '\\d'
        """)
        self.assertEqual(sorted((self.folder / "built").read_text().split()), ["1", "2", "building", "building"])
        self.assertTrue(all(run["metrics"]["out"] == run["axes"]["flag"] for run in self.timing()))

    def test_a_build_in_a_shared_directory_is_what_the_run_sees(self):
        self.sweep("""
            build = "echo {flag} >program"
            command = "cat program"
            repeats = 3
            [axes]
            flag = [1, 2]
            [metrics.out]
            regex = '\\d'
        """)
        self.assertTrue(all(run["metrics"]["out"] == run["axes"]["flag"] for run in self.timing()))


class Trouble(Sweep):
    def test_a_client_that_fails_half_the_time(self):
        done = self.sweep("""
            command = ["sh", "-c", "echo 1 >>count-{n}; echo oops >&2; [ {n} = 1 ] || [ $(($(wc -l <count-{n}) % 2)) = 0 ]"]
            repeats = 6
            warmup = 0
            [axes]
            n = [1, 2]
        """, status=1)
        self.assertEqual(len(self.timing()), 12)
        self.assertEqual(sum(run["status"] == "failed" for run in self.timing()), 3)
        self.assertRegex(done.stderr, r'run \d of point 2, n=2: The client program ended with status 1; it said: "oops". '
                         r"The output of its roles is in plan.sweep/failed/point-2-timing-\d\.")
        self.assertIn('Point 2: 3 of 6 runs failed: The client program ended with status 1; it said: "oops".', done.stdout)
        self.assertIn("--retry", done.stderr)
        kept = list((self.folder / "plan.sweep" / "failed").glob("point-2-timing-*/program-0.err"))
        self.assertEqual(len(kept), 3)
        # the successful point retains its numbers, and a retry repeats the failed ones
        self.assertRegex(done.stdout, r"(?m)^ +1  1 ")
        self.wick("sweep", "plan.toml", "--retry", status=1)
        self.assertGreater(len([r for r in self.runs() if r["kind"] == "timing"]), 12)
        orders = [run["order"] for run in self.runs()]
        self.assertEqual(orders, sorted(set(orders)), "a run that is made again has a number of its own")

    def test_output_that_is_too_long_is_cut_and_said(self):
        done = self.sweep("""
            command = ["sh", "-c", "echo first 1; head -c {mib}M /dev/zero | tr '\\\\0' '\\\\n'; echo last 2"]
            repeats = 2
            warmup = 0
            [axes]
            mib = [1, 20]
            [metrics.first]
            regex = 'first (\\d)'
            [metrics.last]
            regex = 'last (\\d)'
        """)
        for run in self.timing():
            self.assertEqual(run["metrics"], {"first": 1, "last": 2})
            self.assertEqual("cut" in run, run["axes"]["mib"] == 20)
        self.assertIn("Point 2: In 2 of 2 runs wick skipped output: program printed 20.0 MiB on stdout; wick read only the "
                      "first and the last 8 MiB.", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^ +2 +20 .*output cut")
        self.assertNotRegex(done.stdout, r"(?m)^ +1 +1 .*output cut")

    def test_a_metric_that_is_missing_in_some_runs(self):
        done = self.sweep("""
            command = ["sh", "-c", "echo 1 >>count; [ $(wc -l <count) = 2 ] || echo rate 5"]
            repeats = 3
            warmup = 0
            [metrics.rate]
            regex = 'rate (\\d+)'
        """, status=1)
        self.assertIn("The metric rate is missing: nothing in its output matches", done.stderr)
        self.assertEqual([run["status"] for run in self.timing()], ["ok", "failed", "ok"])
        self.assertRegex(done.stdout, r"1 +5 +5-5")

    def test_a_server_that_never_becomes_ready_is_given_up(self):
        started = time.time()
        done = self.sweep("""
            repeats = 9
            warmup = 0
            give_up = 2
            [axes]
            n = [1, 2]
            [roles.server]
            kind = "server"
            command = ["sh", "-c", "echo starting; [ {n} = 1 ] && echo yes; sleep 60"]
            ready = { output = "yes", timeout = 2 }
            [roles.client]
            command = "true"
        """, status=1)
        self.assertLess(time.time() - started, 60)
        self.assertIn('point 2, n=2: The server server was not ready after 2 s of waiting for "yes" in its output; '
                      'it said: "starting".', done.stderr)
        self.assertIn("Point 2 (n=2) failed 2 times in a row; wick skips its other runs.", done.stderr)
        self.assertEqual(sum(run["axes"]["n"] == 1 and run["status"] == "ok" for run in self.timing()), 9)
        self.assertEqual(sum(run["axes"]["n"] == 2 for run in self.timing()), 2)

    def test_a_host_that_is_no_address(self):
        done = self.sweep("""
            repeats = 1
            warmup = 0
            [roles.server]
            kind = "server"
            command = "sleep 60"
            ready = { port = "{port}", host = "nowhere" }
            [roles.client]
            command = "true"
        """, status=1)
        self.assertIn('The host "nowhere" of `ready` is not an IPv4 address such as 127.0.0.1.', done.stderr)

    def test_a_server_that_ends_too_soon(self):
        done = self.sweep("""
            repeats = 1
            warmup = 0
            [roles.server]
            kind = "server"
            command = "sh -c 'sleep 0.2; echo no memory >&2; exit 3'"
            [roles.client]
            command = "sleep 30"
        """, status=1)
        self.assertIn('The server server ended with status 3 while clients ran; it said: "no memory".', done.stderr)

    def test_time_that_is_over_is_reported(self):
        done = self.sweep("command = 'sleep 30'\nrepeats = 1\nwarmup = 0\ntimeout = 0.3\n", status=1)
        self.assertIn("It did not finish within 0.3 s", done.stderr)
        self.assertEqual(self.timing()[0]["status"], "timeout")

    def test_a_program_that_is_not_there(self):
        done = self.sweep("command = './nothing'\nrepeats = 1\nwarmup = 0\n", status=1)
        self.assertIn("plan.toml:1: The role program runs ./nothing, and there is no such program here.", done.stderr)
        self.assertFalse((self.folder / "plan.sweep").exists())
        done = self.sweep("[roles.a]\ncommand = 'true'\ncpus = '0,500'\n", status=1)
        self.assertIn("plan.toml:3: The role a wants CPU 500; this machine has 0 to", done.stderr)

    def test_a_build_that_fails_fails_its_points_only(self):
        done = self.sweep("""
            build = "echo broken >&2; [ {n} = 1 ]"
            command = "true"
            repeats = 1
            warmup = 0
            [axes]
            n = [1, 2]
        """, status=1)
        self.assertRegex(done.stderr, r"The build `.*` ended with status 1; .*/builds/2.log has its output\.")
        self.assertEqual({run["axes"]["n"]: run["status"] for run in self.timing()}, {1: "ok", 2: "failed"})
        self.assertEqual(list(self.folder.glob("plan.sweep/failed/*/*")), [], "output of another run")

    def test_a_full_disk_ends_the_sweep_with_a_sentence(self):
        disk = self.folder / "disk"
        disk.mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(disk)], capture_output=True, check=False)
        if mounted.returncode != 0:
            self.skipTest("a small file system cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", str(disk)], check=False)
        self.write("plan.toml", "command = 'true'\nrepeats = 2000\nwarmup = 0\n")
        done = subprocess.run([WICK, "sweep", "plan.toml", "-o", "disk/out"], cwd=self.folder, capture_output=True,
                              text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"(No space left on device|Cannot (write|create)).*finished runs are saved in disk/out")
        lines = (disk / "out" / "runs.jsonl").read_text()
        self.assertTrue(lines.endswith("\n"))
        self.assertGreater(len([json.loads(line) for line in lines.splitlines()]), 20)

    def test_a_page_that_cannot_be_written_is_no_success(self):
        self.sweep("command = 'true'\nrepeats = 1\nwarmup = 0\n")
        page = self.folder / "plan.sweep" / "index.html"
        page.unlink()
        page.symlink_to("/dev/full")
        done = self.wick("sweep", "plan.sweep", status=1)
        self.assertIn("No space left on device", done.stderr)
        self.assertIn("wall", done.stdout)

    def test_one_trouble_of_many_points_is_reported_once(self):
        done = self.sweep("command = 'false {n}'\nrepeats = 1\nwarmup = 0\n[axes]\nn = { from = 1, to = 15, step = 1 }\n", status=1)
        self.assertIn("Points 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 3 more: 1 of 1 runs failed", done.stdout)

    def test_another_plan_in_the_same_directory_is_refused(self):
        self.sweep("command = 'true'\nrepeats = 1\n")
        done = self.sweep("command = 'true'\nrepeats = 2\n", status=1)
        self.assertIn("plan.sweep has results of another version of this plan (they differ from line 2 on)", done.stderr)

    def test_plans_that_are_wrong_say_where(self):
        for text, message in (
                ("command = 'true'\nrepeat = 1\n", 'plan.toml:2: "repeat" is not a key of a plan; did you mean "repeats"?'),
                ("command = 'true'\n[axes]\nn = []\n", "plan.toml:3: The axis n is empty."),
                ("command = 'true {x}'\n", "plan.toml:1: unknown placeholder {x}"),
                ("command = 'true'\n[axes]\nn = [1, 2]\n[checks]\nc = { that = 'wall < n', when = { n = 2 } }\n",
                 "plan.toml:3: No command, environment variable or build step uses the axis n"),
                ("command = 'true'\n[[[", "plan.toml:2: this is not valid TOML"),
                ("command = 'true'\nrepeats = 99999999999\n", "plan.toml:2: 1 points, each run 100000000000 times"),
                ("", "plan.toml:1: A plan needs either")):
            done = self.sweep(text, status=1)
            self.assertIn(message, done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1)
            self.assertFalse((self.folder / "plan.sweep").exists())
        self.assertIn("There is no plan nowhere.toml", self.wick("sweep", "nowhere.toml", status=1).stderr)
        self.assertIn("wick sweep takes a plan", self.wick("sweep", status=2).stderr)
        (self.folder / "empty").mkdir()
        self.assertIn("has no plan.toml", self.wick("sweep", "empty", status=1).stderr)


class Interrupted(Sweep):
    PLAN = """
        repeats = 4
        warmup = 0
        [axes]
        n = [1, 2, 3]
        [roles.server]
        kind = "server"
        command = "python3 server.py log server"
        ready = { output = "ready" }
        [roles.client]
        command = "sleep 0.2 0.{n}e-9"
    """

    def begin(self, runs):
        """Starts a sweep and waits until it has made `runs` runs."""
        self.write("server.py", SERVER)
        self.write("plan.toml", self.PLAN)
        process = subprocess.Popen([WICK, "sweep", "plan.toml"], cwd=self.folder, stderr=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        runs_made = lambda: len(self.lines("plan.sweep/runs.jsonl"))
        log = lambda: [line.split()[0] for line in self.lines("log")]
        self.wait_for(lambda: runs_made() >= runs and log().count("ready") > log().count("stopped"),
                      process)
        return process

    def lines(self, name):
        path = self.folder / name
        return path.read_text().splitlines() if path.exists() else []

    def wait_for(self, condition, process=None):
        for _ in range(1200):
            if condition():
                return
            if process and process.poll() is not None:
                self.fail("it has ended: " + process.communicate()[1])
            time.sleep(0.05)
        self.fail("it does not get on")

    def servers(self):
        return self.processes("server.py log server")

    def processes(self, command):
        listed = subprocess.run(["pgrep", "-f", command], capture_output=True, text=True, check=False).stdout
        return [pid for pid in listed.split() if os.path.realpath(f"/proc/{pid}/cwd") == str(self.folder.resolve())]

    def finish(self):
        self.wick("sweep", "plan.toml")
        runs = self.runs()
        self.assertEqual(len(runs), 12)
        self.assertEqual(len({(run["point"], run["repeat"]) for run in runs}), 12)
        self.assertTrue(all(run["status"] == "ok" for run in runs))
        return runs

    def test_killed_it_leaves_no_process_and_resumes(self):
        process = self.begin(3)
        process.kill()
        process.communicate()
        self.wait_for(lambda: not self.servers())
        before = self.runs()
        self.assertGreaterEqual(len(before), 3)
        self.assertEqual(self.finish()[:len(before)], before)

    # A role whose grandchildren leave its group and its session.
    BROOD = """
        repeats = 2
        warmup = 0
        [roles.server]
        kind = "server"
        command = ["sh", "-c", "setsid sh -c 'sleep 77 & sleep 77' & (setsid setsid sleep 77 &) ; touch began; sleep 77"]
        [roles.client]
        command = "sh -c 'sleep 77 & (setsid sleep 77 &) ; [ -e through ] || sleep 77'"
    """

    def start_brood(self):
        self.write("plan.toml", self.BROOD)
        process = subprocess.Popen([WICK, "sweep", "plan.toml"], cwd=self.folder, stderr=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.wait_for(lambda: len(self.processes("sleep 77")) >= 7, process)
        return process

    def test_killed_it_takes_grandchildren_along(self):
        process = self.start_brood()
        process.kill()
        process.communicate()
        time.sleep(2)
        self.assertEqual(self.processes("sleep 77"), [])
        self.write("through", "")
        self.wick("sweep", "plan.toml")
        self.assertEqual([run["status"] for run in self.runs()], ["ok", "ok"])
        self.assertEqual(self.processes("sleep 77"), [], "a run leaves no process either")

    def test_ctrl_c_reaches_grandchildren(self):
        process = self.start_brood()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130)
        self.assertEqual(self.processes("sleep 77"), [])

    def test_ctrl_c_stops_the_servers_in_order_and_says_how_to_go_on(self):
        process = self.begin(2)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130)
        self.assertIn("`wick sweep plan.toml -o plan.sweep` continues", errors)
        log = (self.folder / "log").read_text().split()
        # The signal may come before a server is ready; the sweep must stop anyway.
        self.assertIn(log.count("stopped") - log.count("ready"), (0, 1))
        self.assertEqual(self.servers(), [])
        before = self.runs()
        self.assertEqual(self.finish()[:len(before)], before)

    def stopped_in_the_middle(self, plan):
        """Sends Ctrl+C once the file `began` exists. Processes that sleep for 77 s must end with wick."""
        self.write("plan.toml", plan)
        process = subprocess.Popen([WICK, "sweep", "plan.toml"], cwd=self.folder, stderr=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        self.wait_for(lambda: (self.folder / "began").exists(), process)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual(self.processes("sleep 77"), [])
        self.assertEqual(self.lines("plan.sweep/runs.jsonl"), [])

    def test_ctrl_c_while_a_server_is_stopped_by_a_command(self):
        self.stopped_in_the_middle("""
            [roles.server]
            kind = "server"
            command = "sleep 77"
            stop = { command = "sh -c 'touch began; sleep 77'", timeout = 77 }
            [roles.client]
            command = "true"
        """)

    def test_ctrl_c_ends_a_build_that_does_not_listen(self):
        self.stopped_in_the_middle("""
            build = "trap '' INT TERM; touch began; sleep 77"
            command = "true"
        """)

    def test_a_line_that_was_cut_is_made_again(self):
        self.write("plan.toml", "command = 'true'\nrepeats = 3\nwarmup = 0\n")
        self.wick("sweep", "plan.toml")
        log = self.folder / "plan.sweep" / "runs.jsonl"
        for cut in (1, 20, 60):
            log.write_text(log.read_text()[:-cut])
            self.wick("sweep", "plan.toml")
            self.assertEqual(sorted(run["repeat"] for run in self.runs()), [1, 2, 3])

    def test_another_machine_is_noticed(self):
        self.write("plan.toml", "command = 'true'\nrepeats = 3\nwarmup = 0\n")
        self.wick("sweep", "plan.toml")
        machine = self.folder / "plan.sweep" / "machine.json"
        facts = json.loads(machine.read_text())
        next(fact for fact in facts["facts"] if fact["name"] == "kernel")["value"] = "Linux 1.0"
        machine.write_text(json.dumps(facts))
        self.wick("sweep", "plan.toml")  # nothing is left to run, so nothing is mixed
        runs = (self.folder / "plan.sweep" / "runs.jsonl")
        runs.write_text("".join(runs.read_text().splitlines(True)[:2]))
        done = self.wick("sweep", "plan.toml", status=1)
        self.assertRegex(done.stderr, r"another machine, or this one has changed since: kernel \(Linux 1.0 then, Linux .* now\)")
        self.assertIn("All 2 runs stay saved: use another directory (-o), or continue with --allow-other-machine.", done.stderr)
        self.assertEqual(len(self.runs()), 2)
        done = self.wick("sweep", "plan.toml", "--allow-other-machine")
        self.assertEqual(len(self.runs()), 3)
        self.assertIn("From run 3 on, the machine was a different one", done.stdout)
        runs.write_text("".join(runs.read_text().splitlines(True)[:2]))
        self.wick("sweep", "plan.toml")  # it is that of the last runs

    def test_only_one_sweep_works_in_a_directory(self):
        self.begin(1)
        self.assertIn("Another wick sweep is running in plan.sweep", self.wick("sweep", "plan.toml", status=1).stderr)


def may_record():
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([WICK, "record", "-q", "-o", folder + "/x.wick", "--", "true"], capture_output=True,
                              check=False).returncode == 0


class Profiles(Sweep):
    def setUp(self):
        super().setUp()
        if not may_record():
            self.skipTest("nothing can be recorded here")

    PLAN = """
        repeats = 2
        warmup = 0
        profile = %s
        command = ["python3", "-c", "import time\\nend = time.process_time() + {n} / 10\\nwhile time.process_time() < end: pass"]
        [axes]
        n = [1, 3]
        [metrics.cpu]
        counter = "cpu"
        [areas]
        python = "python"
    """

    def profiles(self):
        return sorted(path.name for path in (self.folder / "plan.sweep" / "profiles").iterdir())

    def test_the_worst_point_is_recorded_in_a_run_of_its_own(self):
        self.sweep(self.PLAN % '"worst"')
        self.assertEqual(self.profiles(), ["point-2.html", "point-2.wick"])
        recorded = [run for run in self.runs() if run["kind"] == "profile"]
        self.assertEqual([run["profile"] for run in recorded], ["profiles/point-2.wick"])
        self.assertGreaterEqual(recorded[0]["metrics"]["cpu"], 0.3)
        found = answers.parse(self.wick("sweep", "plan.sweep", "--json").stdout)
        shares = {(row["point"], row["name"]): row["total_share"] for row in answers.rows(found, "areas")}
        self.assertGreater(shares[2, "python"], 0.5)
        self.write("areas.txt", "python = python\nabsent = ^no_such_function$\n")
        self.assertIn("the pattern ^no_such_function$ of the area absent matches nothing",
                      self.wick("sweep", "plan.sweep", "--areas", "areas.txt").stderr)
        self.assertEqual(answers.rows(found)[1]["profile"], "profiles/point-2.wick")
        self.assertIn("2 points, 0 runs", self.wick("sweep", "plan.toml", "--dry-run").stdout)

    def test_a_program_without_optimisation_is_named_first(self):
        self.write("work.c", "int main(void) { volatile long sum = 0; for (long i = 0; i < 100000000; i++) sum += i; return 0; }")
        for level in ("-O0", "-O2"):
            subprocess.run(["gcc", level, "-g", "-o", f"work{level}", "work.c"], cwd=self.folder, check=True)
        plan = """
            repeats = 1
            warmup = 0
            profile = "all"
            command = "./work{level}"
            [axes]
            level = ["-O2", "-O0"]
            [metrics.cpu]
            counter = "cpu"
        """
        shown = self.sweep(plan).stdout
        wanted = r"^Caution: Point 2: \d+\.\d % of the cost is in code built without optimisation \(work-O0: GCC [0-9.]+, -O0\)"
        self.assertRegex(shown.splitlines()[0], wanted)
        self.assertEqual(shown.count("Caution:"), 1, shown)

    def test_all_or_chosen_points_or_the_timing_runs_themselves(self):
        self.sweep(self.PLAN % '"all"')
        self.assertEqual(len(self.profiles()), 4)
        shutil.rmtree(self.folder / "plan.sweep")
        self.sweep(self.PLAN % "[{ n = 1 }]")
        self.assertEqual(self.profiles(), ["point-1.html", "point-1.wick"])
        shutil.rmtree(self.folder / "plan.sweep")
        self.sweep(self.PLAN % '"all"' + "\n[profiling]\nwhile_timing = true\n")
        self.assertEqual([run["kind"] for run in self.runs()], ["timing"] * 4)
        self.assertIn("point-2-run-2.wick", self.profiles())


if __name__ == "__main__":
    skips.main(sys.argv[2:])
