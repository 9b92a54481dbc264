// SPDX-License-Identifier: Apache-2.0
// Small functions in machine code, followed to their returns and from their starts. Digits are the
// bytes; the comment after them is the assembly.
#include "unwind/code_flow.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "isa/testing.h"

namespace wick {
namespace {

constexpr uint64_t kBegin = 0x1000;
constexpr uint8_t kRsp = 7;
constexpr uint8_t kRbp = 6;

class TestCode : public CodeBytes {
 public:
  explicit TestCode(std::string_view digits) : code_(isa::testing::code_of(digits)) {}
  Bytes code_at(uint64_t address) const override {
    uint64_t at = address - kBegin;
    return at < code_.size() ? as_bytes(code_).subspan(at) : Bytes();
  }

 private:
  std::string code_;
};

std::vector<UnwindRule> ways_out(std::string_view digits, uint64_t at = 0) {
  TestCode code(digits);
  uint64_t budget = 100000;
  return CodeFlow(UnwindArch::kX86_64, code, budget).ways_out(kBegin + at);
}
CodeFlow::Reach reach(std::string_view digits, uint64_t address) {
  TestCode code(digits);
  uint64_t budget = 100000;
  return CodeFlow(UnwindArch::kX86_64, code, budget).reach(kBegin, kBegin + address);
}

TEST(CodeFlow, AddsUpWhatIsReleasedBeforeTheReturn) {
  // add $24,%rsp; pop %rbx; pop %rbp; ret
  auto ways = ways_out("48 83 c4 18  5b  5d  c3");
  ASSERT_EQ(ways.size(), 1U);
  EXPECT_EQ(ways[0].cfa_register, kRsp);
  EXPECT_EQ(ways[0].cfa_offset, 24 + 8 + 8 + 8);
  EXPECT_EQ(ways[0].return_address_offset, -8);
  EXPECT_EQ(ways[0].frame_pointer, UnwindRule::Where::kAtCfa);
  EXPECT_EQ(ways[0].frame_pointer_offset, -16);
}

TEST(CodeFlow, BeforeThePrologueTheReturnAddressIsOnTop) {
  // push %rbp; mov %rsp,%rbp; sub $16,%rsp; leave; ret
  constexpr std::string_view kCode = "55  48 89 e5  48 83 ec 10  c9  c3";
  auto ways = ways_out(kCode);
  ASSERT_EQ(ways.size(), 1U);
  EXPECT_EQ(ways[0].cfa_register, kRsp);
  EXPECT_EQ(ways[0].cfa_offset, 8);
  // After the prologue the frame pointer leads to it.
  ways = ways_out(kCode, 8);
  ASSERT_EQ(ways.size(), 1U);
  EXPECT_EQ(ways[0].cfa_register, kRbp);
  EXPECT_EQ(ways[0].cfa_offset, 16);
  EXPECT_EQ(ways[0].frame_pointer_offset, -16);
}

TEST(CodeFlow, FollowsBranchesAndTailCalls) {
  // test %eax,%eax; je +5; call (itself); add $8,%rsp; jmp +1; int3; ret
  auto ways = ways_out("85 c0  74 05  e8 f7 ff ff ff  48 83 c4 08  eb 01  cc  c3");
  ASSERT_EQ(ways.size(), 1U);
  EXPECT_EQ(ways[0].cfa_offset, 16);
}

TEST(CodeFlow, GivesEachDifferentWay) {
  // je +1; ret; add $8,%rsp; ret: one of them is impossible, but the code does not say which.
  auto ways = ways_out("74 01  c3  48 83 c4 08  c3");
  ASSERT_EQ(ways.size(), 2U);
  EXPECT_EQ(ways[0].cfa_offset, 8);
  EXPECT_EQ(ways[1].cfa_offset, 16);
}

TEST(CodeFlow, StackPointerThatWasStoredInTheStack) {
  // mov 64(%rsp),%rsp; pop %rbp; ret: aligned stacks of hand-written code
  auto ways = ways_out("48 8b 64 24 40  5d  c3");
  ASSERT_EQ(ways.size(), 1U);
  EXPECT_EQ(ways[0].cfa_register, UnwindRule::kCfaAtStack);
  EXPECT_EQ(ways[0].extra_offset, 64);
  EXPECT_EQ(ways[0].cfa_offset, 16);
  EXPECT_EQ(ways[0].frame_pointer, UnwindRule::Where::kAtCfa);
  EXPECT_EQ(ways[0].frame_pointer_offset, -16);
}

TEST(CodeFlow, StackPointerFromAPoppedRegister) {
  // pop %r10; pop %rbp; lea -8(%r10),%rsp; ret: gcc's realigned stacks
  auto ways = ways_out("41 5a  5d  49 8d 62 f8  c3");
  ASSERT_EQ(ways.size(), 1U);
  EXPECT_EQ(ways[0].cfa_register, UnwindRule::kCfaAtStack);
  EXPECT_EQ(ways[0].extra_offset, 0);
  EXPECT_EQ(ways[0].cfa_offset, 0);
  EXPECT_EQ(ways[0].frame_pointer, UnwindRule::Where::kUnknown);
}

TEST(CodeFlow, CodeThatNeverReturnsHasNoWayOut) {
  EXPECT_TRUE(ways_out("eb fe").empty()) << "jmp to itself";
  EXPECT_TRUE(ways_out("0f 05  f4  c3").empty()) << "syscall; hlt; ret";
  EXPECT_TRUE(ways_out("ff e0").empty()) << "jmp *%rax";
  EXPECT_TRUE(ways_out("90 90 90").empty()) << "the code ends";
  // call +1; ret; (syscall; hlt): the called function does not return
  EXPECT_TRUE(ways_out("e8 01 00 00 00  c3  0f 05  f4").empty());
  // and $-16,%rsp; ret
  EXPECT_TRUE(ways_out("48 83 e4 f0  c3").empty());
}

TEST(CodeFlow, MeasuresTheDepthAtAnAddress) {
  // push %rbx; sub $32,%rsp; call (itself); jmp -7: a loop that never returns
  constexpr std::string_view kCode = "53  48 83 ec 20  e8 f6 ff ff ff  eb f9";
  CodeFlow::Reach at_call = reach(kCode, 9);  // inside of the call
  EXPECT_EQ(at_call.answer, CodeFlow::Reach::Answer::kYes);
  EXPECT_EQ(at_call.depth, 40U);
  EXPECT_EQ(reach(kCode, 0).depth, 0U);
  EXPECT_EQ(reach(kCode, 1).depth, 8U);
  EXPECT_EQ(reach(kCode, 100).answer, CodeFlow::Reach::Answer::kNo);
}

TEST(CodeFlow, JumpsThroughPointersMayLeadAnywhere) {
  // jmp *0(%rip)
  CodeFlow::Reach stub = reach("ff 25 00 00 00 00", 100);
  EXPECT_EQ(stub.answer, CodeFlow::Reach::Answer::kUnknown);
  EXPECT_TRUE(stub.becomes_other);
  // sub $8,%rsp; jmp *%rax: a table of a switch
  CodeFlow::Reach table = reach("48 83 ec 08  ff e0", 100);
  EXPECT_EQ(table.answer, CodeFlow::Reach::Answer::kUnknown);
  EXPECT_FALSE(table.becomes_other);
}

// One walk gives the same answers as a walk to each address.
TEST(CodeFlow, OneWalkAnswersForAllAddresses) {
  constexpr std::string_view kFunctions[] = {
      "53  48 83 ec 20  e8 f6 ff ff ff  eb f9",  // a loop that never returns
      "55  48 89 e5  74 03  53  5b  c9  c3",     // push %rbp; mov %rsp,%rbp; je; leave; ret
      "74 01  48 83 c4 08  c3",                  // je into the middle of add $8,%rsp
      "eb 01  48 74 fc  5b  c3",                 // jmp to je, which jumps back in front of it
      "ff 25 00 00 00 00",                       // a stub
      "74 06  ff 25 00 00 00 00  48 83 ec 08  5b  c3",  // je past a tail call
      "48 83 ec 08  ff e0",                             // a table of a switch
      "50  c3",                                         // push %rax; ret
  };
  for (std::string_view digits : kFunctions) {
    TestCode code(digits);
    uint64_t budget = 100000;
    CodeFlow::Reached reached = CodeFlow(UnwindArch::kX86_64, code, budget).reached_from(kBegin);
    for (uint64_t at = 0; at < 20; ++at) {
      CodeFlow::Reach one = reach(digits, at);
      CodeFlow::Reach same = reached.at(kBegin + at);
      EXPECT_EQ(same.answer, one.answer) << digits << " at " << at;
      EXPECT_EQ(same.depth, one.depth) << digits << " at " << at;
      EXPECT_EQ(same.has_same_frame_pointer, one.has_same_frame_pointer) << digits << " at " << at;
      EXPECT_EQ(same.has_own_frame_pointer, one.has_own_frame_pointer) << digits << " at " << at;
      EXPECT_EQ(same.becomes_other, one.becomes_other) << digits << " at " << at;
    }
  }
}

TEST(CodeFlow, InstructionsThatOverlapCountInTheOrderOfTheWalk) {
  // push %rbx; je +1; then 48 83 c4 08 (add $8,%rsp) or, one byte later, 83 c4 08 (add $8,%esp)
  CodeFlow::Reach overlapped = reach("53  74 01  48 83 c4 08  c3", 4);
  EXPECT_EQ(overlapped.answer, CodeFlow::Reach::Answer::kYes);
  EXPECT_EQ(overlapped.depth, 8U);
}

TEST(CodeFlow, ArgumentsThatTheReturnRemoves) {
  TestCode code("c2 08 00");  // ret $8
  uint64_t budget = 100;
  auto ways = CodeFlow(UnwindArch::kX86, code, budget).ways_out(kBegin);
  ASSERT_EQ(ways.size(), 1U);
  EXPECT_EQ(ways[0].cfa_offset, 12);
  EXPECT_EQ(ways[0].return_address_offset, -12);
}

// Functions of Windows' convention, and those of 32-bit code that return a structure.
TEST(CodeFlow, CalledFunctionsMayRemoveTheirArguments) {
  // sub $12,%esp; push %eax; call 0x20; add $12,%esp; ret; (0x20:) ret $4
  std::string digits = "83 ec 0c  50  e8 17 00 00 00  83 c4 0c  c3";
  for (int i = 0; i < 19; ++i) {
    digits += " cc";
  }
  TestCode code(digits + " c2 04 00");
  uint64_t budget = 1000;
  CodeFlow flow(UnwindArch::kX86, code, budget);
  auto ways = flow.ways_out(kBegin);
  ASSERT_EQ(ways.size(), 1U);
  EXPECT_EQ(ways[0].cfa_offset, 4);
  EXPECT_EQ(flow.reach(kBegin, kBegin + 9).depth, 12U) << "after the call";
}

TEST(CodeFlow, NothingIsKnownWithoutABudget) {
  TestCode code("90 90 90 c3");
  uint64_t budget = 5;
  CodeFlow flow(UnwindArch::kX86_64, code, budget);
  EXPECT_EQ(flow.ways_out(kBegin).size(), 1U);
  EXPECT_EQ(budget, 1U);
  EXPECT_TRUE(flow.ways_out(kBegin).empty());
  EXPECT_EQ(flow.reach(kBegin, kBegin + 3).answer, CodeFlow::Reach::Answer::kUnknown);
}

}  // namespace
}  // namespace wick
