// SPDX-License-Identifier: Apache-2.0
#include "views/svg/label.h"

#include <gtest/gtest.h>

#include "views/svg/amounts.h"

namespace wick {
namespace {

TEST(Label, KeepsTheDistinctivePart) {
  const char* name = "std::vector<int>::push_back(int const&)";
  EXPECT_EQ(short_label(name, 60), name);
  EXPECT_EQ(short_label(name, 30), "std::vector::push_back");
  EXPECT_EQ(short_label(name, 20), "..vector::push_back");
  EXPECT_EQ(short_label(name, 12), "..push_back");
  EXPECT_EQ(short_label(name, 9), "push_back");
  EXPECT_EQ(short_label(name, 6), "push..");
  EXPECT_EQ(short_label(name, 2), "");
}

TEST(Label, PlainNamesKeepTheirBeginning) {
  EXPECT_EQ(short_label("copy_user_enhanced_fast_string", 12), "copy_user_..");
  EXPECT_EQ(short_label("[unknown]", 5), "[un..");
}

TEST(Label, PathsKeepTheirEnd) {
  EXPECT_EQ(short_label("github.com/acme/tool.(*Server).Serve", 24), "..tool.(*Server).Serve");
  EXPECT_EQ(short_label("org/mozilla/Runtime:::set", 20), "..Runtime:::set");
  EXPECT_EQ(short_label("/usr/lib/libc.so.6", 13), "..libc.so.6");
}

TEST(Label, OperatorsAndOddNames) {
  EXPECT_EQ(short_label("ns::Big<int>::operator()(int) const", 22), "ns::Big::operator()");
  EXPECT_EQ(short_label("std::operator<< <char>(std::ostream&)", 17), "std::operator<<");
  EXPECT_EQ(short_label("(anonymous namespace)::run(int)", 30), "(anonymous namespace)::run");
  EXPECT_EQ(short_label("<T as core::Drop>::drop", 8), "..drop");
  EXPECT_EQ(short_label("a(((((((((((((((", 8), "a(((((..");
  EXPECT_EQ(short_label("x->y->zzzzzzzzzzzzzzz", 8), "x->y->..");
}

TEST(Label, NeverHalfACharacter) {
  EXPECT_EQ(short_label("\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E\xE6\x97\xA5", 6),
            "\xE6\x97\xA5\xE6\x9C\xAC..");
  EXPECT_EQ(short_label("\xFF\xFE\xFF\xFE\xFF", 4), "\xFF\xFE..");
}

TEST(Label, AbsurdNamesAreBounded) {
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
  EXPECT_EQ(frames_text(1), "1 frame");
  EXPECT_EQ(frames_text(1234), "1,234 frames");
}

}  // namespace
}  // namespace wick
