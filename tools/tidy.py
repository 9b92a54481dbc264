#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the shape of the tree; each finding says where, what and why.

The table is the architecture (ARCHITECTURE.md draws it): a folder may include itself and the folders that its
row lists, and a row may list only rows above it, so a cycle cannot be written down. In a family the members
(subfolders) must not include one another; what two members share moves up into the family folder.
"""
import os
import pathlib
import re
import subprocess
import sys

MAY_INCLUDE = {
    "base": [],
    "isa": ["base"],
    "elf": ["base", "isa"],
    "stream": ["base"],
    "kernel_records": ["base", "stream"],
    "profile": ["base"],
    "report": ["base"],
    "unwind": ["base", "isa", "elf"],
    "symbolize": ["base", "isa", "elf"],
    "query": ["base", "profile", "report"],
    "formats": ["base", "elf", "stream", "kernel_records", "profile", "symbolize", "query"],
    "runtimes": ["base", "isa", "elf", "stream", "profile"],
    "trace": ["base", "isa", "elf", "stream", "kernel_records"],
    "pipeline": ["base", "isa", "elf", "stream", "kernel_records", "profile", "unwind", "symbolize", "runtimes", "trace"],
    "record": ["base", "elf", "stream", "kernel_records"],
    "acquire": ["base", "profile", "formats", "pipeline"],
    "capture": ["base", "stream", "profile", "formats", "runtimes", "pipeline", "record"],
    "analyze": ["base", "profile", "report"],
    "experiment": ["base", "profile", "report", "record", "acquire", "capture", "analyze"],
    "answer": ["base", "profile", "report", "symbolize", "formats", "pipeline", "acquire", "analyze"],
    "views": ["base", "report"],
    "viewer": ["base", "profile", "report", "analyze"],
    "mcp": ["base", "profile", "report", "formats", "pipeline", "acquire", "analyze", "experiment", "answer", "views"],
    "cli": ["base", "stream", "profile", "report", "symbolize", "formats", "pipeline", "record",
            "acquire", "capture", "analyze", "experiment", "answer", "views", "viewer", "mcp", "query"],
}
FAMILIES = {"formats": "formats.cc", "runtimes": "runtimes.cc", "analyze": "analyses.cc", "views": "views.cc"}
# Tests may also use the folder that writes their input as text.
TESTS_MAY_INCLUDE = {"profile": ["formats"], "query": ["formats"], "analyze": ["formats"], "experiment": ["formats"],
                     "capture": ["acquire"], "views": ["profile", "formats", "analyze"]}
BANNED_CALLS = {
    r"\bstd::stoi\b": "it throws; use std::from_chars",
    r"\bstd::regex\b": "it overflows the stack on long names; use base/pattern.h",
    r"\bstrncpy\b|\bsprintf\b|\bstrcpy\b": "it cannot know the size; use fmt",
    r"\bthrow\b": "own code throws nothing; return a Result",
}
PRINTING = re.compile(r"\bstd::(cout|cerr|clog)\b|\bfmt::v?print\b|::write\(\s*([12]|STDOUT_FILENO|STDERR_FILENO)\b"
                      r"|(?<![\w.>])(std::)?(v?f?printf|f?puts|f?putc|putchar|perror|fwrite)\s*\(")
MAY_PRINT = {"cli"}
# A library that many could use has one file that includes it: what it may do, and how to replace it, is decided there.
ONE_INCLUDER = {
    "CLI/": "cli/parse.cc",
    "toml++/": "experiment/plan/toml_tree.cc",
    "rapidjson/": "base/json.cc",
    "re2/": "base/pattern.cc",
    "capstone/": "symbolize/disassembly.cc",
    "lzma.h": "elf/unpack.cc",
    "sqlite3.h": "query/sqlite.cc",
}
# The same for web/src: a folder may import its own files and the listed files of other folders. The model computes
# and runs in a worker, so it must not know the interface; the pages and the SVG share what their rows list.
WEB_MAY_IMPORT = {
    "model": [],
    "ui": ["model/interface.ts", "model/pattern.ts", "model/words.ts"],
    "sweep": [f"model/{name}.ts" for name in ("judgement", "statistics", "words")] + [f"ui/{name}.ts" for name in (
        "clipboard", "dom", "download", "fragment", "page_frame", "palette", "part", "problem", "status", "svg", "text", "theme")],
    "svg": ["ui/amounts.ts", "ui/label_forms.ts", "ui/labels.ts", "ui/text_columns.ts"],
}
IMPORT = re.compile(r"""(?:\bfrom|^import|\bimport\()\s*['"](\.[^'"]*)['"]""")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
LIBRARY = re.compile(r"^\s*#\s*include\s+<([^>]+)>")
# Two types of one name in one namespace are undefined behaviour as soon as a program links both. Types inside a .cc file
# are in its anonymous namespace.
NAMESPACE = re.compile(r"^namespace ([\w:]*) ?\{|^\}  // namespace")
TYPE = re.compile(r"^(?:class|struct|enum class) (\w+)(?: final)?(?: :.*)? \{")
LICENSE = "SPDX-License-Identifier: Apache-2.0"
# How a source file opens. What becomes part of pictures and pages (src/views) or is input of tests has no such line.
SPDX_LINES = {
    f"// {LICENSE}": (".cc", ".h", ".c", ".ts", ".js", ".mjs"),
    f"/* {LICENSE} */": (".css",),
    f"# {LICENSE}": (".py", ".sh", ".cmake", "CMakeLists.txt", "Makefile"),
}
WITHOUT_SPDX = re.compile(r"^src/views/.*\.(js|css)$|/testdata/|^fuzz/corpus/")
MACHINE_PATHS = re.compile(r"(^|[\s\"'=(:])/(home|root|work|farm)/")


def member(path):
    """'formats/native/reader.h' -> 'native'; files directly in a family are its public face: None."""
    parts = path.split("/")
    return parts[1] if parts[0] in FAMILIES and len(parts) > 2 else None


def check_include(path, include):
    here, there = path.split("/")[0], include.split("/")[0]
    in_test = path.endswith("_test.cc")
    if there == "tests" and in_test:
        return None
    if include.endswith("testing.h") and not is_test(path):
        return f'include "{include}": it is for tests'
    if there not in MAY_INCLUDE:
        return f'include "{include}": paths are relative to src/'
    if here != there:
        allowed = MAY_INCLUDE[here] + (TESTS_MAY_INCLUDE.get(here, []) if in_test else [])
        return None if there in allowed else f'include "{include}": {here} must not know {there}'
    mine, other = member(path), member(include)
    if mine and other and mine != other:
        return f'include "{include}": {mine} must not know {other}; move what they share up to {here}/'
    return None


def is_test(path):
    """Tests, and the headers that only tests share."""
    return path.endswith(("_test.cc", "testing.h"))


def check_library(path, header):
    for prefix, owner in ONE_INCLUDER.items():
        if header.startswith(prefix) and path != owner and not is_test(path):
            return f"include <{header}>: only {owner} includes it; use what its header offers"
    return None


def check_file(path, text):
    lines = text.splitlines() or [""]
    folder = path.split("/")[0]
    if folder not in MAY_INCLUDE or "/" not in path:
        yield 1, "every source file lives in one of the folders of the table, none in the root of src/"
        return
    if path.endswith(".h") and not "".join(lines[1:2]).startswith("//"):
        yield 2, "a header opens with a comment: what it is and which invariant it keeps"
    if path.endswith(".cc") and len(lines) > 250 and not is_test(path) and not "".join(lines[1:2]).startswith("//"):
        yield 2, "a source of more than 250 lines opens with a comment: how it solves its task"
    for number, line in enumerate(lines, 1):
        if (match := INCLUDE.match(line)) and (problem := check_include(path, match[1])):
            yield number, problem
        if (match := LIBRARY.match(line)) and (problem := check_library(path, match[1])):
            yield number, problem
        code = line.split("//")[0]
        for pattern, why in BANNED_CALLS.items():
            if re.search(pattern, code):
                yield number, f"{re.search(pattern, code)[0]}: {why}"
        if PRINTING.search(code) and folder not in MAY_PRINT and path != "base/check.cc" and not is_test(path):
            yield number, "libraries never print; hand the text to cli"
        if "\t" in line:
            yield number, "a tab"


def check_imports(web):
    """Imports of web/src, against WEB_MAY_IMPORT; the files in its root start the pages and may import all."""
    for path in sorted(web.rglob("*.ts")):
        folder = path.relative_to(web).parts[0]
        if folder.endswith(".ts"):
            continue
        if folder not in WEB_MAY_IMPORT:
            yield path, 1, f"{folder} has no row in WEB_MAY_IMPORT of tools/tidy.py"
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            for match in IMPORT.finditer(line):
                target = os.path.relpath(path.parent / match[1], web)
                if not target.startswith(f"{folder}/") and target not in WEB_MAY_IMPORT[folder]:
                    yield path, number, f"import '{target}': {folder} must not know it (WEB_MAY_IMPORT)"


def types_in(text):
    """(line, name with its namespace) of the types that a header defines."""
    open_namespaces = []
    for number, line in enumerate(text.splitlines(), 1):
        if match := NAMESPACE.match(line):
            if match[1] is None:
                open_namespaces.pop()
            else:
                open_namespaces.append(match[1])
        elif match := TYPE.match(line):
            yield number, "::".join([*open_namespaces, match[1]])


def check_types(headers):
    """`headers`: (path, text) of each."""
    first = {}
    for path, text in headers:
        for number, name in types_in(text):
            if first.setdefault(name, path) != path:
                yield path, number, f"{name} is also in {first[name]}: two types of one name in one program"


def check_families(src):
    """Every member folder of a family is listed in the family's table."""
    for family, table in FAMILIES.items():
        if not (src / family).is_dir():
            continue
        listed = (src / family / table).read_text()
        for folder in sorted(p for p in (src / family).iterdir() if p.is_dir() and p.name != "testdata"):
            if f'"{family}/{folder.name}/' not in listed:
                yield folder, 1, f"this {family} member has no row in {family}/{table}"


def tracked_files(root):
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=root, capture_output=True, text=True, check=False).stdout.split("\0")
    return [name for name in listed if name and (root / name).is_file()]


