#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a page of docs/ as written, so that the page cannot become outdated.

    ```sh                 run by bash in an empty directory, with wick and the workloads on the PATH
    ```sh background      runs until the page ends (a server); must not end before
    ```sh not-yet         not run: the first word after `wick` must be a verb that wick does not have yet
    ```                   any other block is text

The blocks of a page share one directory and run in order. Usage: run.py [--show] WICK WORKLOADS PAGE...
With --show (as in `make demo-NAME`) the commands and their output are shown.

A page that records is skipped if the machine does not allow one event for each CPU: its commands would then see less
than its text says. (Not with --show.)

A page is run again if another recording on this machine made perf fail: when another process records build ids, the
kernel marks the mappings of perf's recording, too, and perf 6.1 aborts because of them. (Not with --show: then the
output of the commands is not read.)
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import skips  # noqa: E402

ATTEMPTS = 3
TIMEOUT_S = 300
BASH = ["bash", "-euo", "pipefail", "-c"]
PERF_WAS_HIT = "util/build-id.c"  # the source file that perf prints when it aborts
RECORDS = re.compile(r"^ *(wick|perf) (record|run|stat|sweep)\b", re.M)
FENCE = re.compile(r"^```(\S*)(?: +(\S+))?\n(.*?)^```$", re.M | re.S)


def environment(wick, workloads, directory):
    path = [str(directory / "bin")] + [str(p) for p in sorted(workloads.glob("*")) if p.is_dir()]
    (directory / "bin").mkdir()
    (directory / "bin" / "wick").symlink_to(wick)
    source = pathlib.Path(__file__).resolve().parents[2]
    return os.environ | {"PATH": ":".join(path) + ":/usr/bin:" + os.environ["PATH"], "WICK_SOURCE": str(source),
                         "WORKLOADS": str(workloads)}


def check_not_yet(wick, text):
    """A block that waits for a verb must be changed when the verb exists."""
    verbs = re.findall(r"\bwick (\w+)", text)
    missing = [v for v in verbs if subprocess.run([wick, v, "--help"], capture_output=True, check=False).returncode]
    return [] if missing else [f"this block is marked not-yet, but wick has {', '.join(verbs)} now:\n{text}"]


class Background:
    """A server of the page. It must still run when the page ends, and is then stopped."""

    def __init__(self, text, work, env):
        self.text, self.output = text, tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(BASH + [text], cwd=work, env=env, start_new_session=True,
                                        stdout=self.output, stderr=subprocess.STDOUT)

    def stop(self):
        """Stops it, and returns its problems as a list."""
        status = self.process.poll()
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.output.seek(0)
        return [] if status is None else [f"ended by itself with status {status}:\n{self.text}{self.output.read()}"]


def run_command(text, work, env, show):
    output = {} if show else {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    try:
        done = subprocess.run(BASH + [text], cwd=work, env=env, text=True, timeout=TIMEOUT_S, check=False,
                              stdin=subprocess.DEVNULL, **output)
    except subprocess.TimeoutExpired:
        return [f"not done after {TIMEOUT_S} s:\n{text}"]
    return [f"status {done.returncode} of:\n{text}{done.stdout or ''}"] if done.returncode else []


def run_blocks(blocks, wick, work, env, show):
    """Up to the first block that fails."""
    problems, running = [], []
    for kind, text in blocks:
        if kind == "not-yet":
            problems += check_not_yet(wick, text)
            continue
        if show:
            print("".join(f"$ {line}\n" for line in text.splitlines()), end="", flush=True)
        if kind == "background":
            running.append(Background(text, work, env))
        elif failure := run_command(text, work, env, show):
            problems += failure
            break
    return problems + [problem for server in running for problem in server.stop()]


def run_page(page, wick, workloads, show):
    blocks = [(kind, text) for language, kind, text in FENCE.findall(page.read_text()) if language == "sh"]
    if not blocks:
        return ["it has no command: no block begins with ```sh"]
    with tempfile.TemporaryDirectory(prefix="wick-docs-") as name:
        directory = pathlib.Path(name)
        env = environment(wick, workloads, directory)
        work = directory / "work"
        work.mkdir()
        return run_blocks(blocks, wick, work, env, show)


def run_until_undisturbed(page, wick, workloads, show):
    for attempt in range(ATTEMPTS):
        time.sleep(5 * attempt)
        problems = run_page(page, wick, workloads, show)
        if not any(PERF_WAS_HIT in problem for problem in problems):
            break
    return problems


def main(arguments):
    show = "--show" in arguments
    paths = [pathlib.Path(a).resolve() for a in arguments if a != "--show"]
    if len(paths) < 3:
        print("usage: run.py [--show] WICK WORKLOADS PAGE...", file=sys.stderr)
        return 2
    wick, workloads, *pages = paths
    if absent := [path for path in paths if not path.exists()]:
        print(f"There is no {absent[0]}; the pages are docs/server.md, kernel, library, async and python, and `make "
              "workloads` builds the programs.", file=sys.stderr)
        return 2
    failed, all_cpus = False, show or skips.may_record_all_cpus(wick)
    for page in pages:
        if not all_cpus and RECORDS.search(page.read_text()):
            skips.report(page.name, skips.ONLY_OWN_THREADS)
            continue
        problems = run_until_undisturbed(page, wick, workloads, show)
        if "    export WICK_SOURCE=$PWD PATH=" not in page.read_text():
            problems.append("it does not say how its commands find wick and what comes with it (export WICK_SOURCE)")
        for problem in problems:
            print(f"{page.name}: {problem}", file=sys.stderr)
        if not problems and not show:
            print(f"{page.name}: every command works")
        failed = failed or bool(problems)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
