# SPDX-License-Identifier: Apache-2.0
"""protoc decodes OTLP profiles with the published field numbers: no collector that reads 1.11 is in Debian or npm."""
import collections
import pathlib
import re
import subprocess

import consumers

PROTO = pathlib.Path(__file__).with_name("otlp.proto")


def blocks(text, name, indent):
    """The bodies of the messages `name { ... }` at this depth."""
    space = "  " * indent
    return re.findall(rf"(?ms)^{space}{name} \{{\n(.*?)^{space}\}}$", text)


def number(body, field, indent):
    found = re.search(rf"(?m)^{'  ' * indent}{field}: (-?\d+)$", body)
    return int(found[1]) if found else 0


def numbers(body, field, indent):
    return [int(value) for value in re.findall(rf"(?m)^{'  ' * indent}{field}: (-?\d+)$", body)]


class Check(consumers.Consumers):
    program = "protoc"

    def decode(self, path):
        done = subprocess.run(["protoc", f"--proto_path={PROTO.parent}", "--decode=otlp.ProfilesData", PROTO.name],
                              stdin=open(path, "rb"), capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotRegex(done.stdout, r"(?m)^\s*\d+[:{ ]")
        return done.stdout

    def check(self, source):
        """Self costs by name, from the dictionary's tables, against wick's report."""
        self.wick("convert", source, "--to", "otlp", "-o", "x.otlp")
        text = self.decode(self.folder / "x.otlp")
        (dictionary,) = blocks(text, "dictionary", 0)
        strings = re.findall(r'(?m)^  string_table: "(.*)"$', dictionary)
        for table in ("mapping", "location", "function", "link", "attribute", "stack"):
            self.assertEqual(blocks(dictionary, f"{table}_table", 1)[0], "", f"row 0 of {table}s")
        self.assertEqual(strings[0], "")
        functions = [strings[number(body, "name_strindex", 2)] for body in blocks(dictionary, "function_table", 1)]
        lines = [[number(line, "function_index", 3) for line in blocks(body, "lines", 2)]
                 for body in blocks(dictionary, "location_table", 1)]
        stacks = [numbers(body, "location_indices", 2) for body in blocks(dictionary, "stack_table", 1)]
        leaves, total, samples = collections.Counter(), 0, 0
        for profile in re.findall(r"(?ms)^    profiles \{\n(.*?)^    \}$", text):
            for sample in blocks(profile, "samples", 3):
                values = numbers(sample, "values", 4)
                samples += len(values)
                total += sum(values)
                stack = stacks[number(sample, "stack_index", 4)]
                functions_of_leaf = lines[stack[0]] if stack else []
                name = functions[functions_of_leaf[0]] if functions_of_leaf else "[unknown]"
                leaves[name] += sum(values)
        expected_total, expected = self.report(source)
        self.assertEqual(total, expected_total)
        self.assert_same_top(leaves, {name: row[0] for name, row in expected.items() if name in leaves}, "self")
        self.assertEqual(self.report(self.folder / "x.otlp"), (expected_total, expected))
        return text

    def test_folded(self):
        self.check(consumers.ROOT / "docs/demo/wick-itself.folded.gz")

    def test_recording(self):
        text = self.check(self.recording())
        self.assertIn('key: "service.name"', text)
        self.assertIn('key: "process.pid"', text)
        self.assertIn("timestamps_unix_nano", text)
