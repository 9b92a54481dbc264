// SPDX-License-Identifier: Apache-2.0
// Compares frames with those of flamegraph.pl itself. It compares sets, because flamegraph.pl
// writes frames in the order of a hash table.
#include "views/svg/perl_form.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/files.h"
#include "views/svg/folded_tree.h"
#include "views/svg/svg.h"

namespace wick {
namespace {

struct Case {
  std::string expected;  // file in expected-frames
  std::string input;
  testing::FoldedOptions folded = {};
  std::vector<std::pair<std::string, std::string>> flags = {};
};

const char* const kDd = "FlameGraph/test/results/perf-dd-stacks-01-collapsed-kernel.txt";
const char* const kDiff = "FlameGraph/expected-frames/diff-input.txt";

std::vector<Case> cases() {
  return {{"dd-default", kDd},
          {"dd-flamechart", kDd, {.keep_order = true}},
          {"dd-hash", kDd, {}, {{"hash", ""}}},
          {"dd-inverted", kDd, {}, {{"inverted", ""}}},
          {"dd-minwidth5", kDd, {}, {{"min-width", "5"}}},
          {"dd-reverse", kDd, {.reverse = true}},
          {"dd-width800-height20", kDd, {}, {{"width", "800"}, {"height", "20"}}},
          {"diff", kDiff},
          {"diff-negate", kDiff, {}, {{"negate", ""}}}};
}

std::string between(std::string_view text, std::string_view before, std::string_view after) {
  size_t begin = text.find(before) + before.size();
  return std::string(text.substr(begin, text.find(after, begin) - begin));
}

std::vector<std::string> frames_of(const Case& test, const std::string& folded) {
  FlagValues flags;
  flags.declare(svg_flags());
  flags.set("flamegraph-pl", "");
  for (const auto& [name, value] : test.flags) {
    flags.set(name, value);
  }
  std::string svg;
  Output out = Output::to_text(svg);
  EXPECT_TRUE(write_svg(testing::folded_report(folded, test.folded), flags, out));
  std::vector<std::string> frames;
  std::istringstream lines(between(svg, "<g id=\"frames\">\n", "</g>\n<script"));
  for (std::string line; std::getline(lines, line);) {
    frames.push_back(fmt::format("{}\t{}\t{}\t{}\t{}\t{}",
                                 between(line, " y=\"", "\""),
                                 between(line, "<rect x=\"", "\""),
                                 between(line, " width=\"", "\""),
                                 between(line, " fill=\"", "\""),
                                 between(line, "<title>", "</title>"),
                                 between(line, "\" >", "</text>")));
  }
  std::ranges::sort(frames);
  return frames;
}

TEST(PerlForm, FramesAreThoseOfFlamegraphPl) {
  for (const Case& test : cases()) {
    std::string expected_path =
        testing::corpus_path("FlameGraph/expected-frames/" + test.expected + ".tsv");
    std::string input_path = testing::corpus_path(test.input);
    SKIP_WITHOUT_CORPUS(expected_path);
    SKIP_WITHOUT_CORPUS(input_path);
    std::vector<std::string> expected;
    std::istringstream lines(testing::read_file(expected_path));
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with('#')) {
        expected.push_back(line);
      }
    }
    std::ranges::sort(expected);
    EXPECT_EQ(frames_of(test, testing::read_file(input_path)), expected) << test.expected;
  }
}

// Colours that the corpus does not contain. The numbers come from flamegraph.pl.
TEST(PerlForm, PalettesLookAtNamesWithTheirSuffix) {
  auto fill = [](std::string_view palette, std::string_view name) {
    Rgb colour = perl_colour(perl_palette(palette).value(), name, false);
    return fmt::format("{},{},{}", colour.red, colour.green, colour.blue);
  };
  EXPECT_EQ(fill("java", "sys_read_[k]"), "219,119,0");
  EXPECT_EQ(fill("java", "Foo::bar"), "204,204,60");
  EXPECT_EQ(fill("chain", "wake_[w]"), "108,218,218");
  EXPECT_EQ(fill("mem", "malloc"), "0,215,108");
  EXPECT_EQ(fill("io", "read"), "136,136,241");
}

TEST(PerlForm, LabelsCountCharacters) {
  Case test{.input = {}, .flags = {{"width", "100"}}};
  std::vector<std::string> frames =
      frames_of(test,
                "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9"
                "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9 7\n");
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_TRUE(frames[0].ends_with(
      "\t\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9.."))
      << frames[0];
}

}  // namespace
}  // namespace wick
