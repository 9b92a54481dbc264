# SPDX-License-Identifier: Apache-2.0
"""Checks that wick and its peer did the same work: a tool that drops half of the samples is fast.

The checks count samples and frames in both outputs. Sample counts must agree. Frames may differ a little, because
tools end a stack at different frames; the table shows the figures for the reader to judge.
"""
import filecmp

BLOCK = 1 << 20


def count_folded(path):
    """(samples, frames) of a recording of one process; its name is then not a part of the lines."""
    samples = frames = 0
    with open(path, "rb") as lines:
        for line in lines:
            stack, _, count = line.rpartition(b" ")
            samples += int(count)
            frames += int(count) * (stack.count(b";") + 1)
    return samples, frames


def count_perf_script(path):
    """(samples, frames): an empty line ends a sample, a tab starts a frame."""
    samples = frames = 0
    last = b""
    with open(path, "rb") as file:
        while block := file.read(BLOCK):
            block = last + block
            samples += block.count(b"\n\n")
            frames += block.count(b"\n\t")
            last = block[-1:]
    return samples, frames


def compare_bytes(wick_output, peer_output):
    if not peer_output.exists():
        return []
    same = filecmp.cmp(wick_output, peer_output, shallow=False)
    return ["both wrote the same bytes" if same else "WARNING: wick and the peer wrote different bytes"]


def compare(kind, wick_output, peer_output, expected):
    """Sentences for the table. kind: "perf script" counts the peer's text, "samples" only wick's own output,
    "equal" wants the same bytes from both. expected: the samples that perf counted in the file."""
    if kind == "equal":
        return compare_bytes(wick_output, peer_output)
    mine, my_frames = count_folded(wick_output)
    theirs, their_frames = expected, 0
    if kind == "perf script" and peer_output.exists():
        theirs, their_frames = count_perf_script(peer_output)
    if mine != theirs:
        return [f"WARNING: wick gives {mine:,} samples, the peer {theirs:,}: they did not do the same work"]
    text = f"both give {mine:,} samples" if their_frames else f"wick gives all {mine:,} samples"
    if their_frames and mine:
        text += f", {my_frames / mine:.2f} and {their_frames / mine:.2f} frames each"
    return [text]
