# SPDX-License-Identifier: Apache-2.0
"""Runs one command, or several joined by pipes, and prints their total cost: seconds, CPU seconds, peak memory in
KiB (of a pipe: the sum of the peaks), exit status.

Why this is a separate program: on Linux a child's peak memory starts at the size its parent had when it called
exec. The harness has grown to tens of MiB by then; this interpreter, started without its library, is a third of
that, which is therefore the smallest peak that it can measure.

Usage: python3 -I -S launch.py STDIN STDOUT STDERR COMMAND... ['|' COMMAND...]
"""
import os
import sys
import time

WRITE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC


def split(words):
    commands = [[]]
    for word in words:
        if word == "|":
            commands.append([])
        else:
            commands[-1].append(word)
    return commands


def spawn(command, stdin, stdout, stderr):
    """stdin, stdout: the name of a file, or the end of a pipe, which is closed here afterwards."""
    actions = [(os.POSIX_SPAWN_OPEN, 2, stderr, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)]
    for here, end, flags in ((0, stdin, os.O_RDONLY), (1, stdout, WRITE)):
        is_file = isinstance(end, str)
        actions.append((os.POSIX_SPAWN_OPEN, here, end, flags, 0o644) if is_file else (os.POSIX_SPAWN_DUP2, end, here))
    try:
        child = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
    except OSError as error:
        sys.exit(f"{command[0]} cannot be run: {error.strerror}")
    for end in (stdin, stdout):
        if not isinstance(end, str):
            os.close(end)
    return child


def main(stdin, stdout, stderr, *words):
    open(stderr, "w").close()
    commands, children = split(words), []
    start = time.perf_counter()
    for command in commands:
        if command is commands[-1]:
            children.append(spawn(command, stdin, stdout, stderr))
        else:
            read, write = os.pipe()
            children.append(spawn(command, stdin, write, stderr))
            stdin = read
    ends = [os.wait4(child, 0) for child in children]
    elapsed = time.perf_counter() - start
    codes = [os.waitstatus_to_exitcode(status) for _, status, _ in ends]
    usages = [usage for _, _, usage in ends]
    print(elapsed, sum(u.ru_utime + u.ru_stime for u in usages), sum(u.ru_maxrss for u in usages),
          next((code for code in codes if code != 0), 0))


main(*sys.argv[1:])
