// SPDX-License-Identifier: Apache-2.0
#include "experiment/plan/template_text.h"

#include <map>

#include <gtest/gtest.h>

namespace wick {
namespace {

using Words = std::vector<std::string>;

const Words* filling(std::string_view name) {
  static const std::map<std::string, Words, std::less<>> kFillings = {
      {"threads", {"4"}},
      {"flags", {"--engine", "v 1"}},
      {"engine.name", {"v1"}},
      {"none", {}},
      {"line", {"a  b"}}};
  auto found = kFillings.find(name);
  return found == kFillings.end() ? nullptr : &found->second;
}

TEST(TemplateText, FillsPlaceholders) {
  EXPECT_EQ(fill_text("t={threads} {engine.name}", filling).value_or(""), "t=4 v1");
  EXPECT_EQ(placeholders_of("{a}{b.c} { d } {}"), (Words{"a", "b.c"}));
}

TEST(TemplateText, OtherBracesAreText) {
  for (const char* text : {"{ print $1 }", "${HOME:-x}", "{", "}", "{}", "{1}", "a{,b}c"}) {
    EXPECT_EQ(fill_text(text, filling).value_or(""), text);
  }
  EXPECT_EQ(fill_text("{{threads}}", filling).value_or(""), "{threads}");
  EXPECT_EQ(fill_text("{{{threads}}}", filling).value_or(""), "{{threads}}");
}

TEST(TemplateText, PlaceholdersWithoutAValueAreNamed) {
  Result<std::string> filled = fill_text("{thread}", filling);
  ASSERT_FALSE(filled);
  EXPECT_EQ(filled.error().message, "unknown placeholder {thread}");
  EXPECT_FALSE(fill_words({"{thread}"}, filling));
  EXPECT_FALSE(fill_command_line("x {thread}", filling));
}

TEST(TemplateText, AHoleThatIsAWordMayBeSeveral) {
  EXPECT_EQ(fill_words({"p", "{flags}", "{none}", "-t{threads}"}, filling).value_or(Words()),
            (Words{"p", "--engine", "v 1", "-t4"}));
}

TEST(TemplateText, LinesAreSplitAsAShellDoes) {
  EXPECT_EQ(fill_command_line(R"(p  -t {threads} "a b"'c' x\ y "" \{)", filling).value_or(Words()),
            (Words{"p", "-t", "4", "a bc", "x y", "", "{"}));
  EXPECT_EQ(fill_command_line("p {line} '{line}' {none}", filling).value_or(Words()),
            (Words{"p", "a", "b", "a  b"}));
  EXPECT_FALSE(fill_command_line("p 'a", filling));
}

}  // namespace
}  // namespace wick
