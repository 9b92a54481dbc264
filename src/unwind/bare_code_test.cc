// SPDX-License-Identifier: Apache-2.0
// Whole stacks through code without CFI: a process of hand-written code and words, unwound.
#include "unwind/bare_code.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "elf/testing.h"
#include "isa/testing.h"
#include "unwind/unwind.h"

namespace wick {
namespace {

using testing::CfiWriter;

constexpr uint8_t kRax = 0;
constexpr uint8_t kRbp = 6;
constexpr uint8_t kRsp = 7;
constexpr uint8_t kRip = 16;
constexpr uint64_t kFile = 0x1000;       // code without CFI, with a table that has only the start
constexpr uint64_t kStart = 0x1F00;      // calls `main` at kFile
constexpr uint64_t kGenerated = 0x8000;  // code without a file
constexpr uint64_t kCut = 0xA000;        // a file that ends before its code

// A file whose code has one start, and generated code.
class Process : public ModuleLookup {
 public:
  explicit Process(std::string_view digits) : code_(0x1000, '\xCC') {
    place(0, digits);
    CfiWriter cfi(0x5000);
    cfi.fde(cfi.usual_cie(), kStart, 0x10, testing::undefined(kRip));
    table_ = UnwindTable::compile(UnwindArch::kX86_64,
                                  {.bytes = as_bytes(cfi.bytes()), .address = 0x5000});
    file_ = {kFile, kFile + code_.size(), 0, &table_};
    generated_ = {kGenerated, kGenerated + 0x1000, 0, nullptr};
    cut_ = {kCut, kCut + 0x1000, 0, &no_rules_};
    place(kStart - kFile, "e8 fb f0 ff ff  f4");  // call kFile; hlt
  }
  void place(uint64_t at, std::string_view digits) {
    std::string bytes = isa::testing::code_of(digits);
    code_.replace(at, bytes.size(), bytes);
  }
  const MappedModule* find(uint64_t address) const override {
    return address - file_.begin < file_.end - file_.begin ? &file_
           : address - generated_.begin < 0x1000           ? &generated_
           : address - cut_.begin < 0x1000                 ? &cut_
                                                           : nullptr;
  }
  Bytes code_at(uint64_t address) const override {
    uint64_t at = address - kFile;
    return at < code_.size() ? as_bytes(code_).subspan(at) : Bytes();
  }
  std::vector<uint64_t> starts_before(uint64_t address) const override {
    std::vector<uint64_t> found;
    std::ranges::copy_if(
        starts, std::back_inserter(found), [&](uint64_t start) { return start <= address; });
    return found;
  }

  std::vector<UnwoundFrame> unwind(uint64_t pc,
                                   const std::vector<uint64_t>& stack,
                                   uint64_t rbp = 0) {
    std::vector<UnwoundFrame> frames = unwind_once(pc, stack, rbp);
    StackEnd cold_end = end;
    EXPECT_EQ(unwind_once(pc, stack, rbp), frames) << "with a warm cache";
    EXPECT_EQ(end, cold_end);
    return frames;
  }
  std::vector<UnwoundFrame> unwind_once(uint64_t pc,
                                        const std::vector<uint64_t>& stack,
                                        uint64_t rbp) {
    UnwindInput input;
    input.registers.set(kRip, pc);
    input.registers.set(kRsp, 0);
    input.registers.set(kRbp, rbp);
    input.stack = std::as_bytes(std::span(stack));
    std::vector<UnwoundFrame> frames;
    end = unwind_stack(input, *this, cache_, frames);
    return frames;
  }
  // The next stack may not follow any instruction.
  void use_up_budget() { cache_.code_budget() = uint64_t{0} - UnwindCache::kCodeBudgetOfStack; }

  StackEnd end = StackEnd::kComplete;
  std::vector<uint64_t> starts;  // of functions, as the file shows them

