#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The rules of tools/tidy.py and tools/commits, each on text that breaks it and on text that does not."""
import importlib.machinery
import importlib.util
import pathlib
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"


def load(name):
    loader = importlib.machinery.SourceFileLoader(name.removesuffix(".py"), str(TOOLS / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


TIDY, COMMITS = load("tidy.py"), load("commits")


def problems(path, line):
    opening = f"// {TIDY.LICENSE}\n// A comment.\n"
    return [message for _, message in TIDY.check_file(path, f"{opening}{line}\n")]


class Tidy(unittest.TestCase):
    def test_two_headers_do_not_define_one_type(self):
        def text(name, inner=""):
            begin, end = (f"namespace {inner} {{\n", f"}}  // namespace {inner}\n") if inner else ("", "")
            return f"namespace wick {{\n{begin}class {name} final : public Base {{\n}};\n{end}}}  // namespace wick\n"

        found = TIDY.check_types([("a.h", text("Builds")), ("b.h", text("Builds"))])
        self.assertEqual([(path, line) for path, line, _ in found], [("b.h", 2)])
        others = [("a.h", text("Builds")), ("b.h", text("Steps")), ("c.h", text("Builds", "record")),
                  ("d.h", "namespace wick {\nclass Builds;\ntemplate <>\nstruct Rows<Builds> {\n};\n}  // namespace wick\n")]
        self.assertEqual(list(TIDY.check_types(others)), [])

    def test_libraries_do_not_print(self):
        for line in ('std::cout << 1;', 'fmt::print("x");', 'printf("x");', 'std::fprintf(stderr, "x");',
                     'std::fwrite(p, 1, 2, stdout);', '::write(2, p, 3);', '::write(STDERR_FILENO, p, 3);', 'puts("x");'):
            self.assertTrue(problems("record/launch.cc", line), line)
            self.assertFalse(problems("cli/main.cc", line), line)
            self.assertFalse(problems("record/launch_test.cc", line), line)

    def test_what_only_looks_like_printing_is_allowed(self):
        for line in ("::write(file, p, 3);", "output.puts(x);", "writer->printf(x);", "int sprintf_like(int);",
                     "// printf(x)"):
            self.assertFalse(problems("base/output.cc", line), line)

    def test_one_file_includes_a_library(self):
        self.assertTrue(problems("cli/colors.cc", "#include <CLI/CLI.hpp>"))
        self.assertTrue(problems("base/sources.cc", "#include <re2/re2.h>"))
        self.assertFalse(problems("cli/parse.cc", "#include <CLI/CLI.hpp>"))

    def test_the_files_that_include_libraries_exist_and_do(self):
        for library, owner in TIDY.ONE_INCLUDER.items():
            self.assertIn(f"#include <{library}", (TOOLS.parent / "src" / owner).read_text())

    def test_product_code_does_not_use_what_is_for_tests(self):
        self.assertTrue(problems("elf/image.cc", '#include "elf/testing.h"'))
        self.assertTrue(problems("symbolize/map.cc", '#include "elf/dwarf_testing.h"'))
        self.assertFalse(problems("elf/image_test.cc", '#include "elf/testing.h"'))
        self.assertFalse(problems("symbolize/kernel_testing.h", '#include "elf/dwarf_testing.h"'))

    def test_source_files_open_with_their_license(self):
        root = TOOLS.parent
        for name, line in {"src/base/result.h": f"// {TIDY.LICENSE}", "tools/test": f"# {TIDY.LICENSE}",
                           "web/src/ui/base.css": f"/* {TIDY.LICENSE} */", "README.md": None,
                           "src/views/svg/flame.js": None, "src/unwind/testdata/dump_stack.c": None}.items():
            self.assertEqual(TIDY.spdx_line(root, name), line, name)

    def test_headers_open_with_a_comment(self):
        self.assertFalse(list(TIDY.check_file("base/a.h", f"// {TIDY.LICENSE}\n// What it is.\n")))
        self.assertTrue(list(TIDY.check_file("base/a.h", f"// {TIDY.LICENSE}\n#pragma once\n")))

    def test_folders_include_only_their_rows(self):
        self.assertTrue(problems("base/file.cc", '#include "profile/profile.h"'))
        self.assertFalse(problems("analyze/tree/tree.cc", '#include "profile/profile.h"'))


class Commits(unittest.TestCase):
    def test_good_subjects(self):
        for subject in ("cli: escape control characters in CSV on a terminal", "profile, pipeline: repair a test",
                        "formats/native: embed the schema", "record: pass the clock", "all: speed up"):
            self.assertIsNone(COMMITS.problem_of(subject), subject)

    def test_bad_subjects(self):
        for subject in ("wip", "Fix the reader", "cli: Escape", "cli: escaped names", "cli: escapes names",
                        "cli: escaping names", "cli: the names are escaped", "cli: escape names.",
                        "cli: escape " + "x" * 60):
            self.assertIsNotNone(COMMITS.problem_of(subject), subject)

    def test_changed_code(self):
        diff = """--- a/src/a.cc
+++ b/src/a.cc
@@ -1,0 +2,3 @@ int a;
+int b;
+int c;
+// d
@@ -9 +12 @@
-int e;
+int f;
--- a/src/b.cc
+++ b/src/b.cc
@@ -1 +1 @@
-// A comment.
+  // Another.
--- a/src/gone.cc
+++ /dev/null
@@ -1 +0,0 @@
-int g;
--- a/src/c.h
+++ b/src/c.h
@@ -4,2 +3,0 @@
-int h;
-int i;
"""
        self.assertEqual(COMMITS.changed_lines(diff), {"src/a.cc": [[2, 4], [12, 12]], "src/c.h": [[3, 3]]})


if __name__ == "__main__":
    unittest.main()
