"""Runs one command and prints its costs: seconds, CPU seconds, peak memory in KiB, exit status.

Why a program of its own: on Linux a child's peak memory starts at the size its parent had when it called
exec. The harness has grown to tens of MiB by then; this interpreter, started without its library, is a third
of that, and so is the smallest peak that can be seen.

Usage: python3 -I -S launch.py STDOUT STDERR COMMAND...
"""
import os
import sys
import time

stdout, stderr, *command = sys.argv[1:]
write = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
redirections = [(os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, stdout, write, 0o644),
                (os.POSIX_SPAWN_OPEN, 2, stderr, write, 0o644)]
start = time.perf_counter()
try:
    child = os.posix_spawnp(command[0], command, os.environ, file_actions=redirections)
except OSError as error:
    sys.exit(f"{command[0]} cannot be run: {error.strerror}")
_, status, usage = os.wait4(child, 0)
elapsed = time.perf_counter() - start
print(elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, os.waitstatus_to_exitcode(status))
