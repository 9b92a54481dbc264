// SPDX-License-Identifier: Apache-2.0
#include "isa/linkage_stub.h"

#include <gtest/gtest.h>

#include "isa/testing.h"

namespace wick::isa {
namespace {

uint64_t slot(InstructionSet set, std::string_view digits) {
  std::string code = testing::code_of(digits);
  std::optional<LinkageStub> stub = decode_linkage_stub(set, as_bytes(code), testing::kAddress);
  return stub ? stub->slot : 0;
}

TEST(LinkageStub, X86) {
  constexpr auto k64 = InstructionSet::kX86_64;
  EXPECT_EQ(slot(k64, "ff 25 00 20 00 00 68"), 0x3006U);
  EXPECT_EQ(slot(k64, "f3 0f 1e fa ff 25 00 20 00 00"), 0x300AU);
  EXPECT_EQ(slot(k64, "f3 0f 1e fa 41 bb 01 00 00 00 ff 25 00 20 00 00"), 0x3010U) << "mold";
  EXPECT_EQ(slot(k64, "f2 ff 25 00 20 00 00"), 0x3007U) << "bnd";
  EXPECT_EQ(slot(k64, "ff 25 00 20 00"), 0U) << "cut";
  EXPECT_EQ(slot(k64, "f3 0f 1e fa"), 0U);
  EXPECT_EQ(slot(k64, "f3 0f 1e fa 41 bb 01"), 0U);
  EXPECT_EQ(slot(k64, "ff e0"), 0U) << "a jump through a register";
  EXPECT_EQ(slot(k64, "55 48 89 e5"), 0U);
  EXPECT_EQ(slot(k64, ""), 0U);
  EXPECT_EQ(slot(InstructionSet::kX86, "ff 25 00 20 00 00"), 0x2000U);
  EXPECT_EQ(slot(InstructionSet::kX86, "f3 0f 1e fb ff a3 0c 00 00 00"), 0xCU) << "from %ebx";
}

TEST(LinkageStub, Aarch64) {
  constexpr auto kArm = InstructionSet::kAarch64;
  EXPECT_EQ(slot(kArm, "10 00 00 90 11 0a 40 f9"), 0x1010U);  // adrp x16,0x1000; ldr x17,[x16,16]
  EXPECT_EQ(slot(kArm, "5f 24 03 d5 10 00 00 b0 11 0a 40 f9"), 0x2010U) << "bti c";
  EXPECT_EQ(slot(kArm, "f0 ff ff f0 11 0a 40 f9"), 0x10U) << "the page before";
  EXPECT_EQ(slot(kArm, "10 00 00 90"), 0U);
  EXPECT_EQ(slot(kArm, ""), 0U);
}

}  // namespace
}  // namespace wick::isa
