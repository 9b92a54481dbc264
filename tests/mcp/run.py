#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`wick mcp` as its clients use it: over pipes, with good and with hostile clients, and as docs/mcp.md says.

    tests/mcp/run.py WICK
"""
import json
import os
import pathlib
import re
import selectors
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(SOURCE / "tests" / "support"))
import skips  # noqa: E402

WICK = str(pathlib.Path(sys.argv[1]).resolve())
PAGE = (SOURCE / "docs" / "mcp.md").read_text()
PROFILE = "main;parse;read 10\nmain;work;hash 60\nmain;work 20\nidle 10\n"
TIMEOUT_S = 60


class Client:
    """A client that waits for each answer."""

    def __init__(self, folder, *words, **more):
        self.process = subprocess.Popen([WICK, "mcp", *words], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, bufsize=0, **more)
        self.rest, self.id = b"", 0

    def send(self, line):
        self.process.stdin.write(line if isinstance(line, bytes) else line.encode() + b"\n")

    def receive(self):
        deadline = time.monotonic() + TIMEOUT_S
        with selectors.DefaultSelector() as waiting:
            waiting.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.rest:
                if not waiting.select(deadline - time.monotonic()):
                    raise TimeoutError(f"no answer; so far {self.rest[:200]}")
                block = os.read(self.process.stdout.fileno(), 1 << 16)
                if not block:
                    raise EOFError(self.process.stderr.read().decode())
                self.rest += block
        line, _, self.rest = self.rest.partition(b"\n")
        return json.loads(line)

    def request(self, method, **params):
        self.id += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.id, "method": method, "params": params}))
        answer = self.receive()
        assert answer["id"] == self.id, answer
        return answer

    def call(self, tool, **arguments):
        """The object of an answer, or the sentence of an error."""
        result = self.request("tools/call", name=tool, arguments=arguments)["result"]
        text = result["content"][0]["text"]
        if result["isError"]:
            return text
        assert json.loads(text) == result["structuredContent"]
        return result["structuredContent"]

    def end(self):
        """The status and the text on stderr after the client has gone."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        self.process.stdout.close()
        self.process.wait(timeout=TIMEOUT_S)
        with self.process.stderr as errors:
            return self.process.returncode, errors.read().decode()


class McpTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="wick-mcp-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name).resolve()
        (self.folder / "in").mkdir()
        (self.folder / "in" / "a.folded").write_text(PROFILE)
        (self.folder / "secret.folded").write_text("main;secret 1\n")

    def client(self, *words, **more):
        client = Client(self.folder, *(words or ("in",)), **more)
        self.addCleanup(self.check_end, client)
        return client

    def check_end(self, client):
        if not client.process.stdin.closed:
            status, errors = client.end()
            self.assertIn(status, (0, 1), errors)
            self.assertNotRegex(errors, "Sanitizer|internal error")

    def test_a_whole_dialogue(self):
        client = self.client()
        first = client.request("initialize", protocolVersion="2025-06-18", capabilities={},
                               clientInfo={"name": "test", "version": "1"})["result"]
        self.assertEqual(first["protocolVersion"], "2025-06-18")
        client.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        tools = {tool["name"]: tool for tool in client.request("tools/list")["result"]["tools"]}
        self.assertIn("hot", tools)
        self.assertLess(len(json.dumps(list(tools.values()))), 2_600 * len(tools), "each client pays for the descriptions")
        self.assertEqual(client.call("profiles")["sections"]["profiles"]["rows"][0]["name"], "in/a.folded")
        hot = client.call("hot")
        self.assertEqual(hot["profile"], ["in/a.folded"])
        following = hot["next"][0]
        self.assertEqual((following["tool"], following["arguments"]["function"]), ("sandwich", "hash"))
        self.assertEqual(client.call(following["tool"], **following["arguments"])["verb"], "sandwich")
        self.assertEqual(client.end(), (0, ""))

    # ---- Confinement --------------------------------------------------------------------------------

    def test_other_files_are_refused(self):
        (self.folder / "in" / "link.folded").symlink_to(self.folder / "secret.folded")
        client = self.client()
        for path in ("secret.folded", "../secret.folded", "in/../secret.folded", "link.folded",
                     str(self.folder / "secret.folded"), "/etc/passwd", "/proc/self/fd/0", "-", "", "in"):
            answer = client.call("report", profile=path)
            self.assertIsInstance(answer, str, path)
            self.assertNotIn("100 samples", answer)
        self.assertIn("hash", json.dumps(client.call("report", profile="a.folded")))

    def test_pipes_are_not_opened(self):
        os.mkfifo(self.folder / "in" / "pipe.folded")
        client = self.client()
        self.assertIsInstance(client.call("report", profile="in/pipe.folded"), str)
        self.assertEqual(client.call("hot")["profile"], ["in/a.folded"])

    def test_other_sources_are_not_shown(self):
        """A profile can name any file as the source of its function."""
        program = "int work(int n) { // OF THE PROGRAM\n  volatile int s = 0;\n  for (int i = 0; i < n; ++i) s += i;\n" \
                  "  return s;\n}\nint main() { return work(300000000) == 7; }\n"
        (self.folder / "work.c").write_text(program)
        build = subprocess.run(["cc", "-g", "-O1", "-fno-inline", "-o", "work", str(self.folder / "work.c")],
                               cwd=self.folder, check=False)
        if build.returncode:
            self.skipTest("no C compiler")
        recorded = subprocess.run([WICK, "record", "-q", "-e", "cpu-clock", "-o", "in/work.wick", "--", "./work"],
                                  cwd=self.folder, capture_output=True, text=True, check=False)
        if recorded.returncode:
            self.skipTest(f"nothing can be recorded: {recorded.stderr}")
        answer = json.dumps(self.client("in").call("annotate", profile="work.wick", function="work"))
        self.assertNotIn("OF THE PROGRAM", answer)
        self.assertNotIn("s += i", answer)
        for words in (("in", "work.c"), ("in", "--sources", ".")):
            answer = json.dumps(self.client(*words).call("annotate", profile="work.wick", function="work"))
            self.assertIn("s += i", answer, words)

    # ---- Hostile clients ----------------------------------------------------------------------------

    def test_garbage_has_errors_and_the_next_request_an_answer(self):
        client = self.client()
        for line in (b"garbage", b"\xff\xfe\x00", b'{"jsonrpc":"2.0","id":1,"method":"ping"', b"7", b"null", b"[]", b"{}",
                     b"[" * 100_000, b'{"a":' * 100_000, b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
                     b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', b"x" * (9 << 20)):
            client.send(line + b"\n")
            self.assertIn("error", client.receive(), line[:60])
        for line in (b"", b"  ", b'{"jsonrpc":"2.0","method":"ping"}', b'{"jsonrpc":"2.0","id":1,"result":7}',
                     b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}}'):
            client.send(line + b"\n")
        self.assertEqual(client.request("ping")["result"], {})

    def test_ids_come_back_unchanged(self):
        client = self.client()
        for text in ("0", "-5", "12345678901234567890", '"a"', '"\\u00e9\\ud83d\\ude00"', '""'):
            client.send(f'{{"id":{text},"method":"ping","jsonrpc":"2.0"}}')
            self.assertEqual(client.receive()["id"], json.loads(text))

    def test_a_client_that_never_reads_costs_no_memory(self):
        client = self.client()
        os.set_blocking(client.process.stdin.fileno(), False)
        line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode() + b"\n"
        sent, deadline = 0, time.monotonic() + 5
        while time.monotonic() < deadline:  # until both pipes are full
            try:
                sent += os.write(client.process.stdin.fileno(), line * 100) or 0
            except BlockingIOError:
                time.sleep(0.2)
        status = pathlib.Path(f"/proc/{client.process.pid}/status").read_text()
        self.assertLess(int(re.search(r"VmHWM:\s+(\d+)", status)[1]), 600_000, f"kB, after {sent} bytes")
        client.process.stdout.close()  # the server must end, not wait
        client.process.wait(timeout=TIMEOUT_S)
        self.assertGreaterEqual(client.process.returncode, 0, "not by a signal")
        client.end()

    def test_it_ends_with_its_input_and_with_a_signal(self):
        client = self.client()
        client.send(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')  # without a line end
        client.process.stdin.close()
        self.assertEqual(client.receive()["result"], {})
        self.assertEqual(client.process.wait(timeout=TIMEOUT_S), 0)
        client.process.stdout.close()
        client.process.stderr.close()
        client = self.client()
        client.request("ping")
        client.process.send_signal(signal.SIGTERM)
        client.process.wait(timeout=TIMEOUT_S)
        client.end()

    def test_hostile_names_are_visible_and_answers_bounded(self):
        names = "".join(f"main;\x1b[2J\u202e{'x' * 900}{i} {i + 1}\n" for i in range(5000))
        (self.folder / "in" / "a.folded").write_text(names)
        client = self.client()
        for limit in (1, 20, 10**9):
            result = client.request("tools/call", name="report", arguments={"limit": limit})["result"]
            self.assertLess(len(result["content"][0]["text"]), 40_001)
            self.assertNotRegex(result["content"][0]["text"], "[\x00-\x1f\u202e]")

    def test_damaged_profiles_are_errors_or_losses(self):
        client = self.client()
        for name, content in (("cut.wick", b"WICK\x00\x01"), ("empty", b""), ("noise", os.urandom(5000)),
                              ("deep.json", b"[" * 1_000_000), ("perf", b"PERFILE2" + b"\xff" * 200)):
            (self.folder / "in" / name).write_bytes(content)
            client.call("report", profile=name)
        self.assertEqual(client.request("ping")["result"], {})

    def test_a_profile_is_read_again_when_it_changes(self):
        client = self.client("in/a.folded")
        self.assertEqual(client.call("report")["sections"]["entries"]["rows"][0]["name"], "hash")
        (self.folder / "in" / "a.folded").write_text("main;changed 1000\n")
        self.assertEqual(client.call("report")["sections"]["entries"]["rows"][0]["name"], "changed")

    def test_the_command_line_is_checked(self):
        for words in ((), ("-",), ("/dev/null",), ("absent/folder/x",), ("in", "--debuginfod"), ("in", "-o", "x")):
            done = subprocess.run([WICK, "mcp", *words], cwd=self.folder, capture_output=True, text=True,
                                  stdin=subprocess.DEVNULL, timeout=TIMEOUT_S, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)

    # ---- The page -----------------------------------------------------------------------------------

    def test_the_example_of_the_page_is_the_answer(self):
        blocks = re.findall(r"^```json\n(.*?)^```$", PAGE, re.M | re.S)
        config, question, expected = (json.loads(block) for block in blocks)
        self.assertEqual(config["mcpServers"]["wick"]["args"][0], "mcp")
        client = self.client("in/a.folded")
        client.send(json.dumps(question))
        answer = client.receive()["result"]["structuredContent"]
        if os.environ.get("UPDATE_GOLDEN"):
            print(json.dumps(answer, indent=2))
        self.assertEqual(answer, expected)

    def test_the_page_lists_the_tools_and_revisions(self):
        client = self.client()
        for tool in client.request("tools/list")["result"]["tools"]:
            self.assertIn(f"`{tool['name']}`", PAGE)
        modern = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
        for version in client.request("server/discover", _meta=modern)["result"]["supportedVersions"]:
            self.assertIn(version, PAGE)


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1] + sys.argv[2:], exit=False).result
    for test, reason in result.skipped:
        skips.report(str(test), reason)
    sys.exit(0 if result.wasSuccessful() else 1)
