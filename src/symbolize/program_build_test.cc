// SPDX-License-Identifier: Apache-2.0
// tests/stat and tests/campaign/builds.py look at programs of real compilers.
#include "symbolize/program_build.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(ProgramBuild, TheMainOfALanguageIsNotThatOfItsRuntime) {
  EXPECT_EQ(main_kind("main"), MainKind::kOfC);
  EXPECT_EQ(main_kind("main.main"), MainKind::kOfLanguage);  // Go
  EXPECT_EQ(main_kind("_ZN5hello4main17h0123456789abcdefE"), MainKind::kOfLanguage);
  EXPECT_EQ(main_kind("_ZN12a_long_crate4main17h0123456789abcdefE"), MainKind::kOfLanguage);
  EXPECT_EQ(main_kind("_RNvCs1a2b3c_5hello4main"), MainKind::kOfLanguage);
  for (std::string_view other : {"",
                                 "mainly",
                                 "runtime.main",
                                 "_ZN5hello4mainEv",  // C++
                                 "_ZN5hello5tools4main17h0123456789abcdefE",
                                 "_ZN3std2rt10lang_start17h0123456789abcdefE",
                                 "_ZN",
                                 "_ZN99",
                                 "_ZN4main"}) {
    EXPECT_EQ(main_kind(other), MainKind::kNone) << other;
  }
}

}  // namespace
}  // namespace wick
