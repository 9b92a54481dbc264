# SPDX-License-Identifier: Apache-2.0
"""dataflow: runs a flow of Python functions in native workers, checks its results and reports the time of each step."""
import argparse
import json
import sys
import zlib

try:
    import dataflow_native as native
except ImportError as problem:
    sys.exit(f"dataflow: The extension cannot be loaded ({problem}); start the script of the build directory.")
from shapes import SHAPES, Partition

# The native function that contains the samples of a kind of step.
FRAMES = {"input": "next_batch", "map": "Map::on_batch", "flat_map": "FlatMap::on_batch",
          "filter": "Filter::on_batch", "key_on": "KeyOn::on_batch", "fold_final": "FoldFinal::on_batch",
          "fold_window": "FoldWindow::on_batch", "batch": "Collect::on_batch", "output": "Output::on_batch"}


def fail(status, sentence):
    print(f"dataflow: {sentence}", file=sys.stderr)
    sys.exit(status)


class Parser(argparse.ArgumentParser):
    def error(self, message):
        fail(2, f"{message}; --help lists the flags.")

    def format_help(self):
        return super().format_help().replace("usage:", "Usage:", 1)


def within(kind, low, high):
    """A flag's type: a number from low to high."""
    def convert(text):
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not low <= value <= high:
            name = "whole number" if kind is int else "number"
            raise argparse.ArgumentTypeError(f"takes a {name} from {low} to {high}, not '{text}'")
        return value
    return convert


def parse(arguments):
    parser = Parser(prog="dataflow", allow_abbrev=False,
                    description="Runs a flow of Python functions in native workers and checks its results.")
    parser.add_argument("--shape", choices=sorted(SHAPES), default="wordcount", help="which flow (%(default)s)")
    parser.add_argument("--workers", type=within(int, 1, 99), default=1, metavar="N",
                        help="1: on the main thread; more: threads dataflow:work-0 and so on (%(default)s)")
    parser.add_argument("--batch", type=within(int, 1, 1_000_000), default=10, metavar="N",
                        help="items that a source gives at once (%(default)s)")
    much = parser.add_mutually_exclusive_group()
    much.add_argument("--items", type=within(int, 1, 1_000_000_000), default=100_000, metavar="N",
                      help="lines or events of input (%(default)s)")
    much.add_argument("--seconds", type=within(float, 0.01, 3600), metavar="X", help="input for this long instead")
    parser.add_argument("--window", type=within(int, 1, 1_000_000), default=60, metavar="N",
                        help="windowing: seconds of a window, one event a second (%(default)s)")
    parser.add_argument("--keys", type=within(int, 1, 1_000_000), default=2, metavar="N",
                        help="windowing: keys, taking turns (%(default)s)")
    parser.add_argument("--no-check", action="store_true",
                        help="do not compute the results a second time, plainly, to compare them")
    parser.add_argument("--fail-in", metavar="STEP", help="let the user's function of this step raise an error")
    parser.add_argument("--fail-at", type=within(int, 1, 1_000_000_000), default=1, metavar="N",
                        help="with --fail-in: at which of its calls (%(default)s)")
    options = parser.parse_args(arguments)
    steps = SHAPES[options.shape].steps
    if options.fail_in is not None and options.fail_in not in steps:
        parser.error(f"argument --fail-in: {options.shape} has the steps {', '.join(steps)}, not '{options.fail_in}'")
    return options


def checksum(results):
    text = "".join(f"{key} {results[key]}\n" for key in sorted(results))
    return f"{zlib.crc32(text.encode()):08x}"


def run(options):
    shape = SHAPES[options.shape](options)
    items = None if options.seconds else options.items
    partitions = [Partition(shape.user[shape.steps[0]], number, options.workers, items)
                  for number in range(options.workers)]
    used = shape.flow().run(partitions, options.batch, options.seconds or 0.0)
    return shape, partitions, used


def describe(options, shape, partitions, used):
    items = sum(partition.given for partition in partitions)
    cpu = sum(worker["cpu_s"] for worker in used["workers"])
    frames = {}
    for step in used["steps"]:
        frame = FRAMES[step["kind"]]
        step["share"] = step["cpu_s"] / cpu
        frames[frame] = frames.get(frame, 0) + step["share"]
    gil_wait = sum(worker["gil_wait_s"] for worker in used["workers"])
    actual = checksum(shape.results)
    expected = None if options.no_check else checksum(shape.plain_results(partitions))
    return {"shape": options.shape, "workers": options.workers, "batch": options.batch, "items": items,
            "wall_s": used["wall_s"], "items_per_s": items / used["wall_s"], "cpu_s": cpu,
            "gil_wait_s": gil_wait, "gil_wait_share": gil_wait / (used["wall_s"] * options.workers),
            "results": len(shape.results), "checksum": actual, "expected_checksum": expected,
            "correct": None if options.no_check else actual == expected, "frames": frames,
            "steps": used["steps"], "threads": used["workers"]}


def rounded(value):
    """Six digits are enough for every number."""
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {key: rounded(member) for key, member in value.items()}
    return [rounded(member) for member in value] if isinstance(value, list) else value


def main(arguments):
    options = parse(arguments)
    try:
        shape, partitions, used = run(options)
    except native.StepError as error:
        cause = error.__cause__
        reason = " ".join(str(cause).split())
        fail(1, f"Step '{error}' failed with {type(cause).__name__}: {reason}; correct its function.")
    except KeyboardInterrupt:
        fail(130, "The flow was interrupted; nothing was finished.")
    result = describe(options, shape, partitions, used)
    print(json.dumps(rounded(result)))
    if result["correct"] is False:
        fail(1, "The results differ from the plain computation; the extension is broken.")


if __name__ == "__main__":
    main(sys.argv[1:])
