// SPDX-License-Identifier: Apache-2.0
// Tables of lines against what the interpreters say about them. testdata/print_lines.py has printed
// testdata/lines.txt: version, format, function, its first line, the table in hexadecimal, and the
// lines ("0-8=4": the bytes from 0 to 8 have line 4; 0: none).
#include "runtimes/python/lines.h"

#include <cstdio>
#include <map>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/files.h"

namespace wick::python {
namespace {

Layout::Lines format_called(const std::string& name) {
  return name == "pairs"    ? Layout::Lines::kPairs
         : name == "ranges" ? Layout::Lines::kRanges
                            : Layout::Lines::kLocations;
}

InterpretedCode decoded(Layout::Lines format, std::string_view table, uint32_t first_line) {
  return {.lines = decode_lines(format, as_bytes(table), first_line)};
}

TEST(PythonLines, AgreeWithTheInterpreters) {
  std::istringstream records(wick::testing::read_file(
      wick::testing::source_path("src/runtimes/python/testdata/lines.txt")));
  std::string version;
  std::string format;
  std::string function;
  uint32_t first_line = 0;
  std::string table;
  std::string rows;
  std::map<std::string, size_t> compared;
  while (records >> version >> format >> function >> first_line >> table >> rows) {
    SCOPED_TRACE(::testing::Message() << version << ' ' << function);
    InterpretedCode code = decoded(format_called(format), bytes_of_hex(table), first_line);
    std::istringstream ranges(rows);
    for (std::string range; std::getline(ranges, range, ',');) {
      unsigned begin = 0;
      unsigned end = 0;
      unsigned line = 0;
      ASSERT_EQ(std::sscanf(range.c_str(), "%u-%u=%u", &begin, &end, &line), 3);
      for (unsigned position = begin; position < end; position += 2) {
        ASSERT_EQ(code.line_at(position), line) << position;
        ++compared[version];
      }
    }
  }
  EXPECT_EQ(compared.size(), 6U);
  for (const auto& [name, count] : compared) {
    EXPECT_GT(count, 500U) << name;
  }
}

TEST(PythonLines, AfterTheCodeThereIsNone) {
  std::string one("\x04\x01", 2);
  EXPECT_EQ(decoded(Layout::Lines::kRanges, one, 10).line_at(2), 11U);
  EXPECT_EQ(decoded(Layout::Lines::kRanges, one, 10).line_at(4), 0U);
  EXPECT_EQ(decoded(Layout::Lines::kLocations, "\x81\x00", 10).line_at(UINT32_MAX), 0U);
  EXPECT_EQ(decoded(Layout::Lines::kLocations, "", 10).line_at(0), 0U);
  // Pairs do not say how long the code is.
  EXPECT_EQ(decoded(Layout::Lines::kPairs, "", 10).line_at(1000), 10U);
}

TEST(PythonLines, DamagedTablesGiveTheLinesUpToThere) {
  // An entry with 36 bits and more, one that is cut, and one that does not start with bit 7.
  std::string start("\x83\x00", 2);
  for (std::string_view rest : {"\xf0\x7f\x7f\x7f\x7f\x7f\x7f\x7f", "\xf0", "\x03"}) {
    InterpretedCode code = decoded(Layout::Lines::kLocations, start + std::string(rest), 7);
    EXPECT_EQ(code.line_at(6), 7U);
    EXPECT_EQ(code.line_at(8), 0U);
  }
  // Lines below 1 and above all numbers are none.
  EXPECT_EQ(decoded(Layout::Lines::kRanges, "\x04\x81", 7).line_at(0), 0U);
  EXPECT_EQ(decoded(Layout::Lines::kRanges, "\x04\x01", UINT32_MAX).line_at(0), 0U);
}

TEST(PythonLines, AnyBytesGiveAscendingPositions) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string table(random() % 64, '\0');
    for (char& byte : table) {
      byte = static_cast<char>(random());
    }
    for (auto format : {Layout::Lines::kPairs, Layout::Lines::kRanges, Layout::Lines::kLocations}) {
      InterpretedCode code = decoded(format, table, 100);
      for (size_t i = 1; i < code.lines.size(); ++i) {
        ASSERT_LT(code.lines[i - 1].begin, code.lines[i].begin);
        ASSERT_NE(code.lines[i - 1].line, code.lines[i].line);
      }
    }
  }
}

}  // namespace
}  // namespace wick::python
