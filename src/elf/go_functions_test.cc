// SPDX-License-Identifier: Apache-2.0
#include "elf/go_functions.h"

#include <string>

#include <gtest/gtest.h>

#include "elf/go_testing.h"
#include "elf/symbols.h"
#include "elf/testing.h"

namespace wick {
namespace {

using testing::ElfWriter;

constexpr std::string_view kNames("main.main\0main.(*T).String\0", 27);
constexpr uint64_t kText = 0x401000;

// Two functions at 0x401000 and 0x401040 up to 0x401100, in the layout of Go 1.18 and later.
std::string new_table(uint32_t magic, uint64_t text) {
  constexpr uint64_t kHeader = 8 + 8 * 8;
  ByteWriter table;
  table.number(magic);
  table.number<uint32_t>(0x08010000);  // zeros, 1 byte an instruction, 8 a pointer
  uint64_t functions = kHeader + kNames.size() + 1;
  for (uint64_t number : {uint64_t{2}, uint64_t{1}, text, kHeader, kHeader, kHeader, kHeader}) {
    table.number(number);
  }
  table.number(functions);
  table.text(std::string(kNames) + '\0');
  for (uint32_t number : {0U, 20U, 0x40U, 28U, 0x100U, 0U, 0U, 0x40U, 10U}) {
    table.number(number);
  }
  return table.bytes();
}

// The same in the layout of Go 1.2 to 1.15: addresses, and offsets from the start.
std::string old_table() {
  constexpr uint64_t kNamesAt = 8 + 8 + 5 * 8;
  constexpr uint64_t kDescriptionsAt = kNamesAt + 32;
  ByteWriter table;
  table.number<uint32_t>(0xFFFFFFFB);
  table.number<uint32_t>(0x08010000);
  for (uint64_t number :
       {uint64_t{2}, kText, kDescriptionsAt, kText + 0x40, kDescriptionsAt + 12, kText + 0x100}) {
    table.number(number);
  }
  table.text(std::string(kNames) + std::string(32 - kNames.size(), '\0'));
  for (uint32_t name : {0U, 10U}) {
    table.number<uint64_t>(0);
    table.number(static_cast<uint32_t>(kNamesAt + name));
  }
  return table.bytes();
}

std::string file_with(const std::string& table, const std::string& section = ".gopclntab") {
  ElfWriter writer;
  writer.add({.name = ".text",
              .contents = std::string(0x100, '\x90'),
              .flags = SHF_ALLOC | SHF_EXECINSTR,
              .address = kText});
  writer.add({.name = section, .contents = table, .flags = SHF_ALLOC, .address = 0x500000});
  return writer.bytes();
}

std::string name_at(const std::string& file, uint64_t address) {
  ElfImage image = *ElfImage::parse(as_bytes(file));
  SymbolTable table = SymbolTable::from(image);
  std::optional<Symbol> symbol = table.find(address);
  return symbol ? std::string(symbol->name) : "-";
}

TEST(GoFunctions, NamesComeFromTheRuntimesTable) {
  for (const std::string& file : {file_with(old_table()),
                                  file_with(new_table(0xFFFFFFF0, kText)),
                                  file_with(new_table(0xFFFFFFF1, kText)),
                                  file_with(new_table(0xFFFFFFF1, 0), ".data.rel.ro.gopclntab")}) {
    EXPECT_EQ(name_at(file, kText - 1), "-");
    EXPECT_EQ(name_at(file, kText), "main.main");
    EXPECT_EQ(name_at(file, kText + 0x3F), "main.main");
    EXPECT_EQ(name_at(file, kText + 0x40), "main.(*T).String");
    EXPECT_EQ(name_at(file, kText + 0xFF), "main.(*T).String");
    EXPECT_EQ(name_at(file, kText + 0x100), "-");
  }
}

// Without the address of Go's text, a section with other code is of no use.
TEST(GoFunctions, CodeOfOthersIsNotNamed) {
  std::string table = new_table(0xFFFFFFF1, 0);
  ElfWriter writer;
  writer.add({.name = ".text",
              .contents = std::string(0x2000, '\x90'),
              .flags = SHF_ALLOC | SHF_EXECINSTR,
              .address = kText});
  writer.add({.name = ".gopclntab", .contents = table, .address = 0x500000});
  EXPECT_EQ(name_at(writer.bytes(), kText), "-");
}

TEST(GoFunctions, DamagedTables) {
  for (const std::string& whole : {old_table(), new_table(0xFFFFFFF1, kText)}) {
    for (size_t size = 0; size < whole.size(); ++size) {
      std::string name = name_at(file_with(whole.substr(0, size)), kText);
      EXPECT_TRUE(name == "-" || name == "main.main") << size;
    }
    for (size_t at = 4; at < whole.size(); ++at) {
      std::string damaged = whole;
      damaged[at] = '\xFF';
      name_at(file_with(damaged), kText);
    }
  }
  EXPECT_EQ(name_at(file_with(new_table(0xFFFFFFF7, kText)), kText), "-");
}

std::vector<GoFrameRow> frames_of(const std::string& table) {
  std::string file = file_with(table);
  ElfImage image = *ElfImage::parse(as_bytes(file));
  return read_go_frames(image);
}

TEST(GoFrames, SizesAndTheFunctionsThatHaveNoCaller) {
  auto rows = frames_of(testing::go_table_with_frames(kText, 1, "runtime.goexit"));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].begin, kText);
  EXPECT_EQ(rows[0].end, kText + 4);
  EXPECT_EQ(rows[0].size, 0U);
  EXPECT_EQ(rows[1].end, kText + 0x40);
  EXPECT_EQ(rows[1].size, 24U);
  EXPECT_EQ(rows[2].begin, kText + 0x40);
  EXPECT_EQ(rows[2].kind, GoFrameRow::Kind::kOutermost);
}

TEST(GoFrames, OnlyTheRuntimeSwitchesStacks) {
  for (auto [name, kind] : {std::pair("runtime.mcall", GoFrameRow::Kind::kLeaves),
                            {"runtime.systemstack", GoFrameRow::Kind::kSwitches}}) {
    EXPECT_EQ(frames_of(testing::go_table_with_frames(kText, 2, name)).back().kind, kind) << name;
  }
  EXPECT_EQ(frames_of(testing::go_table_with_frames(kText, 2, "crypto.block")).size(), 2U)
      << "it aligns its stack";
}

TEST(GoFrames, DamagedTables) {
  std::string whole = testing::go_table_with_frames(kText, 2, "runtime.mcall");
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_LE(frames_of(whole.substr(0, size)).size(), whole.size()) << size;
  }
  for (size_t at = 4; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = '\xFF';
    EXPECT_LE(frames_of(damaged).size(), 2 * whole.size()) << at;
  }
}

}  // namespace
}  // namespace wick
