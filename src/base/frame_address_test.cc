// SPDX-License-Identifier: Apache-2.0
#include "base/frame_address.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(FrameAddress, CallersAreLookedUpInTheirCall) {
  EXPECT_EQ(FrameAddress::exact(0x1000).lookup(), 0x1000U);
  EXPECT_EQ(FrameAddress::returning_to(0x1000).lookup(), 0xFFFU);
  EXPECT_EQ(FrameAddress::in_chain(0x1000, true), FrameAddress::exact(0x1000));
  EXPECT_EQ(FrameAddress::in_chain(0x1000, false), FrameAddress::returning_to(0x1000));
  static_assert(sizeof(FrameAddress) == sizeof(uint64_t));
}

}  // namespace
}  // namespace wick