 private:
  std::string code_;
  UnwindTable table_;
  MappedModule file_;
  MappedModule generated_;
  UnwindTable no_rules_;
  MappedModule cut_;
  UnwindCache cache_;
};

// At 0: call 0x20; ret. At 0x20: sub $24,%rsp; nop; add $24,%rsp; ret
constexpr std::string_view kTwoFunctions =
    "e8 1b 00 00 00  c3  cc cc  cc cc cc cc cc cc cc cc  cc cc cc cc cc cc cc cc  cc cc cc cc cc "
    "cc cc cc  48 83 ec 18  90  48 83 c4 18  c3";

TEST(BareCode, FramesWithoutPointersAreFoundByTheirCode) {
  Process process(kTwoFunctions);
  auto frames = process.unwind(kFile + 0x24, {1, 2, 3, kFile + 5, kStart + 5, 9});
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[1].address, kFile + 5);
  EXPECT_EQ(frames[1].source, FrameSource::kCode);
  EXPECT_EQ(frames[2].address, kStart + 5);
  EXPECT_EQ(process.end, StackEnd::kComplete);
  // In the prologue, and after the epilogue.
  EXPECT_EQ(process.unwind(kFile + 0x20, {kFile + 5, kStart + 5, 9}).size(), 3U);
  EXPECT_EQ(process.unwind(kFile + 0x29, {kFile + 5, kStart + 5, 9}).size(), 3U);
}

// At 0: push %rbp; mov %rsp,%rbp; sub %rax,%rsp; call 0x20; jmp *%rax. At 0x20: push %rbp; mov
// %rsp,%rbp; push $0; nop; jmp *%rcx, as the builtins of V8 end.
TEST(BareCode, ACallerFoundOnTheStackHasItsFramePointer) {
  Process process(
      "55 48 89 e5 48 29 c4 e8 14 00 00 00 ff e0 cc cc  cc cc cc cc cc cc cc cc  cc cc cc cc cc cc "
      "cc cc  55 48 89 e5 6a 00 90 ff e1");
  process.starts = {kFile, kFile + 0x20};
  auto frames = process.unwind(kFile + 0x26, {0, 0x30, kFile + 0xC, 1, 2, 3, 0, kStart + 5, 9}, 8);
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[1].address, kFile + 0xC);
  EXPECT_EQ(frames[2].address, kStart + 5);
  EXPECT_EQ(process.end, StackEnd::kComplete);
}

// At 0x20: push %rbp; mov %rsp,%rbp; push $0; nop; add $8,%rsp; pop %rcx; xor %ebp,%ebp; ret
TEST(BareCode, CodeThatLosesTheFramePointerHasSavedIt) {
  Process process(
      "55 48 89 e5 48 29 c4 e8 14 00 00 00 ff e0 cc cc  cc cc cc cc cc cc cc cc  cc cc cc cc cc cc "
      "cc cc  55 48 89 e5 6a 00 90 48 83 c4 08 59 31 ed c3");
  process.starts = {kFile, kFile + 0x20};
  auto frames = process.unwind(kFile + 0x26, {0, 0x30, kFile + 0xC, 1, 2, 3, 0, kStart + 5, 9}, 8);
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[1].address, kFile + 0xC);
  EXPECT_EQ(frames[2].address, kStart + 5);
}

// At 0x20: nop; leave; jmp 0x40. At 0x40: sub $8,%rsp; push %rbp; mov %rsp,%rbp; nop; leave; add
// $8,%rsp; ret. What it restores is what it has saved, and not what is there now.
TEST(BareCode, AJumpOutOfAFrameDoesNotChangeItsFramePointer) {
  Process process(
      "55 48 89 e5 48 29 c4 e8 14 00 00 00 ff e0 cc cc  cc cc cc cc cc cc cc cc  cc cc cc cc cc cc "
      "cc cc  90 c9 eb 1c cc cc cc cc  cc cc cc cc cc cc cc cc  cc cc cc cc cc cc cc cc  cc cc cc "
      "cc cc cc cc cc  48 83 ec 08 55 48 89 e5 90 c9 48 83 c4 08 c3");
  process.starts = {kFile};
  auto frames = process.unwind(kFile + 0x20, {7, 0x30, kFile + 0xC, 1, 2, 3, 0, kStart + 5, 9}, 8);
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[1].address, kFile + 0xC);
  EXPECT_EQ(frames[2].address, kStart + 5);
}

TEST(BareCode, AWordThatFollowsNoCallIsNotACaller) {
  Process process(kTwoFunctions);
  EXPECT_EQ(process.unwind(kFile + 0x24, {1, 2, 3, kFile + 6, 0, 0}).size(), 1U);
  EXPECT_EQ(process.end, StackEnd::kNoUnwindInfo);
  // Nor is it with a frame pointer, whatever is there.
  EXPECT_EQ(process.unwind(kFile + 0x24, {1, 2, 0x20, kFile + 6, 0, 0}, 0x10).size(), 1U);
}

TEST(BareCode, ACallOfAnotherFunctionIsNotTheCaller) {
  Process process(kTwoFunctions);
  // kStart calls the function at 0, which does not become the one at 0x20.
  EXPECT_EQ(process.unwind(kFile + 0x24, {1, 2, 3, kStart + 5, 0, 0}).size(), 1U);
  EXPECT_EQ(process.end, StackEnd::kNoUnwindInfo);
}

