// SPDX-License-Identifier: Apache-2.0
// The unwind tables of another project (parca-dev/testdata) as golden files: their tables and
// wick's must agree at every address.
//
// There are two forms. "default" lists for every FDE, in the order of the file, its rows as a CFI
// reader sees them; "final" is one sorted table after their simplifications. The test converts
// wick's tables to the same words and compares row by row in both directions: at each of their
// addresses, and at each of wick's.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/lines.h"
#include "elf/cfi.h"
#include "elf/frame_program.h"
#include "tests/support/files.h"
#include "unwind/testing.h"

namespace wick {
namespace {

using testing::corpus_path;
using testing::load_elf;
using testing::LoadedFile;
using testing::read_unpacked;

constexpr DwarfRegister kFramePointer = 6;

// Splits at any run of blanks.
std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (size_t at = 0; at < line.size();) {
    size_t begin = line.find_first_not_of(" \t", at);
    if (begin == std::string_view::npos) {
      break;
    }
    at = std::min(line.find_first_of(" \t", begin), line.size());
    words.push_back(line.substr(begin, at - begin));
  }
  return words;
}

uint64_t hex(std::string_view text) {
  return std::stoull(std::string(text), nullptr, 16);
}

// The last row of a file may be followed by the first line of the next file without a line break.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

// Maps an address to the rule from there on, in words.
using Rows = std::map<uint64_t, std::string>;
// Maps the start of a function to its rows.
using Functions = std::map<uint64_t, Rows>;

// "=> Function start: 20ba90, Function end: 20babb", then "Loc: 20ba90 CFA: $rsp=8 RBP: u".
Functions parse_default(const std::string& text) {
  Functions functions;
  Rows* current = nullptr;
  for (const std::string& line : lines_of(text)) {
    std::vector<std::string_view> words = words_of(line);
    if (words.size() >= 4 && words[0] == "=>") {
      current = &functions[hex(words[3].substr(0, words[3].size() - 1))];
    } else if (words.size() >= 5 && words[0] == "Loc:" && current != nullptr) {
      std::string rest;
      for (std::string_view word : std::span(words).subspan(2)) {
        rest += std::string(word) + " ";
      }
      (*current)[hex(words[1])] = rest;
    }
  }
  return functions;
}

std::string register_name(DwarfRegister number) {
  static constexpr const char* kNames[] = {
      "$rax", "$rdx", "$rcx", "$rbx", "$rsi", "$rdi", "$rbp", "$rsp"};
  return number < 8 ? kNames[number] : fmt::format("$r{}", number);
}

// Their two words for the PLT expression: "plt 1" compares with 11 (0x0b), "plt 2" with 10.
std::string expression_words(Bytes expression) {
  constexpr uint8_t kLit10 = 0x3A;
  constexpr uint8_t kLit11 = 0x3B;
  bool plt = expression.size() == 11 && expression[0] == std::byte{0x77};
  if (plt && expression[6] == std::byte{kLit11}) {
    return "exp (plt 1) ";
  }
  return plt && expression[6] == std::byte{kLit10} ? "exp (plt 2) " : "exp ";
}

std::string default_words(const CfiRow& row) {
  std::string words = "CFA: ";
  if (row.cfa.kind == CfaRule::Kind::kExpression) {
    words += expression_words(row.cfa.expression);
  } else {
    words += fmt::format("{}={} ", register_name(row.cfa.base), row.cfa.offset);
  }
  words += "RBP: ";
  switch (row.frame_pointer.kind) {
    case RegisterRule::Kind::kAtCfa:
      return words + fmt::format("c{} ", row.frame_pointer.offset);
    case RegisterRule::Kind::kRegister:
      return words + register_name(static_cast<DwarfRegister>(row.frame_pointer.offset)) + " ";
    case RegisterRule::Kind::kAtExpression:
      return words + "exp ";
    default:
      return words + "u ";
  }
}

Functions our_default(const ElfImage& image) {
  Functions functions;
  CfiSection section = find_cfi(image, CfiKind::kEhFrame);
  CfiReader reader(section);
  FrameProgram program(section, kFramePointer, FrameProgram::kNoRegister);
  EXPECT_EQ(reader.damaged(), 0U);
  for (const Fde& fde : reader.fdes()) {
    const Cie& cie = reader.cies()[fde.cie];
    CfiRow initial;
    EXPECT_TRUE(program.start(cie, initial));
    Rows& rows = functions[fde.begin];
    uint64_t end = program.run(cie, initial, fde, [&](uint64_t address, const CfiRow& row) {
      rows[address] = default_words(row);
    });
    EXPECT_EQ(end, fde.end);
  }
  return functions;
}

// The rule at an address: the row at or before it.
std::string at(const Rows& rows, uint64_t address) {
  auto after = rows.upper_bound(address);
  return after == rows.begin() ? "" : std::prev(after)->second;
}

size_t count_differences(const Rows& theirs, const Rows& ours) {
  size_t differences = 0;
  auto compare = [&](uint64_t address) {
    if (at(theirs, address) != at(ours, address)) {
      ++differences;
      if (differences < 5) {
        ADD_FAILURE() << fmt::format(
            "{:x}: theirs '{}', ours '{}'", address, at(theirs, address), at(ours, address));
      }
    }
  };
  for (const auto& [address, words] : theirs) {
    compare(address);
  }
  for (const auto& [address, words] : ours) {
    if (!theirs.contains(address)) {
      compare(address);
    }
  }
  return differences;
}

class GoldenTable : public ::testing::TestWithParam<const char*> {};

TEST_P(GoldenTable, DefaultRowsAreTheSame) {
  std::string name = std::string(GetParam()).substr(std::string(GetParam()).rfind('/') + 1);
  std::string binary = corpus_path("parca-testdata/" + std::string(GetParam()));
  std::string golden = corpus_path("parca-testdata/tables/amd64/default/ours_" + name + ".txt");
  if (golden.empty()) {
    golden = corpus_path("parca-testdata/tables/amd64/default/ours_" + name + ".txt.gz");
  }
  SKIP_WITHOUT_CORPUS(binary);
  SKIP_WITHOUT_CORPUS(golden);
  std::unique_ptr<LoadedFile> loaded = load_elf(binary);
  ASSERT_NE(loaded, nullptr);
  Functions theirs = parse_default(read_unpacked(golden));
  Functions ours = our_default(*loaded->image);
  ASSERT_FALSE(theirs.empty());
  EXPECT_EQ(theirs.size(), ours.size());
  size_t rows = 0;
  for (const auto& [begin, their_rows] : theirs) {
    ASSERT_TRUE(ours.contains(begin)) << fmt::format("no function at {:x}", begin);
    EXPECT_EQ(count_differences(their_rows, ours[begin]), 0U);
    rows += their_rows.size();
  }
  RecordProperty("rows", static_cast<int>(rows));
}

// "pc: 28000 cfa_type: 2 rbp_type: 0 cfa_offset: 16 rbp_offset: 0 [lr_offset: 0]". Blanks may be
// missing before lr_offset.
Rows parse_final(const std::string& text, bool with_lr) {
  Rows rows;
  for (std::string line : lines_of(text)) {
    if (size_t lr = line.find("lr_offset"); lr != std::string::npos) {
      line.insert(lr, " ");
    }
    std::vector<std::string_view> words = words_of(line);
    if (words.size() < 10) {
      continue;
    }
    rows[hex(words[1])] = fmt::format("cfa {} rbp {} {} {}{}",
                                      words[3],
                                      words[5],
                                      words[7],
                                      words[9],
                                      with_lr ? fmt::format(" lr {}", words[11]) : "");
  }
  return rows;
}

// wick's rule in their numbers.
std::string final_words(const UnwindTable& table, const UnwindRule& rule, bool with_lr) {
  enum Cfa { kOther = 0, kByFp = 1, kBySp = 2, kExpression = 3, kEndOfFunction = 4 };
  enum Fp { kSame = 0, kOffset = 1, kRegister = 2, kFpExpression = 3 };
  using Where = UnwindRule::Where;
  const UnwindArchTraits& traits = traits_of(table.arch());
  int cfa = kOther;
  int64_t cfa_offset = static_cast<int16_t>(rule.cfa_offset);  // theirs has 16 bits and wraps
  if (rule.cfa_register == UnwindRule::kNoInformation) {
    cfa = kEndOfFunction;
  } else if (rule.cfa_register == UnwindRule::kCfaExpression) {
    cfa = kExpression;
    std::string words = expression_words(table.expression(rule.cfa_offset));
    cfa_offset = words == "exp (plt 1) " ? 1 : words == "exp (plt 2) " ? 2 : 0;
  } else if (rule.cfa_register == traits.frame_pointer) {
    cfa = kByFp;
  } else if (rule.cfa_register == traits.stack_pointer) {
    cfa = kBySp;
  }
  int fp = rule.frame_pointer == Where::kAtCfa          ? kOffset
           : rule.frame_pointer == Where::kRegister     ? kRegister
           : rule.frame_pointer == Where::kAtExpression ? kFpExpression
                                                        : kSame;
  std::string words = fmt::format(
      "cfa {} rbp {} {} {}", cfa, fp, cfa_offset, fp == kOffset ? rule.frame_pointer_offset : 0);
  return with_lr ? words + fmt::format(" lr {}", rule.return_address_offset) : words;
}

Rows our_final(const UnwindTable& table, bool with_lr) {
  Rows rows;
  for (size_t i = 0; i < table.size(); ++i) {
    rows[table.row_address(i)] = final_words(table, table.row_rule(i), with_lr);
  }
  return rows;
}

// Cases in which wick knows more than they do.
bool is_explained(const std::string& theirs, const UnwindRule& ours) {
  // They have no rows for PLT stubs without CFI, which wick recognises by their bytes.
  if ((ours.flags & UnwindRule::kStub) != 0) {
    return theirs.empty() || theirs.starts_with("cfa 4 ");
  }
  // The end of the stack: they write the CFA and mark rbp with 4; wick stores only the end.
  if (ours.cfa_register == UnwindRule::kEndOfStack) {
    return theirs.find("rbp 4") != std::string::npos;
  }
  return false;
}

void compare_final(const std::string& binary, const std::string& golden, bool with_lr) {
  std::unique_ptr<LoadedFile> loaded = load_elf(binary);
  ASSERT_NE(loaded, nullptr);
  const UnwindTable& table = loaded->table;
  EXPECT_EQ(table.damaged(), 0U);
  Rows theirs = parse_final(read_unpacked(golden), with_lr);
  Rows ours = our_final(table, with_lr);
  ASSERT_FALSE(theirs.empty());
  size_t explained = 0;
  for (auto row = ours.begin(); row != ours.end(); ++row) {
    if (is_explained(at(theirs, row->first), table.find(row->first))) {
      row->second = at(theirs, row->first);
      ++explained;
    }
  }
  EXPECT_EQ(count_differences(theirs, ours), 0U);
  ::testing::Test::RecordProperty("rows", static_cast<int>(theirs.size()));
  ::testing::Test::RecordProperty("explained", static_cast<int>(explained));
}

TEST_P(GoldenTable, FinalRowsAreTheSame) {
  std::string name = std::string(GetParam()).substr(std::string(GetParam()).rfind('/') + 1);
  std::string binary = corpus_path("parca-testdata/" + std::string(GetParam()));
  std::string golden = corpus_path("parca-testdata/tables/amd64/final/ours_" + name + ".txt");
  if (golden.empty()) {
    golden = corpus_path("parca-testdata/tables/amd64/final/ours_" + name + ".txt.gz");
  }
  SKIP_WITHOUT_CORPUS(binary);
  SKIP_WITHOUT_CORPUS(golden);
  compare_final(binary, golden, false);
}

INSTANTIATE_TEST_SUITE_P(Parca,
                         GoldenTable,
                         ::testing::Values("vendored/amd64/libc.so.6",
                                           "vendored/amd64/ruby",
                                           "out/amd64/basic-cpp",
                                           "out/amd64/basic-cpp-no-fp",
                                           "out/amd64/basic-cpp-plt",
                                           "out/amd64/basic-cpp-jit-no-fp"),
                         [](const auto& test) {
                           std::string name = test.param;
                           for (char& c : name) {
                             c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                           }
                           return name;
                         });

TEST(GoldenTables, Aarch64LibcIsTheSame) {
  std::string binary = corpus_path("parca-testdata/vendored/arm64/libc.so.6");
  std::string golden = corpus_path("parca-testdata/tables/arm64/final/ours_libc.so.6.txt.gz");
  SKIP_WITHOUT_CORPUS(binary);
  SKIP_WITHOUT_CORPUS(golden);
  compare_final(binary, golden, true);
}

}  // namespace
}  // namespace wick
