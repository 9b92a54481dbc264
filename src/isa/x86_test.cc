// SPDX-License-Identifier: Apache-2.0
#include "isa/x86.h"

#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "isa/testing.h"

namespace wick::isa {
namespace {

using testing::code_of;
using testing::decoded;
using testing::kAddress;

Instruction in_64(std::string_view digits) {
  return decoded(InstructionSet::kX86_64, digits);
}
Instruction in_32(std::string_view digits) {
  return decoded(InstructionSet::kX86, digits);
}
size_t length_64(std::string_view digits) {
  return in_64(digits).length;
}
size_t length_32(std::string_view digits) {
  return in_32(digits).length;
}

TEST(X86, LengthsOfOrdinaryInstructions) {
  EXPECT_EQ(length_64("90 90"), 1U);
  EXPECT_EQ(length_64("48 89 d8 90"), 3U);
  EXPECT_EQ(length_64("48 b8 01 02 03 04 05 06 07 08 90"), 10U) << "64-bit immediate";
  EXPECT_EQ(length_64("66 b8 01 02 90"), 4U);
  EXPECT_EQ(length_64("f7 05 01 02 03 04 05 06 07 08 90"), 10U) << "test has an immediate";
  EXPECT_EQ(length_64("f7 15 01 02 03 04 90"), 6U) << "not has none";
  EXPECT_EQ(length_64("f3 0f 1e fa 90"), 4U);
  EXPECT_EQ(length_64("66 2e 0f 1f 84 00 00 00 00 00 90"), 10U);
  EXPECT_EQ(length_64("8b 04 25 01 02 03 04 90"), 7U) << "SIB without base";
  EXPECT_EQ(length_64("0f 3a 0f c1 08 90"), 5U);
  EXPECT_EQ(length_64("c8 10 00 00 90"), 4U) << "enter";
  EXPECT_EQ(length_64("0f 20 1b 90"), 3U) << "mov from %cr3 has no memory operand";
  EXPECT_EQ(length_64("66 0f 78 c1 04 08 90"), 6U) << "extrq has two immediates";
  EXPECT_EQ(length_64("0f 78 c1 90"), 3U) << "vmread has none";
  EXPECT_EQ(length_64("48 66 90"), 3U) << "REX counts directly before the opcode only";
}

TEST(X86, LengthsOfVectorInstructions) {
  EXPECT_EQ(length_64("62 f1 fe 48 6f 06 90"), 6U) << "vmovdqu64 (%rsi),%zmm0";
  EXPECT_EQ(length_64("62 f3 75 20 3f 46 01 00 90"), 8U) << "vpcmpb $0,0x20(%rsi),%ymm17,%k0";
  EXPECT_EQ(length_64("62 f5 7c 48 58 c8 90"), 6U) << "vaddph";
  EXPECT_EQ(length_64("c5 f8 77 90"), 3U) << "vzeroupper";
  EXPECT_EQ(length_64("c4 e3 7d 39 c1 01 90"), 6U) << "vextracti128 $1";
  EXPECT_EQ(length_64("c4 e2 7b 49 c0 90"), 5U) << "AMX";
  EXPECT_EQ(length_64("c4 e7 7b f8 c0 01 02 03 04 90"), 9U) << "urdmsr with a 4 byte number";
  EXPECT_EQ(length_64("8f e9 78 e1 c8 90"), 5U) << "XOP";
  EXPECT_EQ(length_64("8f ea 78 10 c0 01 02 03 04 90"), 9U) << "XOP with 4 bytes";
  EXPECT_EQ(length_64("0f 0f c1 9e 90"), 4U) << "3DNow!";
  EXPECT_EQ(in_64("66 c5 f8 77").outcome, Outcome::kInvalid) << "VEX has that prefix inside";
}

TEST(X86, ModesDiffer) {
  EXPECT_EQ(length_32("40 90"), 1U) << "inc; a prefix in 64-bit mode";
  EXPECT_EQ(length_64("40 90"), 2U);
  EXPECT_EQ(length_32("c5 06 90"), 2U) << "lds; VEX in 64-bit mode";
  EXPECT_EQ(length_32("62 06 90"), 2U) << "bound; EVEX in 64-bit mode";
  EXPECT_EQ(length_32("67 8b 06 01 02 90"), 5U) << "16-bit address";
  EXPECT_EQ(length_64("67 8b 06 90"), 3U);
  EXPECT_EQ(length_32("a1 01 02 03 04 90"), 5U);
  EXPECT_EQ(length_64("a1 01 02 03 04 05 06 07 08 90"), 9U);
  EXPECT_EQ(in_64("06").outcome, Outcome::kInvalid) << "push %es";
  EXPECT_EQ(length_32("06"), 1U);
  EXPECT_EQ(length_32("9a 01 02 03 04 05 06 90"), 7U);
}

TEST(X86, KindsThatNameTheirTarget) {
  struct Case {
    std::string_view digits;
    Kind kind;
    uint64_t target;
  };
  for (const Case& known : {Case{"eb fe", Kind::kJump, 0x1000},
                            {"e9 00 01 00 00", Kind::kJump, 0x1105},
                            {"f2 e9 00 01 00 00", Kind::kJump, 0x1106},
                            {"75 10", Kind::kConditionalJump, 0x1012},
                            {"0f 84 f0 ff ff ff", Kind::kConditionalJump, 0xFF6},
                            {"e3 02", Kind::kConditionalJump, 0x1004},
                            {"e8 fb ff ff ff", Kind::kCall, 0x1000},
                            {"66 e8 10 00 00 00", Kind::kCall, 0x1016},
                            {"e8 00 f0 ff ff", Kind::kCall, 0x5},
                            {"c7 f8 10 00 00 00", Kind::kTransaction, 0x1016}}) {
    Instruction found = in_64(known.digits);
    EXPECT_EQ(found.kind, known.kind) << known.digits;
    EXPECT_EQ(found.target, known.target) << known.digits;
    EXPECT_EQ(found.length, code_of(known.digits).size()) << known.digits;
  }
  EXPECT_EQ(in_64("e8 00 e0 ff ff").target, 0xFFFF'FFFF'FFFF'F005U);
  EXPECT_EQ(in_32("e8 00 e0 ff ff").target, 0xFFFF'F005U) << "addresses have 32 bits";
  EXPECT_EQ(in_32("66 e9 00 e0").target, 0xF004U) << "addresses have 16 bits";
}

TEST(X86, KindsThatDoNot) {
  struct Case {
    std::string_view digits;
    Kind kind;
  };
  for (const Case& known :
       {Case{"90", Kind::kOther},          {"ff d0", Kind::kIndirectCall},
        {"41 ff e4", Kind::kIndirectJump}, {"ff 20", Kind::kIndirectJump},
        {"ff 30", Kind::kOther},           {"ff 18", Kind::kFarCall},
        {"48 ff 28", Kind::kFarJump},      {"c3", Kind::kReturn},
        {"f3 c3", Kind::kReturn},          {"c2 08 00", Kind::kReturn},
        {"cb", Kind::kFarReturn},          {"cc", Kind::kInterrupt},
        {"cd 80", Kind::kInterrupt},       {"f1", Kind::kInterrupt},
        {"48 cf", Kind::kInterruptReturn}, {"f3 0f 01 ec", Kind::kInterruptReturn},
        {"0f 05", Kind::kSystemCall},      {"0f 34", Kind::kSystemCall},
        {"48 0f 07", Kind::kSystemReturn}, {"0f 35", Kind::kSystemReturn},
        {"0f 01 c1", Kind::kVmCall},       {"0f 01 c2", Kind::kVmEntry},
        {"0f 01 f8", Kind::kOther},        {"0f 0b", Kind::kUndefined},
        {"0f 22 d8", Kind::kWriteCr3},     {"0f 22 e0", Kind::kOther},
        {"44 0f 22 d8", Kind::kOther},     {"f3 48 0f ae e0", Kind::kPtWrite},
        {"0f ae f0", Kind::kOther}}) {
    Instruction found = in_64(known.digits);
    EXPECT_EQ(found.kind, known.kind) << known.digits;
    EXPECT_EQ(found.length, code_of(known.digits).size()) << known.digits;
  }
  EXPECT_EQ(in_32("ea 01 02 03 04 05 06").kind, Kind::kFarJump);
  EXPECT_EQ(in_32("ce").kind, Kind::kInterrupt);
}

TEST(X86, SlotsOfIndirectBranches) {
  EXPECT_EQ(in_64("ff 15 00 20 00 00").slot, 0x3006U);
  EXPECT_EQ(in_64("f2 ff 25 f0 ff ff ff").slot, 0xFF7U);
  EXPECT_TRUE(in_64("ff 25 00 20 00 00").through_memory);
  EXPECT_EQ(in_64("64 ff 15 00 20 00 00").slot, 0U) << "relative to a segment";
  EXPECT_EQ(in_64("ff 50 18").slot, 0U);
  EXPECT_TRUE(in_64("ff 50 18").through_memory);
  EXPECT_FALSE(in_64("ff d0").through_memory);
  EXPECT_EQ(in_32("ff 25 00 20 00 00").slot, 0x2000U) << "32-bit code has absolute addresses";
}

TEST(X86, BytesThatAreNotAnInstruction) {
  for (std::string_view digits : {"ff ff 00 00 00 00 00",
                                  "fe d0 00",
                                  "ff d8 00",
                                  "8f e0 00 00 00",
                                  "0f 04 00",
                                  "0f ba c0 00",
                                  "62 f0 7c 48 58 c8",
                                  "c4 e0 78 10 c0"}) {
    EXPECT_EQ(in_64(digits).outcome, Outcome::kInvalid) << digits;
    EXPECT_EQ(in_64(digits).length, 0U) << digits;
  }
  EXPECT_EQ(in_64("66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 90").outcome,
            Outcome::kInvalid)
      << "longer than any instruction";
  EXPECT_EQ(in_64("66 66 66 66 66 66 66 66 66 66 66 66 66 66 90").length, 15U);
  EXPECT_EQ(in_64("66 66 66 66 66 66 66 66 66 66 66 66 66 66 89 c0").outcome, Outcome::kInvalid);
  EXPECT_EQ(in_64("66 66 66 66 66 66 66 66 66 66 66 66 66 66 89").outcome, Outcome::kInvalid)
      << "no further byte could help";
}

TEST(X86, CutInstructionsAreTooShort) {
  EXPECT_EQ(in_64("").outcome, Outcome::kTooShort);
  for (std::string_view digits : {"62 f3 75 20 3f 46 01 00",
                                  "48 b8 01 02 03 04 05 06 07 08",
                                  "66 66 66 66 66 66 66 66 66 66 66 66 66 66 90",
                                  "8f ea 78 10 c0 01 02 03 04",
                                  "e8 00 00 00 00"}) {
    std::string code = code_of(digits);
    for (size_t size = 0; size < code.size(); ++size) {
      Bytes cut = as_bytes(std::string_view(code).substr(0, size));
      EXPECT_EQ(decode_x86_64(cut, kAddress).outcome, Outcome::kTooShort) << digits << size;
    }
  }
}

// For any bytes: the result does not depend on the bytes after an instruction, and each proper
// prefix of it is too short. The bytes are on the heap, so that a sanitizer detects a read beyond
// them.
TEST(X86, RandomBytesAreDecodedFromTheirOwnBytesAlone) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> code(15);
    std::ranges::generate(code, [&] { return static_cast<std::byte>(random()); });
    for (auto decode_mode : {decode_x86, decode_x86_64}) {
      Instruction whole = decode_mode(code, kAddress);
      ASSERT_NE(whole.outcome, Outcome::kTooShort);
      for (size_t size = 0; size < code.size(); ++size) {
        std::vector<std::byte> cut(code.begin(), code.begin() + static_cast<ptrdiff_t>(size));
        Instruction found = decode_mode(cut, kAddress);
        if (whole.ok()) {
          ASSERT_EQ(found.outcome, size < whole.length ? Outcome::kTooShort : Outcome::kDecoded);
          ASSERT_EQ(found.length, size < whole.length ? 0 : whole.length);
        } else {
          ASSERT_FALSE(found.ok());
        }
      }
    }
  }
}

TEST(X86, PacketsOfATrace) {
  EXPECT_EQ(trace_packet(in_64("75 10").kind), TracePacket::kTaken);
  EXPECT_EQ(trace_packet(in_64("e8 00 00 00 00").kind), TracePacket::kNone);
  EXPECT_EQ(trace_packet(in_64("c3").kind), TracePacket::kReturned);
  EXPECT_EQ(trace_packet(in_64("ff d0").kind), TracePacket::kAddress);
  EXPECT_EQ(trace_packet(in_64("0f 05").kind), TracePacket::kAddress);
  EXPECT_EQ(trace_packet(in_64("0f 22 d8").kind), TracePacket::kNone);
}

}  // namespace
}  // namespace wick::isa