TEST(BareCode, AZeroFramePointerIsNoStart) {
  Process process("eb fe");  // a loop that zeroes rbp
  EXPECT_EQ(process.unwind(kFile, {0, 0, 0, 0}, 0).size(), 1U);
  EXPECT_EQ(process.end, StackEnd::kZeroReturn);
  EXPECT_EQ(process.unwind(kFile, {0, 0, 0, 0}, 8).size(), 1U);
  EXPECT_EQ(process.end, StackEnd::kZeroReturn);
}

TEST(BareCode, LoopsThatNeverReturnAreFoundOnTheStack) {
  // At 0: sub $8,%rsp; call 0x10; (never returns). At 0x10: push %rbx; push %rbx; jmp to itself
  Process process("48 83 ec 08  e8 07 00 00 00  cc cc cc cc cc cc cc  53  53  eb fe");
  auto frames = process.unwind(kFile + 0x12, {7, 7, kFile + 9, 7, kStart + 5, 0});
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[1].address, kFile + 9);
  EXPECT_EQ(frames[2].address, kStart + 5);
  EXPECT_EQ(process.end, StackEnd::kComplete);
  // The same word one slot higher does not fit the code.
  EXPECT_EQ(process.unwind(kFile + 0x12, {7, 7, 7, kFile + 9, 0, 0}).size(), 1U);
}

TEST(BareCode, GeneratedCodeIsNotChecked) {
  Process process("eb fe");
  auto frames = process.unwind(kGenerated + 4, {0, 0x18, kGenerated + 0x40, 0, 0, 0}, 8);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[1].source, FrameSource::kFramePointer);
  EXPECT_EQ(process.end, StackEnd::kZeroReturn);
}

// jmp *pointer, which the start calls, as programs call __libc_start_main. At 0x10: push %rbx; jmp
// to itself
constexpr std::string_view kJumpsElsewhere =
    "ff 25 00 00 00 00  cc cc cc cc cc cc cc cc cc cc  53  eb fe";

TEST(BareCode, AStartIsTheCallerOfWhatAPointerLeadsTo) {
  Process process(kJumpsElsewhere);
  auto frames = process.unwind(kFile + 0x11, {7, kStart + 5, 0});
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[1].address, kStart + 5);
  EXPECT_EQ(process.end, StackEnd::kComplete);
  // Not if the words before it include one that could be a return address, too.
  for (uint64_t other : {kGenerated + 8, kCut + 8}) {
    EXPECT_EQ(process.unwind(kFile + 0x11, {7, other, kStart + 5, 0}).size(), 1U) << other;
    EXPECT_EQ(process.end, StackEnd::kNoUnwindInfo);
  }
  // Nor far away from it.
  std::vector<uint64_t> far(40, 7);
  far[36] = kStart + 5;
  EXPECT_EQ(process.unwind(kFile + 0x11, far).size(), 1U);
}

// Whatever the order of samples, each has its own callers: a word that only one stack has shown to
// be a caller says nothing about the next stack.
TEST(BareCode, TheOrderOfSamplesDoesNotMatter) {
  const std::vector<uint64_t> found = {7, kStart + 5, 0};
  const std::vector<uint64_t> unknown = {7, kGenerated + 8, kStart + 5, 0};
  for (bool is_first : {true, false}) {
    Process process(kJumpsElsewhere);
    for (bool is_found : {is_first, !is_first, is_first}) {
      size_t count = process.unwind(kFile + 0x11, is_found ? found : unknown).size();
      EXPECT_EQ(count, is_found ? 2U : 1U) << is_first;
    }
  }
}

// At 0: call *%rax; ret. At 0x20: push %rbx; jmp to itself
constexpr std::string_view kCallsAPointer =
    "ff d0  c3  cc cc cc cc cc  cc cc cc cc cc cc cc cc  cc cc cc cc cc cc cc cc  cc cc cc cc cc "
    "cc "
    "cc cc  53  eb fe";

