// SPDX-License-Identifier: Apache-2.0
// What the debug information of compilers proves about the build. tests/record and tests/diff
// record programs of real compilers.
#include "symbolize/code_build.h"

#include <array>

#include <gtest/gtest.h>

#include "elf/dwarf_testing.h"

namespace wick {
namespace {

using testing::AbbrevWriter;
using testing::DwarfParts;
using testing::UnitWriter;

struct Named {
  std::string_view producer;
  std::string_view text;
  BuildKind kind;
};

TEST(CodeBuild, GccAndGoRecordTheirOptions) {
  constexpr std::array kNamed = {
      Named{"GNU C17 12.2.0 -mtune=generic -g -O2 -fPIC", "GCC 12.2.0, -O2", BuildKind::kOptimised},
      Named{"GNU C++17 12.2.0 -mtune=generic -g", "GCC 12.2.0, -O0", BuildKind::kNone},
      Named{"GNU C17 12.2.0 -g -O2 -O0", "GCC 12.2.0, -O0", BuildKind::kNone},
      Named{"GNU C17 12.2.0 -g -Og", "GCC 12.2.0, -Og", BuildKind::kOptimised},
      Named{"GNU Fortran2008 13.1 -Ofast", "GCC 13.1, -Ofast", BuildKind::kOptimised},
      Named{"GNU C17 12.2.0", "GCC 12.2.0", BuildKind::kUnknown},  // -gno-record-gcc-switches
      Named{"GNU GIMPLE 12.2.0 -g -fltrans", "GCC 12.2.0", BuildKind::kUnknown},
      Named{"GNU GIMPLE 12.2.0 -g -O2 -fltrans", "GCC 12.2.0, -O2", BuildKind::kOptimised},
      Named{"GNU AS 2.40", "", BuildKind::kUnknown},
      Named{"Go cmd/compile go1.19.8; regabi", "Go 1.19.8, optimised", BuildKind::kOptimised},
      Named{"Go cmd/compile go1.19.8; -N -l; regabi", "Go 1.19.8, -N", BuildKind::kNone},
      Named{"Debian clang version 14.0.6", "clang 14.0.6", BuildKind::kUnknown},
      Named{"clang version 19.1.7 (https://host/llvm 4a02) /usr/bin/clang -g -O1 a.c",
            "clang 19.1.7, -O1",
            BuildKind::kOptimised},
      Named{"clang version 19.1.7 /usr/bin/clang -g a.c", "clang 19.1.7, -O0", BuildKind::kNone},
      Named{"Free Pascal 3.2.2", "", BuildKind::kUnknown},
      Named{"", "", BuildKind::kUnknown}};
  for (const Named& named : kNamed) {
    CodeBuild build = code_build({.producer = named.producer}, "/bin/program");
    EXPECT_EQ(build.text, named.text) << named.producer;
    EXPECT_EQ(build.kind, named.kind) << named.producer;
  }
}

TEST(CodeBuild, VariablesProveWhatClangAndRustDoNotRecord) {
  auto kind = [](VariableCounts variables) {
    return code_build({.producer = "Debian clang version 14.0.6", .variables = variables}, "").kind;
  };
  EXPECT_EQ(kind({.in_memory = 2}), BuildKind::kUnknown) << "too few to decide";
  EXPECT_EQ(kind({.in_memory = 3}), BuildKind::kNone);
  EXPECT_EQ(kind({.in_memory = 300, .in_registers = 1}), BuildKind::kOptimised);
}

// rustc 1.95 optimises the generic code of its library before it compiles it into a program.
TEST(CodeBuild, RustHasAFewVariablesInRegistersWithoutOptimisation) {
  UnitBuild unit{.producer = "clang LLVM (rustc version 1.95.0 (59807616e 2026-04-14))",
                 .directory = "/src/crate"};
  auto kind = [&](VariableCounts variables, std::string_view path = "/bin/program") {
    unit.variables = variables;
    return code_build(unit, path).kind;
  };
  EXPECT_EQ(kind({.in_memory = 600, .in_registers = 44}), BuildKind::kNone);
  EXPECT_EQ(kind({.in_memory = 12, .in_registers = 2}), BuildKind::kNone);
  EXPECT_EQ(kind({.in_memory = 11, .in_registers = 1}), BuildKind::kUnknown) << "too few";
  EXPECT_EQ(kind({.in_memory = 60, .in_registers = 20}), BuildKind::kUnknown);
  EXPECT_EQ(kind({.in_memory = 19, .in_registers = 20}), BuildKind::kOptimised);
  EXPECT_EQ(kind({.in_memory = 3, .in_registers = 1}, "/c/target/debug/program"),
            BuildKind::kCargoDebug);
}

TEST(CodeBuild, CargosDebugProfileIsKnownByItsDirectory) {
  UnitBuild unit{.producer = "clang LLVM (rustc version 1.95.0 (59807616e 2026-04-14))",
                 .directory = "/src/crate"};
  auto built = [&](std::string_view path) { return code_build(unit, path); };
  EXPECT_EQ(built("/src/crate/target/debug/program").kind, BuildKind::kCargoDebug);
  EXPECT_EQ(built("/src/crate/target/debug/program").text, "rustc 1.95.0, target/debug");
  EXPECT_EQ(built("/c/target/x86_64-unknown-linux-gnu/debug/deps/a").kind, BuildKind::kCargoDebug);
  EXPECT_EQ(built("/c/target/release/program").kind, BuildKind::kUnknown);
  EXPECT_EQ(built("/c/target/debug").kind, BuildKind::kUnknown);
  unit.variables.in_registers = 1;
  EXPECT_EQ(built("/c/target/debug/program").kind, BuildKind::kOptimised)
      << "Cargo.toml may say opt-level = 2";
  unit.variables.in_registers = 0;
  unit.directory = "/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860";
  EXPECT_EQ(built("/c/target/debug/program").kind, BuildKind::kUnknown) << "the standard library";
}

TEST(CodeBuild, ADebugCPythonIsNamedBesideItsCompiler) {
  EXPECT_EQ(with_python_checks({}).text, "CPython, Py_DEBUG");
  EXPECT_EQ(with_python_checks({.text = "clang 14.0.6"}).text, "clang 14.0.6, Py_DEBUG");
  CodeBuild build = with_python_checks({"GCC 12.2.0, -Og", BuildKind::kOptimised});
  EXPECT_EQ(build.text, "GCC 12.2.0, -Og with Py_DEBUG");
  EXPECT_EQ(build.kind, BuildKind::kChecked);
  EXPECT_EQ(with_python_checks({"GCC 12.2.0, -O0", BuildKind::kNone}).kind, BuildKind::kNone);
}

// A unit with two functions of one variable each; `expressions` say where they are.
std::string program(const std::string& producer, const std::array<std::string, 2>& expressions) {
  AbbrevWriter abbrev;
  uint64_t unit = abbrev.add(dw_tag::kCompileUnit,
                             true,
                             {{dw_at::kCompDir, dw_form::kString},
                              {dw_at::kProducer, dw_form::kString},
                              {dw_at::kLowPc, dw_form::kAddr},
                              {dw_at::kHighPc, dw_form::kData4}});
  uint64_t number = abbrev.add(dw_tag::kBaseType, false, {{dw_at::kName, dw_form::kString}});
  uint64_t function = abbrev.add(dw_tag::kSubprogram,
                                 true,
                                 {{dw_at::kName, dw_form::kString},
                                  {dw_at::kLowPc, dw_form::kAddr},
                                  {dw_at::kHighPc, dw_form::kData4}});
  uint64_t variable = abbrev.add(dw_tag::kVariable,
                                 false,
                                 {{dw_at::kName, dw_form::kString},
                                  {dw_at::kLocation, dw_form::kExprloc},
                                  {dw_at::kType, dw_form::kRef4}});
  UnitWriter info(4);
  info.entry(unit);
  info.text("/src").text(producer).data(0x1000, 8).data(0x20, 4);
  uint64_t type = info.entry(number);
  info.text("int");
  for (size_t i = 0; i < expressions.size(); ++i) {
    info.entry(function);
    info.text(i == 0 ? "one" : "two").data(0x1000 + 0x10 * i, 8).data(0x10, 4);
    info.entry(variable);
    info.text("number");
    info.raw(std::string(1, static_cast<char>(expressions[i].size())) + expressions[i]);
    info.data(type, 4);
    info.end_children();
  }
  info.end_children();
  return DwarfParts{.info = info.bytes(), .abbrev = abbrev.bytes()}.elf();
}

UnitBuild build_in(const std::string& file, std::span<const uint64_t> addresses) {
  // The caller has the bytes; the answer borrows from them.
  static std::unique_ptr<ElfImage> image;
  image = std::make_unique<ElfImage>(std::move(*ElfImage::parse(as_bytes(file))));
  DwarfInfo info(*image);
  return info.find_in_unit(info.unit_of(addresses[0]), addresses).build;
}

TEST(CodeBuild, OnlyVariablesOfRequestedFunctionsAreCounted) {
  std::string in_memory = "\x91\x70";  // DW_OP_fbreg -16
  std::string in_register = "\x55";    // DW_OP_reg5
  std::string file = program("clang version 14.0.6", {in_memory, in_register});
  std::array<uint64_t, 2> both = {0x1004, 0x1014};
  UnitBuild first = build_in(file, std::span(both).first(1));
  EXPECT_EQ(first.producer, "clang version 14.0.6");
  EXPECT_EQ(first.directory, "/src");
  EXPECT_EQ(first.variables.in_memory, 1);
  EXPECT_EQ(first.variables.in_registers, 0);
  UnitBuild all = build_in(file, both);
  EXPECT_EQ(all.variables.in_memory, 1);
  EXPECT_EQ(all.variables.in_registers, 1);
}

TEST(CodeBuild, ValuesAreNotInMemoryAndStaticVariablesDoNotCount) {
  std::string value = "\x91\x70\x9F";                          // DW_OP_fbreg, DW_OP_stack_value
  std::string fixed = std::string("\x03\0\0\0\0\0\0\0\0", 9);  // DW_OP_addr
  std::array<uint64_t, 2> both = {0x1004, 0x1014};
  std::string file = program("clang version 14.0.6", {fixed, value});
  UnitBuild build = build_in(file, both);
  EXPECT_EQ(build.variables.in_memory, 0);
  EXPECT_EQ(build.variables.in_registers, 1);
  std::string cut = program("clang version 14.0.6", {"", "\x91"});
  EXPECT_EQ(build_in(cut, both).variables.in_registers, 0) << "an expression without operand";
}

TEST(CodeBuild, GccsVariablesAreNotCounted) {
  std::array<uint64_t, 1> one = {0x1004};
  std::string file = program("GNU C17 12.2.0 -g", {"\x91\x70", "\x91\x70"});
  UnitBuild build = build_in(file, one);
  EXPECT_EQ(code_build(build, "").kind, BuildKind::kNone);
  EXPECT_EQ(build.variables.in_memory, 0);
}

}  // namespace
}  // namespace wick
