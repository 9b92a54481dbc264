#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The four programs of the buffer pool: exact counts, the self-check, bad flags, and the profile.

Usage: test_buffer_pool.py DIRECTORY-OF-THE-PROGRAMS
"""
import json
import os
import pathlib
import resource
import shutil
import sys
import tempfile
import unittest

import skips
from checks import WorkloadTest, libc_has_debug_symbols, perf_self_shares, result_of, run

PROGRAMS = ["ml_checkpoint_loader", "network_server", "file_pipeline", "stress_test"]
MEBI = 1 << 20
FRAMES = """pool_get pool_put zero_on_get zero_on_put allocate_entry free_entry audit_begin audit_end
    v1::tls_pop v1::tls_push v1::shard_pop v1::shard_push v1::shard_lock v1::shard_lock_wait v1::first_fit
    v1::evict_and_insert v2::tls_pop v2::tls_push v2::batch_refill v2::batch_spill v2::batch_flush v2::queue_pop
    v2::queue_push""".split()
directory = pathlib.Path()


def program(name):
    return directory / name


def may_lock_much_memory():
    limit = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]
    return os.geteuid() == 0 or limit == resource.RLIM_INFINITY or limit >= 64 * MEBI


def chaos_gets(threads, iterations):
    """The gets of the chaos phase, from its random numbers."""
    gets = 0
    for thread in range(threads):
        random = thread
        for _ in range(iterations):
            random = (random * 1103515245 + 12345) % 2**32
            gets += 6 if random % 10 == 0 else 1
    return gets


class Counts(WorkloadTest):
    def assert_good(self, result):
        self.assertTrue(result["checks"]["passed"], result)
        self.assertTrue(result["checks"]["counts_conserved"], result)
        self.assertEqual(result["gets"], result["puts"])
        self.assertEqual(result["gets"], result["operations"])
        self.assertEqual(result["allocated"], result["freed"])

    def test_every_program_engine_and_zeroing(self):
        for name in PROGRAMS:
            for engine in ["v1", "v2"]:
                for zero in ["get", "put", "get,put", "none"]:
                    with self.subTest(name=name, engine=engine, zero=zero):
                        result = result_of(program(name), "--engine", engine, "--zero", zero, "--operations", 2000,
                                           "--check-every", 5)
                        self.assert_good(result)
                        self.assertGreaterEqual(result["operations"], 2000)
                        self.assertLess(result["operations"], 2000 + 12 * 5 * 5)
                        self.assertEqual(result["zeroed_on_get_bytes"] > 0, "get" in zero)
                        self.assertEqual(result["zeroed_on_put_bytes"] > 0, "put" in zero)
                        self.assertEqual(result["checks"]["not_zeroed"] > 0, zero == "none")

    def test_the_engines_clear_what_they_are_documented_to(self):
        self.assertEqual(result_of(program("file_pipeline"), "--operations", 10)["zero"], "get,put")
        self.assertEqual(result_of(program("file_pipeline"), "--operations", 10, "--engine", "v2")["zero"], "none")

    def test_an_epoch_of_the_loader(self):
        result = result_of(program("ml_checkpoint_loader"), "--passes", 1, "--epochs", 1)
        self.assert_good(result)
        self.assertEqual(result["operations"], 2 + 48 * 18 + 2)
        layer = 10 * 4096 + (4 * 64 + 2 * 256 + 2) * MEBI
        self.assertEqual(result["zeroed_on_put_bytes"], (48 * layer + (128 + 64 + 1 + 128) * MEBI) // 64)

    def test_a_run_of_the_pipeline(self):
        result = result_of(program("file_pipeline"), "--passes", 2, "--runs", 1, "--files", 10, "--chunks", 3)
        self.assert_good(result)
        self.assertEqual(result["operations"], 2 * 10 * 3 * 2)
        self.assertEqual(result["zeroed_on_put_bytes"], 2 * 2 * 3 * 2 * (4 + 16 + 64 + 256 + 1024) * 1024)

    def test_a_round_of_the_server(self):
        result = result_of(program("network_server"), "--passes", 1, "--connections", 3, "--requests", 7)
        self.assert_good(result)
        self.assertEqual(result["operations"], 8 * 3 * 7 * 2)
        sizes = result_of(program("network_server"), "--passes=1", "--connections=3", "--requests=7", "--sizes=128")
        self.assertEqual(sizes["zeroed_on_put_bytes"], sizes["operations"] * 128)

    def test_a_round_of_each_phase(self):
        result = result_of(program("stress_test"), "--passes", 1, "--bursts", 2, "--iterations", 100,
                           "--eviction-rounds", 6, "--zero", "none")
        self.assert_good(result)
        expected = {"burst": 12 * 2 * 200, "thrash": 12 * 100 * 4, "mixed": 12 * 100,
                    "eviction": 12 * (6 * 100 + 2 * 10), "chaos": chaos_gets(12, 100)}
        self.assertEqual({p["name"]: p["operations"] for p in result["phases"]}, expected)
        self.assertGreater(result["evictions"], 0)
        one = result_of(program("stress_test"), "--passes", 1, "--phase", "thrash", "--iterations", 10)
        self.assertEqual(one["operations"], 12 * 10 * 4)

    def test_the_numbers_of_the_phases_are_flags(self):
        run = lambda phase, *flags: result_of(program("stress_test"), "--passes=1", "--threads=2", "--zero=none",
                                              f"--phase={phase}", "--iterations=10", *flags)
        self.assertEqual(run("thrash", "--thrash-even=3x4K", "--thrash-odd=64K,4K")["operations"], 10 * (3 + 2))
        rare = run("eviction", "--eviction-rounds=6", "--huge-every=3", "--huge-gets=7")
        self.assertEqual(rare["operations"], 2 * (6 * 100 + 2 * 7))
        self.assertEqual(run("chaos", "--hold-every=1", "--hold-gets=2")["operations"], 2 * 10 * 3)
        large = run("chaos", "--chaos-small=0", "--chaos-medium=0", "--chaos-large=1", "--chaos-huge=0", "--hold-gets=0",
                    "--large=64K", "--zero=put")
        self.assertEqual(large["zeroed_on_put_bytes"], large["operations"] * (64 << 10))

    def test_single_threaded_runs_repeat_exactly(self):
        times = ["seconds", "ns_per_operation", "cpu_ns_per_operation"]
        for engine in ["v1", "v2"]:
            first, second = [result_of(program("file_pipeline"), "--operations", 3000, "--engine", engine)
                             for _ in range(2)]
            for name in times:
                first.pop(name), second.pop(name)
            self.assertEqual(first, second)

    def test_time_ends_a_run(self):
        for name in PROGRAMS:
            result = result_of(program(name), "--seconds", 0.2, "--zero", "none", timeout=20)
            self.assert_good(result)
            self.assertGreaterEqual(result["seconds"], 0.19)
            self.assertRegex(run(program(name), "--help").stdout, r"--seconds X +how long to run \(10\)")


class Engines(WorkloadTest):
    def test_v1_contention_is_counted(self):
        result = result_of(program("stress_test"), "--phase", "mixed", "--shards", 1, "--tls", 0, "--zero", "none",
                           "--seconds", 0.5)
        self.assertEqual(result["thread_cache_hits"], 0)
        self.assertGreaterEqual(result["shard_locks"], result["gets"])
        self.assertGreater(result["shard_lock_waits"], 0)
        self.assertGreater(result["shard_lock_wait_ns"], 0)

    def test_v2_has_no_locks_and_moves_batches(self):
        result = result_of(program("stress_test"), "--phase", "burst", "--engine", "v2", "--operations", 50_000,
                           "--pause-ms", 0)
        self.assertEqual(result["shard_locks"], 0)
        self.assertEqual(result["entries_scanned"], 0)
        self.assertGreater(result["batches"], 0)

    def test_the_smallest_limits(self):
        for flags in [["--shards=1", "--max-per-shard=0"], ["--engine=v2", "--queue=2", "--tls=0"],
                      ["--engine=v2", "--queue=2", "--tls=1", "--batch=64"], ["--shards=-1", "--tls=-1"],
                      ["--policy=lifo", "--max-per-shard=1"]]:
            with self.subTest(flags=flags):
                self.assert_small_run_passes(*flags)

    @unittest.skipUnless(may_lock_much_memory(), "the limit of locked memory (ulimit -l) is below 64 MiB")
    def test_pinned_buffers(self):
        self.assert_small_run_passes("--pinned")

    def assert_small_run_passes(self, *flags):
        result = result_of(program("stress_test"), "--operations", 3000, "--zero", "put", "--scale", 4,
                           "--check-every", 1, *flags)
        self.assertTrue(result["checks"]["passed"])

    def test_rules_of_the_pool(self):
        result = result_of(program("pool_check"))
        self.assertEqual(result["failed"], [])
        self.assertGreater(result["expectations"], 50)

    def test_queue_under_threads(self):
        for capacity, batch, threads in [(2, 1, 4), (2, 3, 2), (8, 5, 3), (64, 16, 6), (1024, 1, 2)]:
            with self.subTest(capacity=capacity, batch=batch, threads=threads):
                result = result_of(program("queue_check"), "--capacity", capacity, "--batch", batch, "--values", 20_000,
                                   "--producers", threads, "--consumers", threads)
                self.assertEqual(result["popped"], 20_000 * threads)


class Refusals(WorkloadTest):
    def test_help(self):
        for name in PROGRAMS + ["pool_check", "queue_check"]:
            self.assert_explained(program(name))

    def test_flags_that_cannot_be_meant(self):
        for name in PROGRAMS:
            for flags in [["--threads=0"], ["--threads=1000000"], ["--engine=v3"], ["--zero=always"], ["--zero="],
                          ["--shards=3"], ["--shards=0"], ["--tls=65"], ["--queue=3"], ["--queue=1"], ["--batch=0"],
                          ["--preallocate=8x"], ["--preallocate=4G"], ["--seconds=0"], ["--seconds=soon"],
                          ["--operations=-1"], ["--scale=0"], ["--nothing"], ["word"], ["--seconds"]]:
                with self.subTest(name=name, flags=flags):
                    self.assert_refused(program(name), *flags)
        self.assert_refused(program("ml_checkpoint_loader"), "--scale=1000", says="smaller than 16 bytes")
        self.assert_refused(program("network_server"), "--sizes=", says="--sizes")
        self.assert_refused(program("file_pipeline"), "--types=1M,", says="--types")
        self.assert_refused(program("stress_test"), "--phase=calm", says="calm")
        self.assert_refused(program("stress_test"), "--eviction-gets=10", "--eviction-keeps=20", says="--eviction-keeps")
        self.assert_refused(program("stress_test"), "--chaos-small=0", "--chaos-medium=0", "--chaos-large=0",
                            "--chaos-huge=0", says="--chaos-small")
        self.assert_refused(program("queue_check"), "--capacity=3", says="power of two")

    def test_a_failed_check_is_status_1_with_the_result(self):
        done = run(program("file_pipeline"), "--zero=none", "--demand-zeroed", "--operations=100")
        self.assertEqual(done.returncode, 1)
        self.assertFalse(json.loads(done.stdout)["checks"]["passed"])
        self.assertRegex(done.stderr, r"^file_pipeline: The self-check failed; .+\.\n$")

    def test_no_memory(self):
        def little():
            resource.setrlimit(resource.RLIMIT_AS, (200 * MEBI, 200 * MEBI))
        for flags in [["--preallocate=1x512M"], ["--types=512M", "--preallocate=4K"], ["--threads=200"]]:
            done = run(program("file_pipeline"), "--operations=1000", *flags, preexec_fn=little)
            self.assertEqual(done.returncode, 1, done)
            self.assertRegex(done.stderr, r"^[\w]+: .+\.\n$")

    @unittest.skipUnless(os.geteuid() == 0, "only root can give up the right to lock memory")
    def test_no_right_to_lock_memory(self):
        def ordinary():
            resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))
            os.setuid(65534)
        with tempfile.TemporaryDirectory() as place:
            os.chmod(place, 0o755)
            copy = shutil.copy(program("file_pipeline"), place)
            done = run(copy, "--pinned", "--operations=10", preexec_fn=ordinary)
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stderr, r"^file_pipeline: A buffer cannot be locked in memory; .+\.\n$")


class Profiles(WorkloadTest):
    def test_the_frames_have_names_of_their_own(self):
        names = run("nm", "-C", program("stress_test")).stdout
        for frame in FRAMES:
            self.assertRegex(names, rf" [tT] buffer_pool::{frame}\(", frame)

    def shares(self, *command):
        """Percent of the program's samples in each function, from perf.

        The command ends after --operations: that takes the same CPU time, so it gives as many samples, under any load.
        """
        with tempfile.TemporaryDirectory() as place:
            data = pathlib.Path(place) / "x.data"
            done = run("perf", "record", "-a", "-F", 999, "-e", "cpu-clock", "-o", data, "--", *command)
            if done.returncode != 0:
                self.skipTest(f"perf cannot record here: {done.stderr.strip()}")
            return perf_self_shares(data, command[0])

    @unittest.skipUnless(shutil.which("perf"), "perf is not installed (package linux-perf)")
    @unittest.skipUnless(libc_has_debug_symbols(), "libc's symbols are not installed (package libc6-dbg)")
    def test_memset_hides_the_pool_until_it_is_off(self):
        def memset(shares):
            return sum(share for name, share in shares.items() if "memset" in name)
        cleared = self.shares(program("file_pipeline"), "--operations", 60_000)
        self.assertGreater(memset(cleared), 85, cleared)
        alone = self.shares(program("file_pipeline"), "--operations", 20_000_000, "--zero", "none")
        self.assertLess(memset(alone), 3, alone)
        self.assertGreater(sum(share for name, share in alone.items() if "buffer_pool::" in name), 50, alone)

    @unittest.skipUnless(shutil.which("perf"), "perf is not installed (package linux-perf)")
    def test_eviction_is_hot_in_v1_only(self):
        flags = ["--phase", "burst", "--pause-ms", 0, "--burst-gets", 1000, "--max-per-shard", 512, "--zero", "none",
                 "--operations", 1_000_000]
        v1 = self.shares(program("stress_test"), *flags)
        own = {name: share for name, share in v1.items() if name.startswith(("buffer_pool::", "(anonymous"))}
        self.assertEqual(max(own, key=own.get), "buffer_pool::v1::evict_and_insert", own)
        self.assertGreater(own["buffer_pool::v1::evict_and_insert"], 15, v1)
        v2 = self.shares(program("stress_test"), "--engine", "v2", *flags)
        self.assertTrue([name for name in v2 if "::v2::" in name], v2)
        self.assertFalse([name for name in v2 if "::v1::" in name], v2)


if __name__ == "__main__":
    directory = pathlib.Path(sys.argv.pop(1))
    skips.main()
