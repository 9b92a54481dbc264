// SPDX-License-Identifier: Apache-2.0
#include "report/label_ladder.h"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace wick {
namespace {

std::string ladder_of(std::string_view name) {
  return label_ladder(name, label_forms(name));
}

TEST(LabelLadder, OfAPlainNameIsEmpty) {
  EXPECT_EQ(ladder_of("main"), "");
  EXPECT_EQ(ladder_of(""), "");
}

TEST(LabelLadder, SaysWhichPartsRemain) {
  EXPECT_EQ(ladder_of("std::vector<int, std::allocator<int> >::push_back(int const&)"),
            "\t12,25,12\t.5\t.10");
  EXPECT_EQ(ladder_of("app::run::h0123456789abcdef"), "8\t.5");
  EXPECT_EQ(ladder_of("Lorg/js/Main;.run(I)V"), "/0,1,11,1,4\t-7\t-5");
  EXPECT_EQ(ladder_of("py::tokenise:/srv/app/flow.py"), "\"tokenise (flow.py)\t0,4,8");
}

TEST(LabelLadder, RemembersThatTheEndMatters) {
  EXPECT_EQ(ladder_of("/usr/lib/libc.so.6+0x175040"), "\t-9\t$");
}

TEST(LabelLadder, DoesNotSplitNamesBeyondAscii) {
  EXPECT_EQ(ladder_of("ns::gr\xC3\xB6\xC3\x9F"
                      "e(int)"),
            "\t\"ns::gr\xC3\xB6\xC3\x9F"
            "e\t\"..gr\xC3\xB6\xC3\x9F"
            "e");
}

// The text stays as short as the forms, whatever the name.
TEST(LabelLadder, OfHostileNames) {
  for (std::string name : {std::string(2000, '<'),
                           std::string(2000, ':'),
                           std::string(700, 'a') + "<" + std::string(700, 'a') + ">",
                           std::string("..::..::.."),
                           std::string("\"$\"::7,3::.9")}) {
    LabelForms label = label_forms(name);
    size_t size = 0;
    for (const std::string& form : label.forms) {
      size += form.size() + 2;
    }
    std::string ladder = label_ladder(name, label);
    EXPECT_LE(ladder.size(), size) << name;
    EXPECT_EQ(ladder.find('\n'), std::string::npos);
  }
}

}  // namespace
}  // namespace wick
