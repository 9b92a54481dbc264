# SPDX-License-Identifier: Apache-2.0
"""Tests the server and the client of memory_mock: results, refused input, and how they end.

speaker.py checks the wire format of both.
"""
import json
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import skips
from checks import WorkloadTest, perf_self_shares, perf_works, run
from speaker import ACK, BAR0, BAR1, NAK, Speaker, acknowledgement, completion, ramp

BINARIES = pathlib.Path(sys.argv.pop(1)).resolve()
SERVER = BINARIES / "memory_mock_server"
CLIENT = BINARIES / "memory_mock_client"

FIRST_REQUESTS = 1 + 6 * 4   # of an instance: the identity, then four accesses for each of six BARs
REQUEST_CRC_BYTES = 14 + 18  # one of two packets has four bytes, the request or the completion
IDLE_EXIT = ["--idle-exit-ms", "300"]


def cpu_has_carryless_multiply():
    return "pclmulqdq" in pathlib.Path("/proc/cpuinfo").read_text() or os.uname().machine == "aarch64"


CRC_NAMES = ["bitwise", "table", "slice8"] + (["hardware"] if cpu_has_carryless_multiply() else [])


class Server:
    """A running server on a free port; leaving the block stops it, and `result` has its JSON."""

    def __init__(self, *flags):
        self.directory = tempfile.TemporaryDirectory(prefix="memory-mock-")
        self.port_file = pathlib.Path(self.directory.name, "port")
        self.process = subprocess.Popen([SERVER, "--port", "0", "--port-file", self.port_file, *flags],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not self.port_file.exists():
            if self.process.poll() is not None:
                raise AssertionError(self.process.stderr.read())
            time.sleep(0.005)
        self.port = int(self.port_file.read_text())
        self.result = self.messages = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
        try:
            output, self.messages = self.process.communicate(timeout=20)
        finally:
            self.process.kill()
            self.directory.cleanup()
        if output:
            self.result = json.loads(output)

    def client(self, *flags, **more):
        return run(CLIENT, "--port", self.port, *flags, **more)

    def wait_until_idle(self):
        """For a server with IDLE_EXIT: a signal could end it before it has read the client's last acknowledgement."""
        self.process.wait(timeout=20)

    def connect(self):
        return Speaker(socket.create_connection(("127.0.0.1", self.port), timeout=10))


class Wire(WorkloadTest):
    def test_every_crc_and_every_size_is_what_zlib_says(self):
        for name in CRC_NAMES:
            with self.subTest(name), Server("--crc", name, "--log", "none") as server:
                with server.connect() as link:
                    link.place_bars()
                    for answers, size in enumerate([*range(4, 300, 4), 1020, 1024, 2044, 2048]):
                        link.ask(0x40, BAR1, size, ramp(size, size))
                        link.ask(0x00, BAR1, size)
                        self.assertEqual(link.answer(2 + answers, 3, size), ramp(size, size))
                self.assertIsNone(server.result)
            self.assertEqual(server.result["errors"], {"crc": 0, "payload": 0, "refused_requests": 0})

    def test_the_device_is_the_documented_one(self):
        with Server("--log", "none") as server, server.connect() as link:
            link.ask(0x04, 0, 4)
            self.assertEqual(link.answer(0, 3, 4), struct.pack("<HH", 1, 2))
            for answers, (bar, mask) in enumerate([(0, 0xFFFFFF80), (1, 0xFFFFF800), (5, 0)]):
                link.ask(0x44, 0x10 + 4 * bar, 4, b"\xff" * 4, tag=31)
                link.answer(1 + 2 * answers, 31, 0)
                link.ask(0x04, 0x10 + 4 * bar, 4, tag=30)
                self.assertEqual(link.answer(2 + 2 * answers, 30, 4), struct.pack("<I", mask))
            link.ask(0x44, 0x10, 4, struct.pack("<I", BAR0))
            link.answer(7, 3, 0)
            link.ask(0x00, BAR0, 128)
            self.assertEqual(link.answer(8, 3, 128), bytes(range(0x10, 0x90)))

    def test_a_wrong_crc_is_refused_and_counted(self):
        with Server("--log", "none") as server:
            with server.connect() as link:
                link.place_bars()
                link.ask(0x40, BAR1, 64, ramp(1, 64))
                link.ask(0x40, BAR1, 64, ramp(2, 64), damage=1)
                link.ask(0x40, BAR1, 64, b"\1\1" * 32)
                link.ask(0x40, BAR0, 64, ramp(3, 64))
                link.ask(0x00, BAR0, 128)
                self.assertEqual(link.answer(2, 3, 128), bytes(range(0x10, 0x90)))
        self.assertEqual(server.result["errors"], {"crc": 1, "payload": 1, "refused_requests": 1})

    def test_reads_beyond_the_memory_complete_without_data(self):
        with Server("--log", "none") as server:
            with server.connect() as link:
                link.place_bars()
                for address, length in [(BAR1 + 4, 2048), (BAR1 + 2048, 4), (BAR1, 4096), (0x99000000, 4)]:
                    link.ask(0x00, address, length)
                    self.assertEqual(link.receive(19)[3:11].hex(), "0a00000001002000")
        self.assertEqual(server.result["errors"]["refused_requests"], 4)

    def test_what_is_no_frame_ends_that_connection_only(self):
        with Server("--log", "none", "--peer-timeout-ms", "100") as server:
            with server.connect() as good:
                good.place_bars()
                for bad in [b"GET / HTTP/1.1\r\n\r\n", b"\x03\x00\x00\xff\x00\x00\x00", b"\x03\x00\x00\x40"]:
                    with server.connect() as link:
                        link.connection.sendall(bad)
                        try:
                            self.assertEqual(link.receive(1), b"")
                        except ConnectionResetError:
                            pass
                good.ask(0x00, BAR0, 4)
                self.assertEqual(good.answer(2, 3, 4), b"\x10\x11\x12\x13")
        self.assertEqual(server.result["broken_off"], 3)


class Load(WorkloadTest):
    def check_pair(self, client_flags, threads, iterations, connections=1, instances=1, server_flags=()):
        """Runs both, and compares their counts with those that the protocol gives for these flags."""
        with Server("--log", "none", *IDLE_EXIT, *server_flags) as server:
            done = server.client("--threads", threads, "--iterations", iterations, "--think-ms", 0, *client_flags)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            server.wait_until_idle()
        client, served = json.loads(done.stdout), server.result
        total = threads * iterations * instances
        self.assertEqual((client["iterations"], client["errors"]), (total, 0))
        self.assertEqual(served["errors"], {"crc": 0, "payload": 0, "refused_requests": 0})
        self.assertEqual(served["connections"], connections)
        requests = instances * FIRST_REQUESTS + (connections - instances)
        self.assertEqual(served["memory_reads"], 2 * total)
        self.assertEqual(served["memory_writes"], total + instances)
        self.assertEqual(served["config_requests"], requests)
        size = client["payload"]
        iteration = 3 * (14 + size) + 2 * 14   # 6,214 bytes at the default size
        self.assertEqual(served["crc32_bytes"],
                         total * iteration + instances * (14 + size) + requests * REQUEST_CRC_BYTES)
        self.assertEqual(client["latency_us"]["read"]["count"], 2 * total)
        self.assertLessEqual(client["latency_us"]["read"]["p50"], client["latency_us"]["read"]["max"])
        return client, served

    def test_one_thread(self):
        client, served = self.check_pair([], threads=1, iterations=20)
        self.assertEqual(client["crc32_bytes"], served["crc32_bytes"])
        self.assertEqual(client["bytes_sent"], served["received"]["bytes"])
        self.assertEqual(client["bytes_received"], served["sent"]["bytes"])

    def test_the_original_number_of_threads_on_one_connection(self):
        self.check_pair(["--crc", CRC_NAMES[-1]], threads=506, iterations=2, server_flags=["--crc", "slice8"])

    def test_a_connection_for_each_thread(self):
        self.check_pair(["--connection", "own", "--payload", 256], threads=506, iterations=1, connections=506)

    def test_several_processes(self):
        self.check_pair(["--instances", 3, "--crc", "table"], threads=4, iterations=5, connections=3, instances=3)

    def test_sizes_of_payload(self):
        for size in (4, 60, 2048):
            with self.subTest(size):
                self.check_pair(["--payload", size], threads=40, iterations=2)

    def test_a_client_finds_what_an_earlier_one_left_in_order(self):
        with Server("--log", "none") as server:
            for size in (2048, 8, 1024):
                done = server.client("--threads", 3, "--iterations", 2, "--think-ms", 1, "--payload", size)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_client_waits_for_the_server_and_the_server_leaves_with_it(self):
        with tempfile.TemporaryDirectory() as directory:
            port_file = pathlib.Path(directory, "port")
            client = subprocess.Popen([CLIENT, "--port-file", port_file, "--threads", "1", "--iterations", "1"],
                                      stdout=subprocess.PIPE)
            time.sleep(0.1)
            server = run(SERVER, "--port", 0, "--port-file", port_file, "--log", "none", "--idle-exit-ms", 50)
            self.assertEqual(json.loads(server.stdout)["connections"], 1)
            self.assertEqual(json.loads(client.communicate(timeout=10)[0])["iterations"], 1)
            self.assertFalse(port_file.exists())


class Logs(WorkloadTest):
    LINES = 13 * 4 + 5 * FIRST_REQUESTS + 3   # for 4 iterations; the first payload is the last 3

    def serve(self, *flags):
        with Server(*IDLE_EXIT, *flags) as server:
            done = server.client("--threads", 2, "--iterations", 2, "--think-ms", 0)
            self.assertEqual(done.returncode, 0, done.stderr)
            server.wait_until_idle()
        return server

    def test_a_file_gets_every_line(self):
        with tempfile.TemporaryDirectory() as directory:
            log = pathlib.Path(directory, "packets.log")
            server = self.serve("--log", "file", "--log-file", log)
            lines = log.read_text().splitlines()
        self.assertEqual((server.result["log_lines"], len(lines)), (self.LINES, self.LINES))
        self.assertTrue(lines[0].endswith("received CfgRd0, sequence 0, tag 0, 4 bytes"), lines[0])
        self.assertEqual(sum("sent CplD" in line and "2048 bytes" in line for line in lines), 8)

    def test_syslog_is_called_whoever_reads_it(self):
        server = self.serve("--log", "syslog")
        self.assertEqual(server.result["log_lines"], self.LINES)
        self.assertEqual("no daemon reads syslog" in server.messages, server.result["syslog_read_by"] == "none")

    @unittest.skipIf(os.geteuid() != 0 or os.path.lexists("/dev/log"), "needs root and no syslog daemon")
    def test_the_reader_of_syslog_gets_every_line(self):
        server = self.serve("--log", "syslog", "--syslog-reader")
        self.assertEqual(server.result["syslog_read_by"], "own reader")
        self.assertEqual(server.result["syslog_lines_read"], self.LINES)
        self.assertFalse(os.path.lexists("/dev/log"))


class Ends(WorkloadTest):
    """After any error neither program hangs, and one sentence says why."""

    def start_client(self, server, *flags):
        return subprocess.Popen([str(word) for word in (CLIENT, "--port", server.port, *flags)],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def wait_for_threads(self, client, count):
        """Waits until the client and its instances have that many threads, and so are connected."""
        def threads():
            tasks = pathlib.Path(f"/proc/{client.pid}/task")
            children = (tasks / str(client.pid) / "children").read_text().split()
            return sum(len(os.listdir(f"/proc/{pid}/task")) for pid in [client.pid, *children])
        deadline = time.monotonic() + 10
        while threads() < count and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.1)

    def assert_ends(self, client, says):
        output, message = client.communicate(timeout=10)
        self.assertEqual((client.returncode, output), (1, ""), message)
        self.assertRegex(message, r"\Amemory_mock_client: [^\n]+\.\n\Z")
        self.assertIn(says, message)

    def test_the_server_dies(self):
        for flags in (["--think-ms", 60_000], ["--think-ms", 0], ["--think-ms", 0, "--connection", "own"],
                      ["--think-ms", 0, "--instances", 3]):
            with self.subTest(flags), Server("--log", "none") as server:
                client = self.start_client(server, "--threads", 50, "--iterations", 1_000_000, *flags)
                self.wait_for_threads(client, 150 if "--instances" in flags else 50)
                server.process.kill()
                self.assert_ends(client, "The server closed the connection")

    def test_the_server_falls_silent(self):
        with Server("--log", "none") as server:
            client = self.start_client(server, "--threads", 5, "--iterations", 1_000_000, "--think-ms", 0,
                                       "--reply-timeout-ms", 200)
            self.wait_for_threads(client, 5)
            server.process.send_signal(signal.SIGSTOP)
            self.assert_ends(client, "has not answered in time")
            server.process.send_signal(signal.SIGCONT)

    def test_an_instance_is_killed(self):
        with Server("--log", "none") as server:
            client = self.start_client(server, "--threads", 2, "--iterations", 1_000_000, "--instances", 3)
            self.wait_for_threads(client, 6)
            children = pathlib.Path(f"/proc/{client.pid}/task/{client.pid}/children").read_text().split()
            self.assertEqual(len(children), 3)
            os.kill(int(children[1]), signal.SIGKILL)
            self.assert_ends(client, "ended by signal 9")

    def test_the_server_lies(self):
        """A wrong CRC, an unexpected answer, a refusal, invalid frames."""
        answers = {"wrong CRC": completion(0, 0, b"\1\0\2\0", damage=1), "never sent": completion(0, 7, b"\1\0\2\0"),
                   "refused a packet": acknowledgement(NAK, 0), "not a frame": b"HTTP/1.1 400",
                   "not the one": completion(0, 0, b"\1\0\3\0"), "only in part": completion(0, 0, bytes(8))}
        for says, answer in answers.items():
            with self.subTest(says), socket.create_server(("127.0.0.1", 0)) as listener:
                client = subprocess.Popen([CLIENT, "--port", str(listener.getsockname()[1])], text=True,
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                connection, _ = listener.accept()
                with connection:
                    connection.recv(100)
                    connection.sendall(answer)
                    self.assert_ends(client, says)

    def test_signals_end_the_server_in_order(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with Server("--log", "none") as server:
                with server.connect():
                    server.process.send_signal(number)
                    server.process.wait(timeout=10)
            self.assertEqual((server.process.returncode, server.result["crc"]), (0, "bitwise"))


class Refusals(WorkloadTest):
    def test_help(self):
        self.assert_explained(SERVER)
        self.assert_explained(CLIENT)

    def test_a_port_in_use(self):
        with Server("--log", "none") as server:
            self.assert_refused(SERVER, "--port", server.port, status=1, says="Another program listens on port")

    def test_no_server(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            port = unused.getsockname()[1]
            self.assert_refused(CLIENT, "--port", port, "--connect-timeout-ms", 50, status=1, says="No server listens")
        self.assert_refused(CLIENT, "--port-file", "/nowhere/port", "--connect-timeout-ms", 50, status=1,
                            says="there is no port in")

    def test_impossible_flags(self):
        for flags, says in [(["--threads", 0], "from 1 to 10000"), (["--payload", 4096], "from 4 to 2048"),
                            (["--payload", 2], "from 4"), (["--payload", 30], "multiple of 4"),
                            (["--iterations", "many"], "whole number"), (["--crc", "md5"], "bitwise|table|slice8"),
                            (["--threads", 506, "--instances", 2, "--connection", "own"], "1012 connections"),
                            (["--threads", 1001, "--connection", "own"], "select()")]:
            self.assert_refused(CLIENT, *flags, says=says)
        for flags, says in [(["--port", 70000], "from 0 to 65535"), (["--log", "paper"], "syslog|file|none"),
                            (["--crc", "sse4"], "bitwise"), (["here"], "is not a flag"),
                            (["--log", "none", "--syslog-reader"], "--log syslog")]:
            self.assert_refused(SERVER, *flags, says=says)

    def test_impossible_files_and_addresses(self):
        for flags, says in [(["--log", "file", "--log-file", "/nowhere/log"], "Cannot write the log file"),
                            (["--log", "none", "--port", 0, "--port-file", "/nowhere/port"], "write the port file"),
                            (["--log", "none", "--host", "no such host"], "is not an address"),
                            (["--log", "none", "--host", "192.0.2.1"], "Cannot listen")]:
            self.assert_refused(SERVER, *flags, status=1, says=says)

    @unittest.skipUnless(shutil.which("qemu-x86_64") and os.uname().machine == "x86_64", "needs an emulated old CPU")
    def test_hardware_that_is_not_there(self):
        for program in (SERVER, CLIENT):
            self.assert_refused("qemu-x86_64", "-cpu", "core2duo", program, "--crc", "hardware", status=1,
                                says="use --crc slice8")


@unittest.skipUnless(perf_works(), "perf cannot record all CPUs here")
class Profile(WorkloadTest):
    """The promises of README.md, as far as a second of samples can show them."""

    def server_functions(self, *flags):
        """Self share in percent, by function, of the server alone."""
        with tempfile.TemporaryDirectory() as directory:
            data, port_file = f"{directory}/perf.data", f"{directory}/port"
            recorder = subprocess.Popen(["perf", "record", "-q", "-a", "-F", "999", "-e", "cpu-clock", "-o", data, "--",
                                         SERVER, "--port", "0", "--port-file", port_file, "--log", "none",
                                         "--idle-exit-ms", "50", *flags],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            run(CLIENT, "--port-file", port_file, "--threads", 20, "--iterations", 100, "--think-ms", 0,
                "--crc", "slice8")
            recorder.wait(timeout=30)
            shares = perf_self_shares(data, SERVER)
        return {name.split("::")[-1]: share for name, share in shares.items()}

    def test_the_checksum_leads_only_when_it_is_slow(self):
        slow, fast = self.server_functions("--crc", "bitwise"), self.server_functions("--crc", "slice8")
        self.assertEqual(max(slow, key=slow.get), "crc32_bitwise")
        self.assertGreater(slow["crc32_bitwise"], 45)
        self.assertLess(fast.get("crc32_slice8", 0), 25)


if __name__ == "__main__":
    skips.main()