TEST(BareCode, TheDepthAtAStartFindsCallsThroughPointers) {
  Process process(kCallsAPointer);
  EXPECT_EQ(process.unwind(kFile + 0x21, {7, kFile + 2, kStart + 5, 0}).size(), 1U)
      << "nothing shows where the function starts";
  Process with_starts(kCallsAPointer);
  with_starts.starts = {kFile, kFile + 0x20};
  auto frames = with_starts.unwind(kFile + 0x21, {7, kFile + 2, kStart + 5, 0});
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[1].address, kFile + 2);
  EXPECT_EQ(with_starts.end, StackEnd::kComplete);
  // Another depth than that of the code.
  EXPECT_EQ(with_starts.unwind(kFile + 0x21, {7, 7, kFile + 2, kStart + 5, 0}).size(), 1U);
  // Two starts that disagree: the second one is only a label after the push.
  Process with_label(kCallsAPointer);
  with_label.starts = {kFile + 0x20, kFile + 0x21};
  EXPECT_EQ(with_label.unwind(kFile + 0x21, {7, kFile + 2, kStart + 5, 0}).size(), 1U);
}

// Hand-written code that aligns its stack keeps the old stack pointer in memory.
TEST(BareCode, StackPointersInMemory) {
  // mov 16(%rsp),%rsp; pop %rbp; ret
  Process by_stack("48 8b 64 24 10  5d  c3");
  auto frames = by_stack.unwind(kFile, {1, 2, 0x20, 4, 5, kStart + 5, 7, 0});
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[1].address, kStart + 5);
  EXPECT_EQ(frames[1].sp, 0x30U);
  EXPECT_EQ(by_stack.end, StackEnd::kComplete);
  // mov -8(%rbp),%rsp; ret
  Process by_frame("48 8b 65 f8  c3");
  frames = by_frame.unwind(kFile, {1, 0x28, 3, 4, 5, kStart + 5, 7, 0}, 0x10);
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_EQ(frames[1].address, kStart + 5);
  EXPECT_EQ(frames[1].sp, 0x30U);
}

TEST(BareCode, WithoutABudgetNothingIsFoundAndNothingIsCached) {
  Process process(kTwoFunctions);
  const std::vector<uint64_t> stack = {1, 2, 3, kFile + 5, kStart + 5, 9};
  process.use_up_budget();
  EXPECT_EQ(process.unwind_once(kFile + 0x24, stack, 1).size(), 1U);
  EXPECT_EQ(process.end, StackEnd::kNoUnwindInfo);
  EXPECT_EQ(process.unwind(kFile + 0x24, stack).size(), 3U);
  EXPECT_EQ(process.end, StackEnd::kComplete);
}

TEST(BareCode, AFileWithoutItsCodeConfirmsNothing) {
  Process process(kJumpsElsewhere);
  constexpr uint64_t kNoFramePointer = 1;
  EXPECT_EQ(process.unwind(kCut + 8, {7, kStart + 5, 0}, kNoFramePointer).size(), 1U);
  EXPECT_EQ(process.end, StackEnd::kNoUnwindInfo);
  EXPECT_EQ(process.unwind(kCut + 8, {7, 0, kStart + 5, 0}, 8).size(), 2U);
  EXPECT_EQ(process.end, StackEnd::kUnproven);
}

// OpenSSL's AES-GCM: the CFA is in rax while a helper runs, which has no rule for rax.
TEST(BareCode, RegistersThatNoCalleeSavesStayForCallers) {
  CfiWriter cfi(0x5000);
  uint64_t cie = cfi.usual_cie();
  cfi.fde(cie, 0x1100, 0x10, testing::def_cfa(kRax, 8));
  cfi.fde(cie, 0x1200, 0x10, "");
  cfi.fde(cie, kStart, 0x10, testing::undefined(kRip));
  UnwindTable table = UnwindTable::compile(UnwindArch::kX86_64,
                                           {.bytes = as_bytes(cfi.bytes()), .address = 0x5000});
  class Modules : public ModuleLookup {
   public:
    explicit Modules(const UnwindTable& table) : module_{0x1000, 0x2000, 0, &table} {}
    const MappedModule* find(uint64_t address) const override {
      return address - 0x1000 < 0x1000 ? &module_ : nullptr;
    }

   private:
    MappedModule module_;
  } modules(table);
  std::vector<uint64_t> words = {0x1105, 7, 7, kStart + 5, 0};
  UnwindInput input;
  input.registers.set(kRip, 0x1208);
  input.registers.set(kRsp, 0);
  input.registers.set(kRax, 0x18);
  input.stack = std::as_bytes(std::span(words));
  UnwindCache cache;
  std::vector<UnwoundFrame> frames;
  EXPECT_EQ(unwind_stack(input, modules, cache, frames), StackEnd::kComplete);
  ASSERT_EQ(frames.size(), 3U);
  EXPECT_EQ(frames[2].address, kStart + 5);
}

}  // namespace
}  // namespace wick
