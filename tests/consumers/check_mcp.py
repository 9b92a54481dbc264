# SPDX-License-Identifier: Apache-2.0
"""`wick mcp`, asked by the clients of the protocol's authors: the numbers are those of `wick report`."""
import json
import unittest

import consumers

PACKAGES = consumers.ROOT / "build" / "mcp-node"
CLIENT = consumers.ROOT / "tests" / "consumers" / "mcp_client.mjs"
FOLDED = "main;parse;read 10\nmain;work;hash<a&b> 60\nmain;work 20\nidle 10\n"


class Check(consumers.Consumers):
    program = "node"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if not (PACKAGES / "node_modules" / "@modelcontextprotocol" / "client").is_dir():
            raise unittest.SkipTest("the clients of MCP are not installed")
        cls.profile = cls.folder / "a.folded"
        cls.profile.write_text(FOLDED)

    def ask(self, age):
        questions = [{"name": "report", "arguments": {}}, {"name": "hot", "arguments": {"focus": "hash<a&b>"}},
                     {"name": "sandwich", "arguments": {"function": "nothing of this name"}}]
        return json.loads(self.run_program("node", CLIENT, PACKAGES, age, consumers.WICK, self.profile,
                                           json.dumps(questions)))

    def check(self, answer):
        self.assertEqual(answer["server"]["name"], "wick")
        self.assertIn("hot", [tool["name"] for tool in answer["tools"]])
        report, hot, nothing = answer["answers"]
        rows = {row["name"]: (row.get("self", 0), row["total"])
                for row in report["structuredContent"]["sections"]["entries"]["rows"]}
        self.assertEqual(rows, self.report(self.profile)[1])
        self.assertEqual(json.loads(report["content"][0]["text"]), report["structuredContent"])
        self.assertEqual(hot["structuredContent"]["sections"]["entries"]["rows"][0]["name"], "hash<a&b>")
        self.assertTrue(nothing["isError"])

    def test_a_client_with_a_session(self):
        self.check(self.ask("old"))

    def test_a_client_without_a_session(self):
        answer = self.ask("new")
        self.assertEqual(answer["version"], "2026-07-28")
        self.check(answer)
