// SPDX-License-Identifier: Apache-2.0
// Parsing, the translation of perf's flags, and the tables that help and completion use.
#include <set>

#include <gtest/gtest.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "cli/perf_compatibility.h"

namespace wick {
namespace {

Result<Invocation> parsed(std::string_view verb, const std::vector<std::string>& words) {
  return parse(*find_command(verb), words);
}

TEST(Commands, FlagsOfAVerbHaveDistinctNamesAndLetters) {
  for (const Command& command : all_commands()) {
    std::set<std::string_view> names;
    std::set<char> letters;
    for (const Flag& flag : command.flags) {
      EXPECT_TRUE(names.insert(flag.name).second) << command.name << " --" << flag.name;
      EXPECT_TRUE(flag.letter == '\0' || letters.insert(flag.letter).second)
          << command.name << " -" << flag.letter;
      EXPECT_FALSE(flag.help.empty()) << flag.name;
      EXPECT_EQ(flag.kind == FlagKind::kSwitch, flag.value.empty()) << flag.name;
    }
  }
}

void expect_short_lines(const std::string& help) {
  for (size_t at = 0, end = 0; at < help.size(); at = end + 1) {
    end = help.find('\n', at);
    EXPECT_LE(end - at, 80U) << help.substr(at, end - at);
  }
}

bool lists(const std::string& help, const Flag& flag) {
  return help.find(fmt::format("--{}", flag.name)) != std::string::npos;
}

TEST(Commands, HelpListsEveryFlagWithinTheLine) {
  std::string of_formats = command_help(*find_command("formats"));
  for (const Command& command : all_commands()) {
    std::string help = command_help(command);
    for (const Flag& flag : command.flags) {
      EXPECT_TRUE(lists(help, flag) || lists(of_formats, flag)) << command.name << flag.name;
    }
    EXPECT_FALSE(command.examples.empty()) << command.name;
    expect_short_lines(help);
  }
  expect_short_lines(general_help());
}

// The verb's own flags come first. The flags of one format are only on the format's own page.
TEST(Commands, HelpIsGroupedByFamily) {
  std::string help = command_help(*find_command("report"));
  size_t last = 0;
  for (const char* mark : {"\nFlags:\n",
                           "-b, --by",
                           "\nFilters:\n",
                           "--focus",
                           "\nOutput:\n",
                           "--json",
                           "\nInput:\n",
                           "--symfs",
                           "`wick help formats`"}) {
    size_t at = help.find(mark);
    ASSERT_NE(at, std::string::npos) << mark;
    EXPECT_GT(at, last) << mark;
    last = at;
  }
  EXPECT_EQ(help.find("--tsc-ghz"), std::string::npos);
  EXPECT_NE(format_help(*find_format("redox")).find("--tsc-ghz"), std::string::npos);
}

TEST(Commands, EveryFlagOfAFormatIsOnItsPage) {
  std::string all = command_help(*find_command("formats"));
  for (const Format& format : all_formats()) {
    std::string help = format_help(format);
    expect_short_lines(help);
    for (std::span<const Flag> flags : {format.read_flags, format.write_flags}) {
      for (const Flag& flag : flags) {
        EXPECT_TRUE(lists(help, flag) && lists(all, flag)) << format.name << " " << flag.name;
      }
    }
  }
}

TEST(Parse, TakesFlagsAndWordsInAnyOrder) {
  Result<Invocation> call =
      parsed("report", {"a.folded", "--by", "module", "-l5", "--sort=total", "b"});
  ASSERT_TRUE(call) << call.error().message;
  EXPECT_EQ(call->words, (std::vector<std::string>{"a.folded", "b"}));
  EXPECT_EQ(call->flags.text("by"), "module");
  EXPECT_EQ(call->flags.integer("limit"), 5U);
  EXPECT_EQ(call->flags.text("sort"), "total");
  EXPECT_FALSE(call->flags.given("focus"));
}

TEST(Parse, OptionalValuesFollowAnEqualsSign) {
  Result<Invocation> bare = parsed("record", {"--overhead", "--", "true"});
  ASSERT_TRUE(bare) << bare.error().message;
  EXPECT_TRUE(bare->flags.given("overhead"));
  EXPECT_EQ(bare->flags.text("overhead"), "5");
  EXPECT_EQ(bare->words, std::vector<std::string>{"true"});
  Result<Invocation> valued = parsed("record", {"--overhead=3", "--raw=x", "--", "true"});
  ASSERT_TRUE(valued) << valued.error().message;
  EXPECT_EQ(valued->flags.text("overhead"), "3");
  EXPECT_EQ(valued->flags.text("raw"), "x");
  EXPECT_FALSE(parsed("record", {"--", "true"})->flags.given("raw"));
}

TEST(Parse, TheLastOfARepeatedFlagCounts) {
  Result<Invocation> call = parsed("report", {"--focus", "a", "--focus", "b"});
  ASSERT_TRUE(call) << call.error().message;
  EXPECT_EQ(call->flags.text("focus"), "b");
}

TEST(Parse, AnOpenChoiceTakesAnyText) {
  Result<Invocation> call =
      parsed("report", {"--by", "label:a|b:c", "--label", "x=y", "--label", "z"});
  ASSERT_TRUE(call) << call.error().message;
  EXPECT_EQ(call->flags.text("by"), "label:a|b:c");
  EXPECT_EQ(call->flags.texts("label"), (std::vector<std::string>{"x=y", "z"}));
}

TEST(Parse, WordsAfterTwoDashesAreWords) {
  Result<Invocation> call = parsed("sandwich", {"x.folded", "--", "--weird"});
  ASSERT_TRUE(call) << call.error().message;
  EXPECT_EQ(call->words, (std::vector<std::string>{"x.folded", "--weird"}));
}

TEST(Parse, MistakesAreUsageErrorsWithASentence) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"--by"},
                                             {"--by", "colour"},
                                             {"--by", "label:"},
                                             {"--by", "label"},
                                             {"--limit", "x"},
                                             {"--nonsense"},
                                             {"--per", "-1"},
                                             {"-Q"}}) {
    Result<Invocation> call = parsed("report", words);
    ASSERT_FALSE(call) << words[0];
    EXPECT_TRUE(call.error().usage);
    EXPECT_GT(call.error().message.size(), 10U);
  }
}