def spdx_line(root, name):
    """The line that a source file opens with, after the line that names its interpreter; None for other files."""
    if WITHOUT_SPDX.search(name):
        return None
    for line, endings in SPDX_LINES.items():
        if name.endswith(endings):
            return line
    with open(root / name, "rb") as file:
        return f"# {LICENSE}" if "." not in pathlib.Path(name).name and file.read(2) == b"#!" else None


def check_license(root):
    for name in tracked_files(root):
        expected = spdx_line(root, name)
        if expected and expected not in (root / name).read_text().splitlines()[:2]:
            yield root / name, 1, f"a source file opens with the line {expected}"


def check_machine_paths(root):
    """Nothing in the repository may name a place on the machine it was written on."""
    for name in tracked_files(root):
        path = root / name
        if name == "tools/tidy.py" or path.suffix in (".png", ".wick", ".gz", ".zst"):
            continue
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
            if MACHINE_PATHS.search(line):
                yield path, number, "a path of one machine"


def main(root="."):
    names = list(MAY_INCLUDE)
    for folder, allowed in MAY_INCLUDE.items():
        assert all(names.index(a) < names.index(folder) for a in allowed), f"{folder} lists a later folder"
    root = pathlib.Path(root)
    src = root / "src"
    findings = []
    for path in sorted(p for p in src.rglob("*") if p.suffix in (".h", ".cc")):
        findings += [(path, n, m) for n, m in check_file(path.relative_to(src).as_posix(), path.read_text())]
    findings += check_types((path, path.read_text()) for path in sorted(src.rglob("*.h")))
    findings += check_families(src)
    findings += check_imports(root / "web/src")
    findings += check_license(root)
    findings += check_machine_paths(root)
    for path, number, message in findings:
        print(f"{path}:{number}: {message}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
