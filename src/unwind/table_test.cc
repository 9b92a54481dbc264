// SPDX-License-Identifier: Apache-2.0
// Compiles small files that the tests write: order, overlaps, gaps and damage of functions, both
// CFI sections together, stubs without CFI, and hostile tables that the unwinder then walks.
//
// rows_of() prints a table as text, one rule for each address, so that a test compares whole
// tables.
#include "unwind/table.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "elf/function_ranges.h"
#include "elf/go_testing.h"
#include "elf/testing.h"
#include "unwind/testing.h"
#include "unwind/unwind.h"

namespace wick {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the writers of CFI and ELF

constexpr uint64_t kFrames = 0x5000;

std::string rows_of(const UnwindTable& table) {
  std::string text;
  for (size_t i = 0; i < table.size(); ++i) {
    const UnwindRule& rule = table.row_rule(i);
    std::string what = rule.cfa_register == UnwindRule::kNoInformation   ? "none"
                       : rule.cfa_register == UnwindRule::kEndOfStack    ? "end"
                       : rule.cfa_register == UnwindRule::kSignalFrame   ? "signal"
                       : rule.cfa_register == UnwindRule::kSwitchesStack ? "switch"
                       : rule.cfa_register == UnwindRule::kCfaExpression
                           ? "exp"
                           : fmt::format("r{}{:+}", rule.cfa_register, rule.cfa_offset);
    text += fmt::format("{:x} {}; ", table.row_address(i), what);
  }
  return text;
}

UnwindTable compile(const CfiWriter& writer) {
  return UnwindTable::compile(UnwindArch::kX86_64,
                              {.bytes = as_bytes(writer.bytes()), .address = writer.address()});
}

TEST(UnwindTable, FunctionsAreSortedAndGapsMarked) {
  CfiWriter writer(kFrames);
  uint64_t cie = writer.usual_cie();
  writer.fde(cie, 0x2000, 0x10, "");
  writer.fde(cie, 0x1000, 0x10, advance(4) + def_cfa_offset(16));
  writer.fde(cie, 0x1010, 0x10, def_cfa_offset(16));
  UnwindTable table = compile(writer);
  EXPECT_EQ(rows_of(table), "1000 r7+8; 1004 r7+16; 1020 none; 2000 r7+8; 2010 none; ");
  EXPECT_EQ(table.find(0xFFF).cfa_register, UnwindRule::kNoInformation);
  EXPECT_EQ(table.find(0x1003).cfa_offset, 8);
  EXPECT_EQ(table.find(0x101F).cfa_offset, 16);
  EXPECT_EQ(table.find(0x1020).cfa_register, UnwindRule::kNoInformation);
  EXPECT_EQ(table.find(0x2010).cfa_register, UnwindRule::kNoInformation);
  EXPECT_EQ(table.find(UINT64_MAX).cfa_register, UnwindRule::kNoInformation);
  EXPECT_EQ(table.find(0x1'0000'1000).cfa_register, UnwindRule::kNoInformation);
  EXPECT_TRUE(table.ends_before(0x1020));
  EXPECT_FALSE(table.ends_before(0x101F));
  EXPECT_FALSE(table.ends_before(0x1800));
}

TEST(UnwindTable, OverlappingFunctionsAreCutAtTheNextStart) {
  CfiWriter writer(kFrames);
  uint64_t cie = writer.usual_cie();
  writer.fde(cie, 0x1000, 0x100, advance(0x20) + def_cfa_offset(32));
  writer.fde(cie, 0x1010, 0x10, def_cfa_offset(16));
  writer.fde(cie, 0x1010, 0x08, def_cfa_offset(24));
  EXPECT_EQ(rows_of(compile(writer)), "1000 r7+8; 1010 r7+16; 1020 none; ");
}

TEST(UnwindTable, DamagedPartsAreUnknownAndCounted) {
  CfiWriter writer(kFrames);
  uint64_t cie = writer.usual_cie();
  uint64_t bad = writer.cie({}, "\x3C");
  writer.fde(cie, 0x1000, 0x10, advance(4) + "\x3C");
  writer.fde(bad, 0x2000, 0x10, "");
  UnwindTable table = compile(writer);
  EXPECT_EQ(rows_of(table), "1000 r7+8; 1004 none; ");
  EXPECT_EQ(table.damaged(), 2U);
}

TEST(UnwindTable, CodeFarAwayIsLeftOut) {
  CfiWriter writer(kFrames);
  uint64_t cie = writer.cie({.augmentation_data = std::string(1, '\0')}, def_cfa(7, 8));
  auto number = [](uint64_t value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  writer.raw_fde(cie, number(0x1000) + number(0x10) + std::string(1, '\0'));
  writer.raw_fde(cie, number(0x1'0000'2000) + number(0x10) + std::string(1, '\0'));
  writer.raw_fde(cie, number(UINT64_MAX - 4) + number(0x10) + std::string(1, '\0'));
  UnwindTable table = compile(writer);
  EXPECT_EQ(rows_of(table), "1000 r7+8; 1010 none; ");
  EXPECT_EQ(table.damaged(), 2U);
}

// A file with code at [0x1000, 0x1100), .eh_frame and .debug_frame.
struct File {
  explicit File(const std::string& code = std::string(0x100, '\x90'),
                uint16_t machine = EM_X86_64,
                const std::string& section = ".text") {
    writer.machine = machine;
    uint32_t text = writer.add(
        {.name = section, .contents = code, .flags = SHF_ALLOC | SHF_EXECINSTR, .address = 0x1000});
    writer.load_section(text, PF_R | PF_X);
  }
  UnwindTable compile() {
    bytes = writer.bytes();
    image = std::make_unique<ElfImage>(*ElfImage::parse(as_bytes(bytes)));
    return UnwindTable::compile(*image);
  }
  // A program that starts at an address.
  UnwindTable compile_program(uint64_t entry) {
    writer.type = ET_EXEC;
    bytes = writer.bytes();
    reinterpret_cast<Elf64_Ehdr*>(bytes.data())->e_entry = entry;
    image = std::make_unique<ElfImage>(*ElfImage::parse(as_bytes(bytes)));
    return UnwindTable::compile(*image);
  }
  ElfWriter writer;
  std::string bytes;
  std::unique_ptr<ElfImage> image;
};

TEST(UnwindTable, DebugFrameFillsWhatEhFrameLeavesOut) {
  File file;
  CfiWriter eh(kFrames);
  eh.fde(eh.usual_cie(), 0x1000, 0x40, "");
  CfiWriter debug(0, false);
  uint64_t cie =
      debug.cie({.augmentation = "", .augmentation_data = ""}, def_cfa(7, 8) + saved_at(16, 1));
  debug.fde(cie, 0x1000, 0x40, def_cfa_offset(48));
  debug.fde(cie, 0x1040, 0x40, def_cfa_offset(16));
  debug.fde(cie, 0x0, 0x40, def_cfa_offset(24));     // dropped by the linker
  debug.fde(cie, 0x9000, 0x40, def_cfa_offset(24));  // no code there
  file.writer.add({.name = ".eh_frame", .contents = eh.bytes(), .address = kFrames});
  file.writer.add({.name = ".debug_frame", .contents = debug.bytes()});
  EXPECT_EQ(rows_of(file.compile()), "1000 r7+8; 1040 r7+16; 1080 none; ");
}

TEST(UnwindTable, BytesComeBackAndCutOnesDoNot) {
  CfiWriter writer(kFrames);
  uint64_t cie = writer.usual_cie();
  writer.fde(cie, 0x1000, 0x40, def_cfa_offset(48));
  writer.fde(cie, 0x1080, 0x40, def_cfa_offset(16));
  UnwindTable table = compile(writer);
  std::string bytes = table.bytes();
  std::optional<UnwindTable> same = UnwindTable::parse(as_bytes(bytes));
  ASSERT_TRUE(same);
  EXPECT_EQ(rows_of(*same), rows_of(table));
  EXPECT_EQ(same->bytes(), bytes);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(UnwindTable::parse(as_bytes(std::string_view(bytes).substr(0, size)))) << size;
  }
  std::string wrong = bytes;
  size_t first_rule = bytes.size() - table.distinct_rules() * sizeof(UnwindRule) - table.size() * 4;
  wrong[first_rule] = '\x7f';
  EXPECT_FALSE(UnwindTable::parse(as_bytes(wrong))) << "a rule that is not in the dictionary";
}

TEST(FunctionRanges, AreThoseOfTheUnwindInformation) {
  File file;
  CfiWriter eh(kFrames);
  uint64_t cie = eh.usual_cie();
  eh.fde(cie, 0x1040, 0x20, "");
  eh.fde(cie, 0x1000, 0x20, "");
  file.writer.add({.name = ".eh_frame", .contents = eh.bytes(), .address = kFrames});
  file.compile();
  FunctionRanges ranges(*file.image);
  EXPECT_EQ(ranges.find(0x1000)->begin, 0x1000U);
  EXPECT_EQ(ranges.find(0x105f)->begin, 0x1040U);
  EXPECT_EQ(ranges.find(0x1041)->end, 0x1060U);
  EXPECT_FALSE(ranges.find(0x1020));
  EXPECT_FALSE(ranges.find(0xfff));
  EXPECT_FALSE(ranges.find(0x1060));
}

TEST(UnwindTable, SignalReturnStubsAreKnownByTheirBytes) {
  auto with_stub = [](std::string_view stub, uint16_t machine) {
    std::string code(0x100, '\xCC');
    code.replace(0x40, stub.size(), stub);
    return rows_of(File(code, machine).compile());
  };
  using namespace std::string_view_literals;
  EXPECT_EQ(with_stub("\x48\xC7\xC0\x0F\x00\x00\x00\x0F\x05"sv, EM_X86_64),
            "103f signal; 1049 none; ");
  EXPECT_EQ(with_stub("\x68\x11\x80\xD2\x01\x00\x00\xD4"sv, EM_AARCH64),
            "103f signal; 1048 none; ");
  EXPECT_EQ(with_stub("nothing of that kind"sv, EM_X86_64), "");
}

TEST(UnwindTable, PltStubsWithoutCfi) {
  using namespace std::string_view_literals;
  // GNU ld and lld: push GOT; jmp *GOT; nop | jmp *slot; push $0; jmp first
  std::string lazy(
      "\xFF\x35\0\0\0\0\xFF\x25\0\0\0\0\x0F\x1F\x40\0"
      "\xFF\x25\0\0\0\0\x68\0\0\0\0\xE9\0\0\0\0"sv);
  EXPECT_EQ(rows_of(File(lazy, EM_X86_64, ".plt").compile()),
            "1000 r7+16; 1006 r7+24; 1010 r7+8; 101b r7+16; 1020 none; ");
  // mold: endbr64; push %r11; push GOT; jmp *GOT | endbr64; mov $0, %r11d; jmp *slot
  std::string mold(
      "\xF3\x0F\x1E\xFA\x41\x53\xFF\x35\0\0\0\0\xFF\x25\0\0\0\0"
      "\xCC\xCC\xCC\xCC\xCC\xCC\xCC\xCC\xCC\xCC\xCC\xCC\xCC\xCC"
      "\xF3\x0F\x1E\xFA\x41\xBB\0\0\0\0\xFF\x25\0\0\0\0"sv);
  EXPECT_EQ(rows_of(File(mold, EM_X86_64, ".plt").compile()),
            "1000 r7+8; 1006 r7+16; 100c r7+24; 1018 r7+8; 1030 none; ");
  // Branch protection: endbr64; push $0; bnd jmp first; nop
  std::string guarded("\xF3\x0F\x1E\xFA\x68\0\0\0\0\xF2\xE9\0\0\0\0\x90"sv);
  EXPECT_EQ(rows_of(File(guarded, EM_X86_64, ".plt").compile()),
            "1000 r7+8; 1009 r7+16; 1010 none; ");
  // AArch64: stp x16, x30, [sp, #-16]! ...
  std::string aarch64("\xF0\x7B\xBF\xA9"sv);
  aarch64.resize(64, '\0');
  EXPECT_EQ(rows_of(File(aarch64, EM_AARCH64, ".plt").compile()),
            "1000 r31+0; 1004 r31+16; 1020 r31+0; 1040 none; ");
}

// xor %ebp,%ebp; call 0x1040; call 0x1050; ret
std::string own_start() {
  std::string code(0x100, '\x90');
  std::string_view start("\x31\xED\xE8\x39\0\0\0\xE8\x44\0\0\0\xC3", 13);
  return code.replace(0, start.size(), start);
}

TEST(UnwindTable, TheEntryOfAProgramHasNoCaller) {
  EXPECT_EQ(rows_of(File(own_start()).compile_program(0x1000)), "1000 end; 1007 none; ")
      << "without unwind entry and symbol: up to the end of its call";
  EXPECT_EQ(rows_of(File(own_start()).compile_program(0x1080)), "") << "calls nothing";
  EXPECT_EQ(rows_of(File(own_start()).compile_program(0x9000)), "") << "not code";
  EXPECT_EQ(rows_of(File(own_start()).compile()), "") << "a library without entry";
}

TEST(UnwindTable, AllOfTheEntryFunctionIsAStart) {
  // By its unwind entry, which describes it like any function of C.
  File with_cfi(own_start());
  CfiWriter eh(kFrames);
  uint64_t cie = eh.usual_cie();
  eh.fde(cie, 0x1000, 0x20, advance(4) + def_cfa_offset(16));
  eh.fde(cie, 0x1040, 0x20, "");
  with_cfi.writer.add(
      {.name = ".eh_frame", .contents = eh.bytes(), .flags = SHF_ALLOC, .address = kFrames});
  EXPECT_EQ(rows_of(with_cfi.compile_program(0x1000)),
            "1000 end; 1020 none; 1040 r7+8; 1060 none; ");
  // By its symbol.
  File with_symbol(own_start());
  with_symbol.writer.add(
      {.name = ".symtab",
       .contents = ElfWriter::symbol(0, 0, 0, 0) + ElfWriter::symbol(0, 0x1000, 0x10, 1),
       .type = SHT_SYMTAB,
       .link = 3});
  with_symbol.writer.add({.name = ".strtab", .contents = std::string(1, '\0'), .type = SHT_STRTAB});
  EXPECT_EQ(rows_of(with_symbol.compile_program(0x1000)), "1000 end; 1010 none; ");
}

TEST(UnwindTable, StartsOfThreadsAndFibersAreKnownByTheirBytes) {
  using namespace std::string_view_literals;
  auto with_code = [](std::string_view known, uint16_t machine) {
    std::string code(0x100, '\xCC');
    code.replace(0x40, known.size(), known);
    return rows_of(File(code, machine).compile());
  };
  constexpr std::string_view kMuslThread = "\x5F\x41\xFF\xD1\x89\xC7\x31\xC0\xB0\x3C\x0F\x05"sv;
  EXPECT_EQ(with_code(kMuslThread, EM_X86_64), "1040 end; 104c none; ");
  EXPECT_EQ(with_code("\x55\xFF\xE3\x48\x31\xFF\xE8"sv, EM_X86_64), "1040 end; 1047 none; ");
  EXPECT_EQ(with_code(kMuslThread, EM_AARCH64), "") << "not code of this processor";
  // Where there is CFI, the CFI counts.
  std::string code(0x100, '\xCC');
  File file(code.replace(0x40, kMuslThread.size(), kMuslThread));
  CfiWriter eh(kFrames);
  eh.fde(eh.usual_cie(), 0x1040, 0x20, "");
  file.writer.add(
      {.name = ".eh_frame", .contents = eh.bytes(), .flags = SHF_ALLOC, .address = kFrames});
  EXPECT_EQ(rows_of(file.compile()), "1040 r7+8; 1060 none; ");
}

// Go's table has priority over CFI, which does not know where the runtime switches stacks.
TEST(UnwindTable, FramesOfGoAndWhereItSwitchesStacks) {
  auto file_of = [](uint8_t flags, std::string_view second) {
    File file;
    CfiWriter eh(kFrames);
    uint64_t cie = eh.usual_cie();
    eh.fde(cie, 0x1040, 0x20, "");
    eh.fde(cie, 0x10F0, 0x10, "");
    file.writer.add({.name = ".gopclntab",
                     .contents = go_table_with_frames(0x1000, flags, second),
                     .flags = SHF_ALLOC,
                     .address = 0x500000});
    file.writer.add(
        {.name = ".eh_frame", .contents = eh.bytes(), .flags = SHF_ALLOC, .address = kFrames});
    return file;
  };
  EXPECT_EQ(rows_of(file_of(1, "runtime.goexit").compile()),
            "1000 r7+8; 1004 r7+32; 1040 end; 1100 none; ");
  UnwindTable table = file_of(2, "runtime.systemstack").compile();
  EXPECT_EQ(rows_of(table), "1000 r7+8; 1004 r7+32; 1040 switch; 1100 none; ");
  // A function with a frame saves the frame pointer next to its return address.
  EXPECT_EQ(table.find(0x1002).frame_pointer, UnwindRule::Where::kSame);
  EXPECT_EQ(table.find(0x1010).frame_pointer, UnwindRule::Where::kAtCfa);
  EXPECT_EQ(table.find(0x1010).frame_pointer_offset, -16);
  ModuleList modules;
  modules.add({0x1000, 0x1100, 0, &table});
  std::vector<uint64_t> words = {0, 0, 0, 0x1050, 0, 0};
  UnwindInput input;
  input.registers.set(16, 0x1010);
  input.registers.set(7, 0);
  input.stack = std::as_bytes(std::span(words));
  UnwindCache cache;
  std::vector<UnwoundFrame> frames;
  EXPECT_EQ(unwind_stack(input, modules, cache, frames), StackEnd::kSwitched);
  EXPECT_EQ(frames.size(), 2U);
}

TEST(UnwindTable, WithoutSectionHeadersEhFrameIsFoundBySegment) {
  CfiWriter eh(0x3000);
  eh.fde(eh.usual_cie(), 0x1000, 0x40, "");
  eh.terminator();
  // version, encodings (pcrel sdata4, omit, omit), pointer to .eh_frame
  std::string header("\x01\x1B\xFF\xFF", 4);
  auto distance = static_cast<int32_t>(0x3000 - (0x2000 + 4));
  header += std::string(reinterpret_cast<const char*>(&distance), 4);
  File file;
  uint32_t hdr = file.writer.add({.name = "a", .contents = header, .address = 0x2000});
  uint32_t frames = file.writer.add({.name = "b", .contents = eh.bytes(), .address = 0x3000});
  file.writer.load_section(hdr, PF_R);
  file.writer.load_section(frames, PF_R);
  Elf64_Phdr segment{};
  segment.p_type = PT_GNU_EH_FRAME;
  segment.p_vaddr = 0x2000;
  segment.p_memsz = header.size();
  file.writer.add_segment(segment);
  std::string bytes = file.writer.bytes();
  reinterpret_cast<Elf64_Ehdr*>(bytes.data())->e_shoff = 0;
  Result<ElfImage> image = ElfImage::parse(as_bytes(bytes));
  ASSERT_TRUE(image.has_value());
  EXPECT_TRUE(image->sections().empty());
  EXPECT_EQ(rows_of(UnwindTable::compile(*image)), "1000 r7+8; 1040 none; ");
}

// Hostile tables, which are then walked: everything must end, whatever the bytes.
TEST(UnwindTable, EveryByteReplacedAndWalked) {
  CfiWriter writer(kFrames);
  uint64_t cie = writer.usual_cie();
  uint64_t signal = writer.cie({.augmentation = "zRS"}, def_cfa(7, 8) + saved_at(16, 1));
  writer.fde(cie, 0x1000, 0x80, advance(1) + def_cfa(6, 16) + saved_at(6, 2));
  writer.fde(signal,
             0x1080,
             0x40,
             def_cfa_expression("\x77\x08\x06") + val_expression(16, "\x77\x10\x06"));
  writer.fde(cie, 0x10C0, 0x40, def_cfa(3, 8));
  std::vector<uint64_t> stack(256);
  for (size_t i = 0; i < stack.size(); ++i) {
    stack[i] = i % 2 == 0 ? 0x1001 + i % 0xFF : i * 8;
  }
  size_t most = 0;
  for (size_t at = 0; at < writer.bytes().size(); ++at) {
    for (int value = 0; value < 256; value += 5) {
      std::string changed = writer.bytes();
      changed[at] = static_cast<char>(value);
      UnwindTable table = UnwindTable::compile(UnwindArch::kX86_64,
                                               {.bytes = as_bytes(changed), .address = kFrames});
      ModuleList modules;
      modules.add({0x1000, 0x1100, 0, &table});
      UnwindInput input;
      input.registers.set(16, 0x1010 + static_cast<uint64_t>(value) % 0xE0);
      input.registers.set(7, 0);
      input.registers.set(6, 0x20);
      input.stack = std::as_bytes(std::span(stack));
      UnwindCache cache;
      std::vector<UnwoundFrame> frames;
      unwind_stack(input, modules, cache, frames);
      most = std::max(most, frames.size());
    }
  }
  EXPECT_LT(most, 40 * stack.size());
}

}  // namespace
}  // namespace wick
