# SPDX-License-Identifier: Apache-2.0
"""Turns measured costs into the table for users, at most WIDTH columns wide. A row of rows.py has a line for its
name, its input and its peer; below it is one line for each bar: wick's cost, the peer's cost, the ratio with its
spread, the bar and whether it was met; and notes."""
import textwrap

from measure import spread

MIB = 1 << 20
WIDTH = 118
COLUMNS = ["", "wick", "peer", "ratio (min..max)", "bar", "", "CPU s", "peak MiB"]


def judge(bar, mine, peers, stacks):
    """One result: medians of both sides, the judged figure with its spread, and the verdict."""
    wick = [getattr(cost, bar.measure) for cost in mine]
    peer = [getattr(cost, bar.measure) for cost in peers]
    if bar.compared == "absolute":
        figure = spread(wick)
    elif not peer:
        figure = None
    elif bar.compared == "faster":
        figure = spread(p / w for w, p in zip(wick, peer))
    else:
        figure = spread(w / p for w, p in zip(wick, peer))
    met = None
    if figure and bar.limit is not None:
        met = figure["median"] >= bar.limit if more_is_better(bar.compared) else figure["median"] <= bar.limit
    return {"measure": bar.measure, "compared": bar.compared, "limit": bar.limit, "figure": figure, "met": met,
            "wick": spread(wick), "peer": spread(peer) if peer else None, "stacks": stacks}


def judge_range(bar, seen):
    """One result of an observation: every figure of wick must be in the range."""
    wick, perf = (seen[side].get(bar.figure, []) for side in ("wick", "perf"))
    low = float("-inf") if bar.low is None else bar.low
    high = float("inf") if bar.high is None else bar.high
    return {"figure_name": bar.figure, "unit": bar.unit, "low": bar.low, "high": bar.high,
            "wick": spread(wick) if wick else None, "peer": spread(perf) if perf else None, "times": len(wick),
            "met": None if bar.low is None and bar.high is None or not wick else
            all(low <= value <= high for value in wick)}


def more_is_better(compared):
    return compared == "faster"


def amount(measure, value, stacks=0):
    if measure in ("time", "cpu"):
        return f"{value * 1000:.1f} ms" if value < 0.1 else f"{value:.2f} s"
    if measure == "bytes" and stacks:
        return f"{value / stacks:.1f} B/stack"
    return f"{value / MIB:.0f} MiB" if value >= MIB else f"{value / 1024:.0f} KiB"


def figure_text(measure, compared, figure):
    if figure is None:
        return "-"
    low, middle, high = figure["min"], figure["median"], figure["max"]
    if compared == "absolute":
        return f"{amount(measure, middle)} ({amount(measure, low)}..{amount(measure, high)})"
    unit = "x faster" if compared == "faster" else "x"
    return f"{ratio(middle)}{unit} ({ratio(low)}..{ratio(high)})"


def ratio(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def bar_text(result):
    if result["limit"] is None:
        return "-"
    if result["compared"] == "absolute":
        return f"<= {amount(result['measure'], result['limit'])}"
    return f"{'>=' if more_is_better(result['compared']) else '<='} {result['limit']:g}x"


def pair(costs, text):
    return " / ".join(text(cost) if cost else "-" for cost in costs)


def heading(row):
    parts = [row["name"], row.get("input", ""), f"against {row['against']}", row.get("why", "")]
    return textwrap.wrap("; ".join(filter(None, parts)), WIDTH, subsequent_indent="  ")


def figure_lines(row, memory_floor):
    """The aligned lines of one measured row."""
    lines = []
    for result in row["results"]:
        measure, first = result["measure"], not lines
        verdict = {True: "met", False: "MISSED", None: ""}[result["met"]]
        lines.append([
            f"  {measure}", amount(measure, result["wick"]["median"], result["stacks"]),
            amount(measure, result["peer"]["median"], result["stacks"]) if result["peer"] else "absent",
            figure_text(measure, result["compared"], result["figure"]), bar_text(result), verdict,
            pair(row["cpu"], lambda s: f"{s['median']:.2f}") if first else "",
            pair(row["memory"], lambda s: memory_text(s["max"], memory_floor)) if first else "",
        ])
    return lines


def observed_lines(row):
    """The aligned lines of one observed row."""
    lines = []
    for result in row["results"]:
        if result["wick"] is None:
            continue  # needs the peer, which is missing
        text = lambda value: in_unit(result["unit"], value)
        bar = " to ".join(text(end) for end in (result["low"], result["high"]) if end is not None)
        least = result["high"] is None
        lines.append([
            f"  {result['figure_name']}", text(result["wick"]["median"]),
            text(result["peer"]["median"]) if result["peer"] else "-",
            f"{text(result['wick']['min'])} to {text(result['wick']['max'])} in {result['times']} runs",
            f"{'' if not bar else '>= ' if least else '<= ' if result['low'] is None else ''}{bar or '-'}",
            {True: "met", False: "MISSED", None: ""}[result["met"]], "", ""])
    return lines


def in_unit(unit, value):
    if unit == "share":
        return f"{100 * value:.2f} %"
    if unit == "seconds":
        return "never" if value == float("inf") else f"{value * 1000:.0f} ms"
    return f"{value:.2f}x" if unit == "ratio" else f"{value:.0f}"


def memory_text(size, floor):
    return f"<{floor / MIB + 1:.0f}" if size < floor + MIB else f"{size / MIB:.0f}"


def align(lines):
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]


def render(run):
    rows = [row for row in run["rows"] if row["state"] != "not yet"]
    lines_of = {"measured": lambda row: figure_lines(row, run["memory_floor"]), "observed": observed_lines}
    figures = [lines_of.get(row["state"], lambda row: [])(row) for row in rows]
    aligned = iter(align([COLUMNS] + [line for lines in figures for line in lines]))
    table = [next(aligned), "-" * WIDTH]
    for row, lines in zip(rows, figures):
        table += heading(row) + [next(aligned) for _ in lines]
        for note in row.get("notes", []):
            table += textwrap.wrap(note, WIDTH, initial_indent="  ", subsequent_indent="  ")
    table.append("-" * WIDTH)
    table.append("x: wick over peer, less is better; x faster: peer over wick, more is better; "
                 "CPU and memory: wick / peer")
    if waiting := [row for row in run["rows"] if row["state"] == "not yet"]:
        lines = align([["not yet measured", "bar", "needs"]] +
                      [[row["name"], row["bar"], row["needs"]] for row in waiting])
        table += ["", lines[0], "-" * WIDTH] + lines[1:]
    return "\n".join(table)
