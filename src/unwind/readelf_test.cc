// SPDX-License-Identifier: Apache-2.0
// Compares compiled tables with another reader of CFI: binutils' `readelf
// --debug-dump=frames-interp`, on this machine's C and C++ libraries, this program, one built by
// clang, one with only .debug_frame, and AArch64 libraries of the corpus. Skipped if readelf is not
// installed.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/files.h"
#include "unwind/process_testing.h"
#include "unwind/testing.h"

namespace wick {
namespace {

using testing::corpus_path;
using testing::load_elf;
using testing::LoadedFile;
using testing::ScratchDir;

bool is_installed(const char* program) {
  return std::system(fmt::format("command -v {} > /dev/null 2>&1", program).c_str()) == 0;
}

// Calls on_line for each line of the command's output.
template <typename OnLine>
void for_each_line(const std::string& command, OnLine on_line) {
  FILE* pipe = ::popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  char* line = nullptr;
  size_t capacity = 0;
  while (::getline(&line, &capacity, pipe) > 0) {
    on_line(std::string_view(line));
  }
  std::free(line);
  ::pclose(pipe);
}

std::vector<std::string_view> columns_of(std::string_view line) {
  std::vector<std::string_view> words;
  size_t at = 0;
  while ((at = line.find_first_not_of(" \t\n", at)) != std::string_view::npos) {
    size_t end = std::min(line.find_first_of(" \t\n", at), line.size());
    if (line[at] != '(') {  // "r9 (rbp)" is one word
      words.push_back(line.substr(at, end - at));
    }
    at = end;
  }
  return words;
}

std::string register_name(UnwindArch arch, uint8_t number) {
  static constexpr const char* kNames[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"};
  if (arch == UnwindArch::kAarch64) {
    return number == 31 ? "sp" : fmt::format("x{}", number);
  }
  return number < 8 ? kNames[number] : fmt::format("r{}", number);
}

// wick's rule in readelf's words.
std::string cfa_words(UnwindArch arch, const UnwindRule& rule) {
  if (rule.cfa_register == UnwindRule::kCfaExpression) {
    return "exp";
  }
  return fmt::format("{}{:+}", register_name(arch, rule.cfa_register), rule.cfa_offset);
}
std::string where_words(UnwindRule::Where where, int32_t offset) {
  using Where = UnwindRule::Where;
  switch (where) {
    case Where::kAtCfa:
      return fmt::format("c{:+}", offset);
    case Where::kCfaPlus:
      return fmt::format("v{:+}", offset);
    case Where::kRegister:
      return fmt::format("r{}", offset);
    case Where::kAtExpression:
      return "exp";
    case Where::kExpression:
      return "vexp";
    default:
      return "u";
  }
}

struct Comparison {
  size_t rows = 0;
  size_t differences = 0;
};

// The columns of one row: which word belongs to the frame pointer and to the return address.
struct Columns {
  size_t frame_pointer = 0;  // 0: there is none
  size_t return_address = 0;
};

void compare_row(const UnwindTable& table,
                 const std::vector<std::string_view>& words,
                 const Columns& columns,
                 Comparison& comparison) {
  uint64_t address = std::stoull(std::string(words[0]), nullptr, 16);
  const UnwindRule& rule = table.find(address);
  auto word = [&](size_t column) {
    // "u" may also mean that there is no rule; "s" is the same value, stated explicitly.
    bool has_rule = column != 0 && column < words.size() && words[column] != "s";
    return has_rule ? std::string(words[column]) : std::string("u");
  };
  std::string their_ra = word(columns.return_address);
  std::string theirs =
      fmt::format("{} fp {} ra {}", words[1], word(columns.frame_pointer), their_ra);
  UnwindArch arch = table.arch();
  std::string ours = fmt::format("{} fp {} ra {}",
                                 cfa_words(arch, rule),
                                 where_words(rule.frame_pointer, rule.frame_pointer_offset),
                                 where_words(rule.return_address, rule.return_address_offset));
  ++comparison.rows;
  bool both_end = rule.cfa_register == UnwindRule::kEndOfStack && their_ra == "u";
  bool both_signal = rule.cfa_register == UnwindRule::kSignalFrame;
  if (theirs != ours && !both_end && !both_signal && ++comparison.differences < 5) {
    ADD_FAILURE() << fmt::format("{:x}: readelf '{}', ours '{}'", address, theirs, ours);
  }
}

Comparison compare(const std::string& path, const UnwindTable& table) {
  Comparison comparison;
  Columns columns;
  bool in_fde = false;
  std::string fp_name = register_name(table.arch(), traits_of(table.arch()).frame_pointer);
  for_each_line(fmt::format("readelf --debug-dump=frames-interp '{}' 2>/dev/null", path),
                [&](std::string_view line) {
                  std::vector<std::string_view> words = columns_of(line);
                  if (words.size() > 3 && (words[3] == "FDE" || words[3] == "CIE")) {
                    // A function that the linker dropped starts at 0.
                    in_fde = words[3] == "FDE" &&
                             line.find("pc=0000000000000000") == std::string_view::npos;
                  } else if (words.size() > 1 && words[0] == "LOC") {
                    columns = {};
                    for (size_t i = 2; i < words.size(); ++i) {
                      columns.frame_pointer = words[i] == fp_name ? i : columns.frame_pointer;
                      columns.return_address = words[i] == "ra" ? i : columns.return_address;
                    }
                  } else if (in_fde && words.size() > 1 && words[0].size() == 16) {
                    compare_row(table, words, columns, comparison);
                  }
                });
  return comparison;
}

void expect_same(const std::string& path, size_t least_rows) {
  SCOPED_TRACE(path);
  std::unique_ptr<LoadedFile> loaded = load_elf(path);
  ASSERT_NE(loaded, nullptr);
  EXPECT_EQ(loaded->table.damaged(), 0U);
  Comparison comparison = compare(path, loaded->table);
  EXPECT_EQ(comparison.differences, 0U);
  EXPECT_GE(comparison.rows, least_rows);
}

#define SKIP_WITHOUT_READELF()                    \
  if (!is_installed("readelf")) {                 \
    GTEST_SKIP() << "binutils are not installed"; \
  }

TEST(Readelf, AgreesOnTheLibrariesOfThisProcess) {
  SKIP_WITHOUT_READELF();
  std::string before;
  size_t files = 0;
  for (const testing::MapsLine& line : testing::read_maps("self")) {
    if (line.executable && line.path.starts_with('/') && line.path != before) {
      before = line.path;
      expect_same(line.path, 10);
      ++files;
    }
  }
  EXPECT_GE(files, 3U);
}

constexpr std::string_view kProgram = R"(
#include <stdio.h>
#include <string.h>
static int work(int n, char** text) {
  char room[n + 10];
  memset(room, n, sizeof(room));
  return n < 2 ? room[0] : work(n - 1, text) + printf("%s\n", text[0]);
}
int main(int argc, char** argv) { return work(argc, argv) == 7; }
)";

void build_and_compare(const std::string& compiler, const std::string& flags) {
  ScratchDir scratch;
  testing::write_file(scratch.file("program.c"), kProgram);
  std::string program = scratch.file("program");
  std::string command =
      fmt::format("{} {} '{}' -o '{}' 2>&1", compiler, flags, scratch.file("program.c"), program);
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  expect_same(program, 8);
}

TEST(Readelf, AgreesOnAProgramBuiltByClang) {
  SKIP_WITHOUT_READELF();
  if (!is_installed("clang")) {
    GTEST_SKIP() << "clang is not installed";
  }
  build_and_compare("clang", "-O2");
  build_and_compare("clang", "-O1 -fno-omit-frame-pointer");
}

TEST(Readelf, AgreesOnDebugFrame) {
  SKIP_WITHOUT_READELF();
  if (!is_installed("gcc")) {
    GTEST_SKIP() << "gcc is not installed";
  }
  build_and_compare("gcc", "-O2 -g -fno-asynchronous-unwind-tables -fno-exceptions");
  build_and_compare("gcc", "-O2 -g -fno-asynchronous-unwind-tables -fno-exceptions -gz=zlib");
}

TEST(Readelf, AgreesOnAarch64) {
  SKIP_WITHOUT_READELF();
  for (const char* name : {"parca-testdata/vendored/arm64/libc.so.6",
                           "mstange-framehop/fixtures/linux/aarch64/libc-2.31.so",
                           "mstange-framehop/fixtures/linux/aarch64/ld-2.31.so",
                           "mstange-framehop/fixtures/linux/aarch64/vdso.so"}) {
    std::string path = corpus_path(name);
    SKIP_WITHOUT_CORPUS(path);
    expect_same(path, 5);
  }
}

}  // namespace
}  // namespace wick
