#!/usr/bin/env python3
"""Runs the commands of a page of docs/ as they are written there, so that no page can rot.

    ```sh                 run by bash in an empty directory, with wick and the workloads on the PATH
    ```sh background      started and left running until the page ends (a server)
    ```sh not-yet         not run: the first word after `wick` must be a verb that wick does not have yet
    ```                   anything else is text

The blocks of a page share one directory and run in order. Usage: run.py [--show] WICK WORKLOADS PAGE...
with --show (what `make demo-NAME` does) the commands and their output are shown.

A page on which perf was hit by another recording of this machine is run again: when somebody records build ids, the
kernel marks the mappings of perf's recording too, and perf 6.1 aborts over them.
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

ATTEMPTS = 3
PERF_WAS_HIT = "util/build-id.c"  # the source that perf names when it aborts
FENCE = re.compile(r"^```(\S*)(?: +(\S+))?\n(.*?)^```$", re.M | re.S)


def environment(wick, workloads, directory):
    path = [str(directory / "bin")] + [str(p) for p in sorted(workloads.glob("*")) if p.is_dir()]
    (directory / "bin").mkdir()
    (directory / "bin" / "wick").symlink_to(wick)
    source = pathlib.Path(__file__).resolve().parents[2]
    return os.environ | {"PATH": ":".join(path) + ":/usr/bin:" + os.environ["PATH"], "WICK_SOURCE": str(source),
                         "WORKLOADS": str(workloads)}


def check_not_yet(wick, text):
    """A block that waits for a verb must be mended when the verb arrives."""
    verbs = re.findall(r"\bwick (\w+)", text)
    missing = [v for v in verbs if subprocess.run([wick, v, "--help"], capture_output=True, check=False).returncode]
    return [] if missing else [f"this block is marked not-yet, but wick has {', '.join(verbs)} now:\n{text}"]


def run_page(page, wick, workloads, show):
    problems, running = [], []
    with tempfile.TemporaryDirectory(prefix="wick-docs-") as name:
        directory = pathlib.Path(name)
        env = environment(wick, workloads, directory)
        work = directory / "work"
        work.mkdir()
        for language, kind, text in FENCE.findall(page.read_text()):
            if language != "sh":
                continue
            if kind == "not-yet":
                problems += check_not_yet(wick, text)
                continue
            if show:
                print("".join(f"$ {line}\n" for line in text.splitlines()), end="", flush=True)
            command = ["bash", "-euo", "pipefail", "-c", text]
            if kind == "background":
                running.append(subprocess.Popen(command, cwd=work, env=env, start_new_session=True,
                                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
                continue
            done = subprocess.run(command, cwd=work, env=env, text=True, timeout=300, check=False,
                                  stdin=subprocess.DEVNULL,
                                  **({} if show else {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}))
            if done.returncode != 0:
                problems.append(f"status {done.returncode} of:\n{text}{done.stdout or ''}")
                break
        for process in running:
            try:
                os.killpg(process.pid, signal.SIGTERM)
            except ProcessLookupError:
                pass
            process.wait()
    return problems


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
    failed = False
    for page in pages:
        for problem in run_until_undisturbed(page, wick, workloads, show):
            print(f"{page.name}: {problem}", file=sys.stderr)
            failed = True
        if not failed and not show:
            print(f"{page.name}: every command works")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
