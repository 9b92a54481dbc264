// SPDX-License-Identifier: Apache-2.0
#include "base/plural.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(Singular, IsThatOfUnitsAndNouns) {
  EXPECT_EQ(singular("samples"), "sample");
  EXPECT_EQ(singular("cache-misses"), "cache-miss");
  EXPECT_EQ(singular("branches"), "branch");
  EXPECT_EQ(singular("entries"), "entry");
  EXPECT_EQ(singular("CPUs"), "CPU");
}

TEST(Singular, OfSymbolsAndRatesIsTheSame) {
  for (const char* unit : {"", "s", "ms", "IPC", "series", "samples/s", "kJ/s", "sample"}) {
    EXPECT_EQ(singular(unit), unit);
  }
}

}  // namespace
}  // namespace wick
