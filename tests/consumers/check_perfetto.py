# SPDX-License-Identifier: Apache-2.0
"""protoc decodes Perfetto traces with the published field numbers: no consumer is in Debian or npm."""
import collections
import pathlib
import re
import subprocess

import consumers

PROTO = pathlib.Path(__file__).with_name("perfetto.proto")


class Check(consumers.Consumers):
    program = "protoc"

    def decode(self, path):
        done = subprocess.run(["protoc", f"--proto_path={PROTO.parent}", "--decode=trace.Trace", PROTO.name],
                              stdin=open(path, "rb"), capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        # A field that the description does not have is printed by its number.
        self.assertNotRegex(done.stdout, r"(?m)^\s*\d+[:{ ]")
        return done.stdout

    def check(self, source):
        """Weights by leaf, from the interned stacks, against wick's report."""
        self.wick("convert", source, "--to", "perfetto", "-o", "x.pftrace")
        text = self.decode(self.folder / "x.pftrace")
        names, frames, stacks = {}, {}, {}
        leaves, last = collections.Counter(), 0
        for packet in re.split(r"(?m)^packet \{$", text)[1:]:
            for iid, name in re.findall(r'function_names \{\s+iid: (\d+)\s+str: "(.*)"', packet):
                names[iid] = name
            for iid, name in re.findall(r"  frames \{\s+iid: (\d+)\s+function_name_id: (\d+)", packet):
                frames[iid] = names[name]
            for iid, ids in re.findall(r"callstacks \{\s+iid: (\d+)((?:\s+frame_ids: \d+)+)", packet):
                stacks[iid] = re.findall(r"\d+", ids)
            if (sample := re.search(r"perf_sample \{(.*?)\n  \}", packet, re.S)):
                total = int(re.search(r"timebase_count: (\d+)", sample[1])[1])
                leaves[frames[stacks[re.search(r"callstack_iid: (\d+)", sample[1])[1]][-1]]] += total - last
                last = total
        expected_total, expected = self.report(source)
        self.assertEqual(last, expected_total)
        self.assert_same_top(leaves, {name: row[0] for name, row in expected.items()}, "self")
        return text

    def test_folded(self):
        self.assertIn("made-up times", self.check(consumers.ROOT / "docs/demo/wick-itself.folded.gz"))

    def test_recording(self):
        text = self.check(self.recording())
        self.assertIn('thread_name: "work"', text)
        self.assertIn('process_name: "work"', text)
