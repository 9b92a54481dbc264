// SPDX-License-Identifier: Apache-2.0
#include "base/processor.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(Processor, AHypervisorIsAKernelToo) {
  for (Mode mode : {Mode::kKernel, Mode::kHypervisor, Mode::kGuestKernel}) {
    EXPECT_TRUE(is_kernel(mode));
  }
  for (Mode mode : {Mode::kUnknown, Mode::kUser, Mode::kGuestUser}) {
    EXPECT_FALSE(is_kernel(mode));
  }
  EXPECT_TRUE(is_guest(Mode::kGuestUser) && is_guest(Mode::kGuestKernel));
  EXPECT_FALSE(is_guest(Mode::kHypervisor));
}

}  // namespace
}  // namespace wick
