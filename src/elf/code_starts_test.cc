// SPDX-License-Identifier: Apache-2.0
#include "elf/code_starts.h"

#include <string>

#include <gtest/gtest.h>

#include "elf/testing.h"
#include "isa/testing.h"

namespace wick {
namespace {

using testing::ElfWriter;

constexpr uint64_t kText = 0x401000;

std::string file_with(std::string_view code, const std::string& data) {
  std::string text = isa::testing::code_of(code);
  text.resize(0x100, '\xCC');
  ElfWriter writer;
  uint32_t section = writer.add(
      {.name = ".text", .contents = text, .flags = SHF_ALLOC | SHF_EXECINSTR, .address = kText});
  writer.load_section(section, PF_R | PF_X);
  writer.add({.name = ".data", .contents = data, .flags = SHF_ALLOC, .address = 0x500000});
  return writer.bytes();
}

std::vector<uint64_t> starts_before(const std::string& file, uint64_t address) {
  ElfImage image = *ElfImage::parse(as_bytes(file));
  CodeStarts starts(image);
  std::span<const uint64_t> found = starts.before(address, 2);
  return {found.begin(), found.end()};
}

TEST(CodeStarts, CallsLoadsAndPointersShowThem) {
  // call 0x401020; lea 0x401030,%rdi; mov $0x401040,%edi
  std::string file = file_with("e8 1b 00 00 00  48 8d 3d 24 00 00 00  bf 40 10 40 00  c3",
                               std::string("\x50\x10\x40\0\0\0\0\0\x01\0\0\0\0\0\0\0", 16));
  EXPECT_EQ(starts_before(file, 0x40102F).back(), 0x401020U);
  EXPECT_EQ(starts_before(file, 0x401030).back(), 0x401030U);
  EXPECT_EQ(starts_before(file, 0x40104F).back(), 0x401040U);
  EXPECT_EQ(starts_before(file, 0x4010FF), (std::vector<uint64_t>{0x401040, 0x401050}));
}

TEST(CodeStarts, NumbersOf64BitsAndRelocationsShowThem) {
  // movabs $0x401040,%rdi; ret
  std::string text = isa::testing::code_of("48 bf 40 10 40 00 00 00 00 00  c3");
  text.resize(0x100, '\xCC');
  auto relocation = [](uint64_t type, uint64_t target) {
    Elf64_Rela row{};
    row.r_info = ELF64_R_INFO(0, type);
    row.r_addend = static_cast<int64_t>(target);
    return std::string(reinterpret_cast<const char*>(&row), sizeof row);
  };
  ElfWriter writer;
  writer.load_section(writer.add({.name = ".text",
                                  .contents = text,
                                  .flags = SHF_ALLOC | SHF_EXECINSTR,
                                  .address = kText}),
                      PF_R | PF_X);
  writer.add({.name = ".rela.dyn",
              .contents =
                  relocation(R_X86_64_RELATIVE, 0x401060) + relocation(R_X86_64_GLOB_DAT, 0x401080),
              .type = SHT_RELA,
              .flags = SHF_ALLOC,
              .address = 0x500000});
  EXPECT_EQ(starts_before(writer.bytes(), 0x4010FF), (std::vector<uint64_t>{0x401040, 0x401060}));
}

TEST(CodeStarts, PaddingWithInt3ShowsThem) {
  // ret; int3 up to 0x401010; push %rbp; ret; int3 up to 0x401018; ret; 0xCC as a number up to
  // 0x401020; ret
  std::string padding = " cc cc cc cc cc";
  std::string file = file_with("c3" + padding + padding + padding + "55 c3 cc cc cc cc cc cc c3" +
                                   " 90 90  b8 cc cc cc cc c3",
                               "");
  EXPECT_EQ(starts_before(file, 0x4010FF), (std::vector<uint64_t>{0x401010}));
}

TEST(CodeStarts, AFileWithoutCodeHasNone) {
  EXPECT_TRUE(starts_before(file_with("", ""), 0x400000).empty());
}

}  // namespace
}  // namespace wick
