#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the whole program as a user would, from text files.

    NAME a sentence                what the case tests
    FILE name                      a file to create first: the lines up to END (\\xNN, \\t and \\0 are bytes)
    RUN command                    run by sh in an empty directory, with wick on the PATH
    EXIT 2                         expected status, 0 when left out
    OUT                            the exact standard output: the lines up to END
    OUT~ regex                     must match somewhere in standard output
    OUT!~ regex                    must not match
    ERR~ regex                     must match somewhere on stderr
    ERR!~ regex                    must not match
    NEEDS corpus                   skipped, with a message, if the corpus is absent
    NEEDS $NAME                    skipped, with a message, if that variable does not name a file

A line "---" ends a case. Usage: run.py WICK FILE...
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import skips  # noqa: E402


NO_CORPUS = "the corpus is not available; set WICK_CORPUS to its directory"


class Case:
    def __init__(self):
        self.name, self.run, self.exit, self.out = "", "", 0, None
        self.files, self.checks, self.needs = [], [], []


def unescape(line):
    replace = {r"\t": b"\t", r"\0": b"\0", r"\r": b"\r"}
    pieces = re.split(r"(\\x[0-9a-f]{2}|\\t|\\0|\\r)", line)
    return b"".join(bytes([int(p[2:], 16)]) if p.startswith("\\x") else replace.get(p, p.encode()) for p in pieces)


def parse(path):
    lines = path.read_text().splitlines()
    cases, case, at = [], Case(), 0

    def block():
        nonlocal at
        start = at + 1
        at = lines.index("END", start)
        return lines[start:at]

    while at < len(lines):
        line = lines[at]
        word, _, rest = line.partition(" ")
        if line == "---":
            cases.append(case)
            case = Case()
        elif word == "NAME":
            case.name = rest
        elif word == "RUN":
            case.run = rest
        elif word == "EXIT":
            case.exit = int(rest)
        elif word == "NEEDS":
            case.needs.append(rest)
        elif word == "FILE":
            case.files.append((rest, b"".join(unescape(l) + b"\n" for l in block())))
        elif word == "OUT":
            case.out = "".join(l + "\n" for l in block())
        elif word in ("OUT~", "OUT!~", "ERR~", "ERR!~"):
            case.checks.append((word, rest))
        elif line.strip() and not line.startswith("#"):
            sys.exit(f"{path}:{at + 1}: unknown directive {word}")
        at += 1
    if case.run:
        cases.append(case)
    return cases


def problems(case, env):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in case.files:
            (pathlib.Path(folder) / name).write_bytes(text)
        done = subprocess.run(case.run, shell=True, cwd=folder, env=env, capture_output=True, timeout=120,
                              stdin=subprocess.DEVNULL)
    out, err = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
    if done.returncode != case.exit:
        yield f"status {done.returncode}, expected {case.exit}; stderr: {err.strip()[:500]}"
    if case.out is not None and out != case.out:
        yield f"standard output is\n{out}\nexpected\n{case.out}"
    for kind, pattern in case.checks:
        text = out if kind.startswith("OUT") else err
        found = re.search(pattern, text, re.MULTILINE) is not None
        if found == kind.endswith("!~"):
            yield f"{kind} {pattern}\n  in: {text.strip()[:1500]}"
    if re.search("Sanitizer|wick: internal error", err):
        yield f"a crash: {err[:2000]}"


def missing(need, env):
    """Why a case cannot run on this machine, or None."""
    variable = "CORPUS" if need == "corpus" else need.removeprefix("$")
    path = env.get(variable, "")
    return None if path and pathlib.Path(path).exists() else NO_CORPUS if need == "corpus" else f"{need} is not a file"


def main(wick, files):
    beside = pathlib.Path(__file__).resolve().parents[2] / "../shared/corpus"
    corpus = os.environ.get("WICK_CORPUS", str(beside))
    env = {**os.environ, "HERE": str(pathlib.Path(__file__).resolve().parent), "PATH": f"{pathlib.Path(wick).resolve().parent}:{os.environ['PATH']}", "CORPUS": corpus}
    env.pop("NO_COLOR", None)
    passed = failed = skipped = 0
    for file in map(pathlib.Path, files):
        for case in parse(file):
            reason = next(filter(None, (missing(need, env) for need in case.needs)), None)
            if reason:
                skipped += 1
                skips.report(f"{file.name}: {case.name}", reason)
                continue
            found = list(problems(case, env))
            passed, failed = passed + (not found), failed + bool(found)
            for problem in found:
                print(f"FAILED {file.name}: {case.name}\n  $ {case.run}\n  {problem}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return 1 if failed or passed == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
