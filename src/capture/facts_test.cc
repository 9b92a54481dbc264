// SPDX-License-Identifier: Apache-2.0
#include "capture/facts.h"

#include <gtest/gtest.h>

namespace wick::capture {
namespace {

constexpr int64_t kMs = 1'000'000;

TEST(Facts, CpuTimeSaysWhenTheSamplesDiffer) {
  record::CpuTime charged{.user_ns = 1900 * kMs, .system_ns = 100 * kMs};
  const std::string plain = "2.000 s (1.900 s user, 0.100 s kernel)";
  EXPECT_EQ(cpu_time_text(charged, std::nullopt), plain);
  EXPECT_EQ(cpu_time_text(charged, 2030 * kMs), plain);
  EXPECT_EQ(cpu_time_text(charged, 1970 * kMs), plain);
  EXPECT_EQ(cpu_time_text(charged, 2070 * kMs),
            plain + "; the samples have 2.070 s, 103.5 % of it");
  EXPECT_EQ(cpu_time_text(charged, 1900 * kMs), plain + "; the samples have 1.900 s, 95.0 % of it");
}

TEST(Facts, AFewTicksAreNotADifference) {
  record::CpuTime charged{.user_ns = 100 * kMs};
  EXPECT_EQ(cpu_time_text(charged, 115 * kMs), "0.100 s (0.100 s user, 0.000 s kernel)");
  EXPECT_EQ(cpu_time_text({}, 50 * kMs),
            "0.000 s (0.000 s user, 0.000 s kernel); the samples have 0.050 s");
}

}  // namespace
}  // namespace wick::capture
