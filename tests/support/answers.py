# SPDX-License-Identifier: Apache-2.0
"""What `wick VERB --json` prints, checked against docs/json.md whenever a test reads it.

    answer = answers.parse(text)          an AssertionError says where the text leaves the documented shape
    answers.rows(answer)                  the rows of the first section: what the verb was asked for
    answers.rows(answer, "lines")         those of another section
"""
import json

VERSION = 1
TOP = ["wick_json", "verb", "title", "headline", "cautions", "unit", "samples", "total", "figures", "sections", "loss",
       "notes"]
SECTION = ["title", "shape", "columns", "rows"]
COLUMN = ["name", "title", "kind", "role"]
OPTIONAL = ["unit", "interval", "tones"]
LOSS = ["reason", "what", "count", "detail", "data_loss"]
SHAPES = ["table", "tree", "series", "graph", "edges", "code", "tracks", "points", "spans", "marks", "gaps", "arrows",
          "stacks"]
KINDS = ["text", "weight", "share", "count", "number"]
TONES = ["neutral", "good", "bad", "more", "less"]
ROLES = ["detail", "name", "module", "category", "mark", "relation", "self", "total", "part", "samples", "before",
         "after", "change", "verdict", "unit", "start", "file", "line", "source", "address", "end", "bytes", "instruction",
         "target", "reference", "inlined", "binary", "track", "to_track", "time", "until", "depth", "parent", "state",
         "stack", "value", "reason"]


def unique(pairs):
    keys = [key for key, _ in pairs]
    assert len(keys) == len(set(keys)), f"a key occurs twice in {keys}"
    return dict(pairs)


def is_number(value):
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def check_cells(row, column, where):
    value, kind, name = row[column["name"]], column["kind"], column["name"]
    assert isinstance(value, str) if kind == "text" else is_number(value), f"{where}: {name} is {value!r}, not {kind}"
    for end in ("_low", "_high"):
        assert not column.get("interval") or is_number(row[name + end]), f"{where}: {name}{end} is {row[name + end]!r}"
    if column.get("tones"):
        assert row[name + "_tone"] in TONES, f"{where}: {name}_tone is {row[name + '_tone']}"


def keys_of(column):
    yield column["name"]
    if column.get("interval"):
        yield column["name"] + "_low"
        yield column["name"] + "_high"
    if column.get("tones"):
        yield column["name"] + "_tone"


def check_section(name, section):
    assert name, "a section has no name"
    assert list(section) == SECTION, f"{name} has the keys {list(section)}"
    assert section["shape"] in SHAPES, f"{name} is a {section['shape']}"
    for column in section["columns"]:
        assert [key for key in column if key not in OPTIONAL] == COLUMN, f"{name}: a column has the keys {list(column)}"
        assert column["kind"] in KINDS and column["role"] in ROLES, f"{name}: {column}"
    keys = [key for column in section["columns"] for key in keys_of(column)]
    if section["shape"] == "tree":
        assert keys[:2] == ["depth", "parent"], f"{name} is a tree without depth and parent: {keys}"
    for at, row in enumerate(section["rows"]):
        assert list(row) == keys, f"{name}, row {at} has the keys {list(row)}, but its columns say {keys}"
        for column in section["columns"]:
            check_cells(row, column, f"{name}, row {at}")


def check(answer):
    assert list(answer) == TOP, f"the keys are {list(answer)}"
    assert answer["wick_json"] == VERSION, answer["wick_json"]
    for key in ("verb", "title", "unit"):
        assert isinstance(answer[key], str), f"{key} is {answer[key]!r}"
    assert answer["verb"], "the verb is not said"
    assert is_number(answer["samples"]) and is_number(answer["total"])
    assert all(key.isidentifier() and is_number(value) for key, value in answer["figures"].items()), answer["figures"]
    for name, section in answer["sections"].items():
        check_section(name, section)
    for loss in answer["loss"]:
        assert list(loss) == LOSS and is_number(loss["count"]), loss
    assert all(isinstance(note, str) for note in answer["notes"]), answer["notes"]


def parse(text):
    answer = json.loads(text, object_pairs_hook=unique)
    check(answer)
    return answer


def rows(answer, section=None):
    return answer["sections"][section or next(iter(answer["sections"]))]["rows"]
