// SPDX-License-Identifier: Apache-2.0
// Single steps with known answers: real files with difficult unwind information (the corpus of
// framehop, whose INDEX.md restates the expected values), and small tables that the tests write.
//
// Machine is a process made of words: the test sets the stack and the modules, unwinds, and
// compares frames and the end of the stack. Each stack is unwound twice, the second time with a
// warm cache.
#include "unwind/unwind.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "elf/testing.h"
#include "tests/support/files.h"
#include "unwind/testing.h"

namespace wick {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace): the helpers of this folder
using namespace std::string_literals;

constexpr uint8_t kRbp = 6;
constexpr uint8_t kRsp = 7;
constexpr uint8_t kRip = 16;

// A process with modules, whose memory from address 0 on is a list of words.
class Machine {
 public:
  explicit Machine(UnwindArch arch = UnwindArch::kX86_64) : arch_(arch) {}

  void set_stack(std::vector<uint64_t> words) { words_ = std::move(words); }
  uint64_t& word_at(uint64_t address) { return words_.at(address / 8); }
  void load(const LoadedFile& file, uint64_t base) {
    modules_.add({base, base + 0x1000'0000, base, &file.table});
  }
  void add_table(const UnwindTable& table, uint64_t first, uint64_t last, uint64_t bias) {
    modules_.add({first, last, bias, &table});
  }
  // Code without a table: the end of the addresses under test.
  void add_plain(uint64_t first, uint64_t last) { modules_.add({first, last, 0, nullptr}); }
  void add_missing_file(uint64_t first, uint64_t last) {
    modules_.add({first, last, 0, nullptr, false, true});
  }

  std::vector<UnwoundFrame> unwind(uint64_t pc, uint64_t sp, uint64_t fp) {
    registers.set(traits_of(arch_).pc, pc);
    registers.set(traits_of(arch_).stack_pointer, sp);
    registers.set(traits_of(arch_).frame_pointer, fp);
    UnwindInput input{.arch = arch_, .registers = registers};
    input.stack = std::as_bytes(std::span(words_)).subspan(sp);
    input.stack_goes_on = stack_goes_on;
    std::vector<UnwoundFrame> frames;
    end = unwind_stack(input, modules_, cache_, frames);
    // A second time, now with a warm cache.
    std::vector<UnwoundFrame> again;
    EXPECT_EQ(unwind_stack(input, modules_, cache_, again), end);
    EXPECT_EQ(again, frames);
    return frames;
  }

  UnwindRegisters registers;
  bool stack_goes_on = true;
  StackEnd end = StackEnd::kComplete;

 private:
  UnwindArch arch_;
  std::vector<uint64_t> words_;
  ModuleList modules_;
  UnwindCache cache_;
};

std::unique_ptr<LoadedFile> framehop_file(const std::string& name) {
  std::string path = corpus_path("mstange-framehop/fixtures/linux/" + name);
  return path.empty() ? nullptr : load_elf(path);
}
#define SKIP_WITHOUT(file)                                                           \
  if ((file) == nullptr) {                                                           \
    GTEST_SKIP() << "the corpus is not available; set WICK_CORPUS to its directory"; \
  }

// A table for the code at [begin, begin + size).
UnwindTable table_of(const std::string& instructions,
                     uint64_t begin = 0x1000,
                     uint64_t size = 0x100) {
  CfiWriter cfi(0x5000);
  cfi.fde(cfi.usual_cie(), begin, size, instructions);
  CfiSection section{.bytes = as_bytes(cfi.bytes()), .address = 0x5000};
  return UnwindTable::compile(UnwindArch::kX86_64, section);
}

TEST(Framehop, PltExpressionCountsThePushedWord) {
  auto file = framehop_file("x86_64/fp/nightly-firefox-bin");
  SKIP_WITHOUT(file);
  constexpr uint64_t kBase = 0x1000000;
  for (auto [sp, pc] : std::vector<std::pair<uint64_t, uint64_t>>{
           {0x28, 0xc0db}, {0x30, 0xc0e0}, {0x30, 0xc0e6}, {0x28, 0xc0eb}}) {
    Machine machine;
    machine.set_stack({1, 2, 3, 4, 5, 0xa, 0x123456, 6, 7, 8, 9});
    machine.load(*file, kBase);
    machine.add_plain(0x123000, 0x124000);
    auto frames = machine.unwind(kBase + pc, sp, 0x345);
    ASSERT_EQ(frames.size(), 2U) << std::hex << pc;
    EXPECT_EQ(frames[1].address, 0x123456U);
    EXPECT_EQ(frames[1].sp, 0x38U);
    // rbp is unchanged: 0x345 is not a frame.
    EXPECT_EQ(machine.end, StackEnd::kNoUnwindInfo);
  }
}

TEST(Framehop, ReturnAddressFromAnExpression) {
  auto file = framehop_file("x86_64/nofp/libpthread-2.19.so");
  SKIP_WITHOUT(file);
  constexpr uint64_t kBase = 0x7f54b14fc000;
  Machine machine;
  std::vector<uint64_t> words(0x140 / 8);
  machine.set_stack(words);
  machine.word_at(0x128) = 0xbe7042;
  machine.load(*file, kBase);
  machine.add_plain(0xbe7000, 0xbe8000);
  auto frames = machine.unwind(kBase + 0x9431, 0x10, 0x120);
  ASSERT_GE(frames.size(), 4U);
  EXPECT_EQ(frames[1].address, kBase + 0x9436);
  EXPECT_EQ(frames[1].sp, 0x10U);
  EXPECT_EQ(frames[2].address, kBase + 0x8c2c);
  EXPECT_EQ(frames[2].sp, 0x90U);
  EXPECT_EQ(frames[3].address, 0xbe7042U);
  EXPECT_EQ(frames[3].sp, 0x130U);
}

TEST(Framehop, EhFrameWithoutSearchTable) {
  auto file = framehop_file("aarch64/vdso.so");
  SKIP_WITHOUT(file);
  for (auto [pc, sp] : std::vector<std::pair<uint64_t, uint64_t>>{{0x5a8, 0x50}, {0x5ac, 0x40}}) {
    Machine machine(UnwindArch::kAarch64);
    std::vector<uint64_t> words(0x100 / 8);
    words[0x40 / 8] = 0x70;    // x29
    words[0x48 / 8] = 0x1234;  // x30
    machine.set_stack(words);
    machine.registers.set(30, 0x1234);
    machine.add_table(file->table, 0x500, 0x800, 0);
    machine.add_plain(0x1000, 0x2000);
    auto frames = machine.unwind(pc, sp, 0x70);
    ASSERT_GE(frames.size(), 2U);
    EXPECT_EQ(frames[1].address, 0x1234U);
    EXPECT_EQ(frames[1].sp, 0x50U);
  }
}

TEST(Framehop, JustBehindTheEndOfAFunction) {
  auto file = framehop_file("x86_64/nofp/libc.so.6");
  SKIP_WITHOUT(file);
  Machine machine;
  machine.set_stack({1, 2, 0x123456, 4, 5});
  machine.load(*file, 0x1000'0000);
  machine.add_plain(0x123000, 0x124000);
  auto frames = machine.unwind(0x1000'0000 + 0x12973d, 0x10, 0);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[1].address, 0x123456U);
  EXPECT_EQ(frames[1].sp, 0x18U);
  EXPECT_EQ(machine.end, StackEnd::kNoUnwindInfo);  // the last frame may have callers
}

TEST(Framehop, UndefinedReturnAddressIsTheEnd) {
  auto file = framehop_file("x86_64/nofp/release-firefox-bin");
  SKIP_WITHOUT(file);
  Machine machine;
  machine.set_stack({1, 2, 3, 4});
  machine.load(*file, 0x1000'0000);
  auto frames = machine.unwind(0x1000'0000 + 0x88cf2, 8, 0);
  EXPECT_EQ(frames.size(), 1U);
  EXPECT_EQ(machine.end, StackEnd::kComplete);
}

// A thread starts with rbp 0, and code without frame pointers leaves it so: this is not an end. Nor
// is a zero that code without CFI has saved.
TEST(Unwind, AFramePointerOfZeroProvesNothing) {
  UnwindTable table = table_of("");
  Machine machine;
  machine.set_stack({0, 9, 0x2010, 9, 0, 0x2020, 9});
  machine.add_table(table, 0x1000, 0x1900, 0);
  machine.add_plain(0x2000, 0x3000);
  // Sampled in unknown code: no caller, or the one on top of the stack.
  EXPECT_EQ(machine.unwind(0x2004, 0x8, 0).size(), 1U);
  EXPECT_EQ(machine.end, StackEnd::kNoUnwindInfo);
  EXPECT_EQ(machine.unwind(0x2004, 0x10, 0).size(), 2U);
  EXPECT_EQ(machine.end, StackEnd::kNoUnwindInfo);
  // Called from there.
  EXPECT_EQ(machine.unwind(0x1010, 0x10, 0).size(), 2U);
  EXPECT_EQ(machine.end, StackEnd::kNoUnwindInfo);
  // In a gap of the CFI.
  EXPECT_EQ(machine.unwind(0x1800, 0x8, 0).size(), 1U);
  EXPECT_EQ(machine.end, StackEnd::kNoUnwindInfo);
  // A frame that has saved a zero.
  EXPECT_EQ(machine.unwind(0x2004, 0x18, 0x20).size(), 2U);
  EXPECT_EQ(machine.end, StackEnd::kNoUnwindInfo);
}

// push rbp; mov rsp,rbp; ...; pop rbp; ret: after the pop CFI still says rbp = [CFA - 16].
TEST(Unwind, EpilogueThatReadsBelowTheStackPointerKeepsTheRegister) {
  UnwindTable table =
      table_of(def_cfa(kRbp, 16) + saved_at(kRbp, 2) + advance(0x20) + def_cfa(kRsp, 8));
  UnwindTable caller = table_of(def_cfa(kRbp, 16) + saved_at(kRbp, 2), 0x2000);
  Machine machine;
  machine.add_table(table, 0x1000, 0x1100, 0);
  machine.add_table(caller, 0x2000, 0x2100, 0);
  machine.add_plain(0x3000, 0x4000);
  machine.set_stack({0, 0, 0x2050, 0, 0, 0, 0, 0x3050, 0});
  auto frames = machine.unwind(0x1020, 0x10, 0x30);
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[1].address, 0x2050U);
  EXPECT_EQ(frames[2].address, 0x3050U);
}

TEST(Unwind, ReturnAddressBehindTheLastInstructionBelongsToTheCaller) {
  // A function at 0x1000 whose last instruction is a call; the next function has another rule.
  CfiWriter cfi(0x5000);
  uint64_t cie = cfi.usual_cie();
  cfi.fde(cie, 0x1000, 0x10, def_cfa_offset(16));
  cfi.fde(cie, 0x1010, 0x10, undefined(kRip));
  UnwindTable table = UnwindTable::compile(UnwindArch::kX86_64,
                                           {.bytes = as_bytes(cfi.bytes()), .address = 0x5000});
  UnwindTable leaf = table_of("", 0x2000);
  Machine machine;
  machine.add_table(table, 0x1000, 0x1100, 0);
  machine.add_table(leaf, 0x2000, 0x2100, 0);
  machine.add_plain(0x3000, 0x4000);
  machine.set_stack({0x1010, 7, 0x3010, 0, 0});
  auto frames = machine.unwind(0x2000, 0, 0);
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[1].address, 0x1010U);
  EXPECT_EQ(frames[1].frame_address().lookup(), 0x100FU);
  EXPECT_EQ(frames[2].address, 0x3010U);
}

TEST(Unwind, EndsHaveAReason) {
  UnwindTable table = table_of("");
  UnwindTable large = table_of(def_cfa_offset(0x2000), 0x2000);
  UnwindTable stuck = table_of(def_cfa_offset(0), 0x3000);
  UnwindTable odd = table_of(def_cfa(12, 0), 0x4000);
  Machine machine;
  machine.add_table(table, 0x1000, 0x1100, 0);
  machine.add_table(large, 0x2000, 0x2100, 0);
  machine.add_table(stuck, 0x3000, 0x3100, 0);
  machine.add_table(odd, 0x4000, 0x4100, 0);
  machine.set_stack({0, 0x9999, 0x2010, 0x3010, 0x4010, 0x1010});
  EXPECT_EQ(machine.unwind(0x1010, 0, 0).size(), 1U);
  EXPECT_EQ(machine.end, StackEnd::kZeroReturn);
  EXPECT_EQ(machine.unwind(0x1010, 8, 0).size(), 1U);
  EXPECT_EQ(machine.end, StackEnd::kNoModule);
  EXPECT_EQ(machine.unwind(0x9999, 8, 0).size(), 1U);
  EXPECT_EQ(machine.end, StackEnd::kNoModule);
  EXPECT_EQ(machine.unwind(0x1010, 16, 0).size(), 2U);
  EXPECT_EQ(machine.end, StackEnd::kCopyTooShort);
  // A large frame whose pages were never used, or a rule that leads beyond the end of the stack.
  machine.stack_goes_on = false;
  EXPECT_EQ(machine.unwind(0x1010, 16, 0).size(), 2U);
  EXPECT_EQ(machine.end, StackEnd::kCopyCut);
  EXPECT_EQ(machine.unwind(0x1010, 32, 0).size(), 2U);
  EXPECT_EQ(machine.end, StackEnd::kBadRule);  // r12 is unknown in a caller
  EXPECT_EQ(machine.unwind(0x1080, 40, 0).size(), 2U);
  EXPECT_EQ(machine.end, StackEnd::kCopyCut);
  // A return address below the stack pointer.
  UnwindTable below = table_of(saved_at(kRip, 3), 0x6000);
  machine.add_table(below, 0x6000, 0x6100, 0);
  EXPECT_EQ(machine.unwind(0x6010, 8, 0).size(), 1U);
  EXPECT_EQ(machine.end, StackEnd::kBadMemory);
}

// Without the file of the C library, a frame pointer may be that of any outer function: the start
// of the program that it leads to does not prove that no frame was skipped.
TEST(Unwind, AStartBeyondAMissingFileIsNotProven) {
  UnwindTable start = table_of(undefined(kRip), 0x1000);
  UnwindTable main = table_of("", 0x3000);
  Machine machine;
  machine.add_table(start, 0x1000, 0x1100, 0);
  machine.add_missing_file(0x2000, 0x3000);
  machine.add_table(main, 0x3000, 0x3100, 0);
  machine.set_stack({0x2010, 0, 0, 0, 0, 0x1010, 0});
  EXPECT_EQ(machine.unwind(0x3010, 0, 0x20).size(), 3U);
  EXPECT_EQ(machine.end, StackEnd::kUnproven);
  // Sampled in that file: the word on top of the stack is only a guess.
  machine.set_stack({0x1010, 0, 0});
  EXPECT_EQ(machine.unwind(0x2010, 0, 0).size(), 2U);
  EXPECT_EQ(machine.end, StackEnd::kUnproven);
  // Without a frame pointer.
  machine.set_stack({0x2010, 0, 0, 0, 0, 0x1010, 0});
  EXPECT_EQ(machine.unwind(0x3010, 0, 0).size(), 2U);
  EXPECT_EQ(machine.end, StackEnd::kNoUnwindInfo);
}

TEST(Unwind, FramesThatDoNotRiseEnd) {
  // CFA = rsp, return address = pc + 1: makes no progress.
  UnwindTable table = table_of(def_cfa(kRsp, 0) + val_expression(kRip, "\x80\x01"));
  Machine machine;
  machine.add_table(table, 0x1000, 0x1100, 0);
  machine.set_stack({0, 0, 0});
  auto frames = machine.unwind(0x1010, 0, 0);
  EXPECT_EQ(machine.end, StackEnd::kNoProgress);
  EXPECT_LT(frames.size(), 20U);
  // CFA = rsp + 1, the same return address: rises, but never reads the stack.
  UnwindTable rising = table_of(def_cfa(kRsp, 1) + val_expression(kRip, "\x80\x00"s), 0x4000);
  machine.add_table(rising, 0x4000, 0x4100, 0);
  EXPECT_LT(machine.unwind(0x4010, 0, 0).size(), 60U);
  EXPECT_EQ(machine.end, StackEnd::kCopyTooShort);
  // CFA below.
  UnwindTable falling = table_of("\x13" + sleb(1), 0x2000);  // def_cfa_offset_sf: -8
  machine.add_table(falling, 0x2000, 0x2100, 0);
  machine.unwind(0x2010, 16, 0);
  EXPECT_EQ(machine.end, StackEnd::kNoProgress);
}

TEST(Unwind, FramePointersAreFollowedWithoutTable) {
  Machine machine;
  machine.add_plain(0x1000, 0x2000);
  machine.set_stack({0x9111, 0x18, 0x1010, 0x28, 0x1020, 0, 0x1030});
  auto frames = machine.unwind(0x1008, 0, 8);
  ASSERT_EQ(frames.size(), 4U);
  EXPECT_EQ(frames[1].address, 0x1010U);
  EXPECT_EQ(frames[1].source, FrameSource::kFramePointer);
  EXPECT_EQ(frames[3].address, 0x1030U);
  EXPECT_EQ(machine.end, StackEnd::kNoUnwindInfo);  // a frame pointer of 0 is not a start
  // One that points down, and one that is not a multiple of the word.
  EXPECT_EQ(machine.unwind(0x1008, 0x18, 8).size(), 1U);
  EXPECT_EQ(machine.end, StackEnd::kNoUnwindInfo);
  EXPECT_EQ(machine.unwind(0x1008, 0, 9).size(), 1U);
  EXPECT_EQ(machine.end, StackEnd::kNoUnwindInfo);
}

TEST(Unwind, LeafOfBareAssemblyReturnsToTheTopOfTheStack) {
  Machine machine;
  machine.add_plain(0x1000, 0x2000);
  UnwindTable caller = table_of("", 0x3000);
  machine.add_table(caller, 0x3000, 0x3100, 0);
  machine.set_stack({0x3010, 0, 0x1010, 0});
  auto frames = machine.unwind(0x1008, 0, 0x7777);  // rbp is used for something else
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[1].address, 0x3010U);
  EXPECT_EQ(machine.end, StackEnd::kZeroReturn);
  // The same if it points into the stack, but not to a return address.
  machine.set_stack({0x3010, 0, 0x10, 0x5555});
  EXPECT_EQ(machine.unwind(0x1008, 0, 0x10).size(), 2U);
  EXPECT_EQ(machine.end, StackEnd::kZeroReturn);
  // In a caller there is nothing on top of the stack.
  machine.set_stack({0x3010, 0x1010, 0x3010, 0});
  EXPECT_EQ(machine.unwind(0x3000, 0, 0x7777).size(), 3U);
  EXPECT_EQ(machine.end, StackEnd::kNoUnwindInfo);
}

// After the end of a function, with a result of 0 and no return address: a new thread out of clone.
TEST(Unwind, NewThreadBeginsInTheSystemCallThatMadeIt) {
  UnwindTable table = table_of("");
  Machine machine;
  machine.add_table(table, 0x1000, 0x2000, 0);
  machine.set_stack({0x9999, 0, 0});
  machine.registers.set(0, 0);
  EXPECT_EQ(machine.unwind(0x1102, 0, 0x7777).size(), 1U);
  EXPECT_EQ(machine.end, StackEnd::kComplete);
  // Far from any function.
  EXPECT_EQ(machine.unwind(0x1800, 0, 0x7777).size(), 1U);
  EXPECT_EQ(machine.end, StackEnd::kNoUnwindInfo);
  // The parent.
  machine.registers.set(0, 4711);
  EXPECT_EQ(machine.unwind(0x1102, 0, 0x7777).size(), 1U);
  EXPECT_EQ(machine.end, StackEnd::kNoUnwindInfo);
  machine.set_stack({0x1010, 0, 0});
  EXPECT_EQ(machine.unwind(0x1102, 0, 0x7777).size(), 2U);
}

// makecontext's functions return to the first instruction of a function that was never called.
TEST(Unwind, ContextThatWasMadeByHandBeginsWhereNobodyCalled) {
  UnwindTable table = table_of("");
  Machine machine;
  machine.add_table(table, 0x0F00, 0x1100, 0);
  machine.set_stack({0x1000, 0x9999'0000, 0, 0});
  EXPECT_EQ(machine.unwind(0x1010, 0, 0).size(), 2U);
  EXPECT_EQ(machine.end, StackEnd::kComplete);
  machine.set_stack({0x1001, 0x9999'0000, 0, 0});
  EXPECT_EQ(machine.unwind(0x1010, 0, 0).size(), 2U);
  EXPECT_EQ(machine.end, StackEnd::kNoModule);
}

TEST(Unwind, DepthLimitIsSaid) {
  UnwindTable table = table_of("");
  ModuleList modules;
  modules.add({0x1000, 0x1100, 0, &table});
  std::vector<uint64_t> words(100, 0x1010);
  UnwindInput input;
  input.registers.set(kRip, 0x1010);
  input.registers.set(kRsp, 0);
  input.stack = std::as_bytes(std::span(words));
  input.max_frames = 10;
  UnwindCache cache;
  std::vector<UnwoundFrame> frames;
  EXPECT_EQ(unwind_stack(input, modules, cache, frames), StackEnd::kTooDeep);
  EXPECT_EQ(frames.size(), 10U);
  input.max_frames = UINT32_MAX;
  frames.clear();
  EXPECT_EQ(unwind_stack(input, modules, cache, frames), StackEnd::kCopyTooShort);
  EXPECT_EQ(frames.size(), 101U);
}

TEST(Unwind, CallersRegisterThatHandWrittenCodeNeeds) {
  // Like the lazy binding of ld.so: CFA = rbx + 16 across a call, and the callee saves rbx.
  constexpr uint8_t kRbx = 3;
  CfiWriter cfi(0x5000);
  uint64_t cie = cfi.usual_cie();
  cfi.fde(cie, 0x1000, 0x100, def_cfa(kRbx, 16));
  cfi.fde(cie, 0x1100, 0x100, def_cfa_offset(24) + saved_at(kRbx, 2));
  UnwindTable table = UnwindTable::compile(UnwindArch::kX86_64,
                                           {.bytes = as_bytes(cfi.bytes()), .address = 0x5000});
  EXPECT_TRUE(table.tracks_extra());
  Machine machine;
  machine.add_table(table, 0x1000, 0x1200, 0);
  machine.add_plain(0x3000, 0x4000);
  machine.set_stack({0, 0x28, 0x1010, 0, 0, 0, 0x3010, 0});
  machine.registers.set(kRbx, 0x7777);
  auto frames = machine.unwind(0x1110, 0, 0);
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[2].address, 0x3010U);
  EXPECT_EQ(frames[2].sp, 0x38U);
}

TEST(Unwind, AddressSpacesDoNotMix) {
  UnwindTable one = table_of("");
  UnwindTable two = table_of(def_cfa_offset(16));
  ModuleList first;
  ModuleList second;
  first.add({0x1000, 0x1100, 0, &one});
  second.add({0x1000, 0x1100, 0, &two});
  std::vector<uint64_t> words = {0x1020, 0x1030, 0, 0x1040, 0};
  UnwindInput input;
  input.registers.set(kRip, 0x1010);
  input.registers.set(kRsp, 0);
  input.stack = std::as_bytes(std::span(words));
  UnwindCache cache;
  for (uint32_t round = 0; round < 4; ++round) {
    std::vector<UnwoundFrame> frames;
    input.address_space = round % 2;
    unwind_stack(input, round % 2 == 0 ? first : second, cache, frames);
    ASSERT_EQ(frames.size(), 3U);
    EXPECT_EQ(frames[1].address, round % 2 == 0 ? 0x1020U : 0x1030U);
  }
}

}  // namespace
}  // namespace wick