std::string translated(std::string_view verb, const std::vector<std::string>& words) {
  std::string text;
  Translated result = translate_perf_flags(*find_command(verb), words);
  for (const std::string& word : result.arguments) {
    text += (text.empty() ? "" : " ") + word;
  }
  return text + (result.notes.empty() ? "" : fmt::format(" [{} notes]", result.notes.size()));
}

TEST(PerfCompatibility, FlagsAreTranslatedAcceptedOrAnswered) {
  EXPECT_EQ(translated("report", {"--stdio", "-n", "-i", "perf.data"}), "-i perf.data");
  EXPECT_EQ(translated("report", {"--no-children"}), "--sort=self");
  EXPECT_EQ(translated("report", {"--percent-limit", "2"}), "--min-share=2");
  EXPECT_EQ(translated("report", {"--percent-limit=2"}), "--min-share=2");
  EXPECT_EQ(translated("report", {"-g", "x.folded"}), "x.folded [1 notes]");
  EXPECT_EQ(translated("report", {"-g", "caller", "x.folded"}), "x.folded [1 notes]");
  EXPECT_EQ(translated("report", {"-gcaller", "x.folded"}), "x.folded [1 notes]");
  EXPECT_EQ(translated("report", {"-ni", "perf.data"}), "-i perf.data");
  EXPECT_EQ(translated("report", {"-nx", "--focus", "-nx"}), "--focus -nx");
  EXPECT_EQ(translated("record", {"-ag", "-F", "99"}), "-a -F 99");
  EXPECT_EQ(translated("record", {"-agF99", "-m512"}), "-a -F99 [1 notes]");
  EXPECT_EQ(translated("record", {"-gF", "99", "--", "ls", "-gF"}), "-F 99 -- ls -gF");
  EXPECT_EQ(translated("record", {"-gY"}), "-gY");
  EXPECT_EQ(translated("stat", {"-adr", "2"}), "-a -r 2");
  EXPECT_EQ(translated("stat", {"-ddd"}), "");
  EXPECT_EQ(translated("report", {"-s", "dso"}), "--by=module");
  EXPECT_EQ(translated("report", {"--sort", "total"}), "--sort total");
  EXPECT_EQ(translated("report", {"--", "-n"}), "-- -n");
  EXPECT_EQ(translated("tree", {"--no-children", "x"}), "x [1 notes]");
  EXPECT_EQ(translated("flame", {"--inverted"}), "--inverted");
}

TEST(PerfCompatibility, NoWickFlagIsTakenForAPerfFlag) {
  for (const Command& command : all_commands()) {
    for (const Flag& flag : command.flags) {
      std::string name = fmt::format("--{}", flag.name);
      EXPECT_EQ(translated(command.name, {name}), name) << command.name;
      if (flag.letter != '\0') {
        std::string letter = fmt::format("-{}", flag.letter);
        EXPECT_EQ(translated(command.name, {letter}), letter) << command.name;
      }
    }
  }
}

TEST(PerfCompatibility, NoWickVerbHasAnAnswerForPerf) {
  for (const Command& command : all_commands()) {
    EXPECT_EQ(answer_to_perf_verb(command.name), "");
  }
  EXPECT_NE(answer_to_perf_verb("script"), "");
}

}  // namespace
}  // namespace wick
