// SPDX-License-Identifier: Apache-2.0
#include "views/svg/bounded_name.h"

#include <gtest/gtest.h>

#include "views/svg/amounts.h"

namespace wick {
namespace {

TEST(BoundedName, LosesItsMiddle) {
  std::string name(1'000'000, 'x');
  std::string bounded = bounded_name(name);
  EXPECT_LT(bounded.size(), 5000U);
  EXPECT_NE(bounded.find("995,904 bytes omitted"), std::string::npos);
  EXPECT_EQ(bounded_name("short"), "short");
}

TEST(Amounts, NothingIsRoundedAway) {
  EXPECT_EQ(percent_text(0.1234), "12.34 %");
  EXPECT_EQ(percent_text(0.00001), "under 0.01 %");
  EXPECT_EQ(percent_text(0), "0 %");
  EXPECT_EQ(signed_percent_text(-0.25), "-25.00 %");
  EXPECT_EQ(signed_amount_text(12, "samples"), "+12 samples");
  EXPECT_EQ(signed_amount_text(-1, "samples"), "-1 sample");
  EXPECT_EQ(frames_text(1), "1 frame");
  EXPECT_EQ(frames_text(1234), "1,234 frames");
}

}  // namespace
}  // namespace wick
