// SPDX-License-Identifier: Apache-2.0
// The entries of `wick hot`: which functions it chooses, their shares, their callers and their
// leaves. Profiles are folded text: recursion, libraries, spread costs, a server. Random trees
// check that the entries add up to the whole.
#include "analyze/hot/hot.h"

#include <random>

#include <gtest/gtest.h>

#include "formats/folded/folded.h"
#include "profile/builder.h"

namespace wick {
namespace {

struct Entry {
  std::string name;
  double share;
  std::string inside;
  std::string callers;
  bool operator==(const Entry&) const = default;
};

std::vector<Entry> hot_entries(const Profile& profile, const HotOptions& options = {}) {
  Report report = hot(profile, options);
  const Table& rows = std::get<Table>(report.sections[0].body);
  std::vector<Entry> entries;
  for (size_t i = 0; i < rows.rows(); ++i) {
    entries.push_back({rows.find("name")->text[i],
                       rows.find("share")->numbers[i],
                       rows.find("inside")->text[i],
                       rows.find("callers")->text[i]});
  }
  return entries;
}

TEST(Hot, SpreadFunctionWinsOverItsCallers) {
  std::string text;
  for (int caller = 0; caller < 4; ++caller) {
    for (int leaf = 0; leaf < 10; ++leaf) {
      text += fmt::format("main;h{};syslog;l{} 10\n", caller, leaf);
    }
    text += fmt::format("main;h{0};w{0} 50\n", caller);
  }
  std::vector<Entry> entries = hot_entries(folded::from_text(text));
  ASSERT_FALSE(entries.empty());
  EXPECT_EQ(entries[0].name, "syslog");
  EXPECT_NEAR(entries[0].share, 400.0 / 600, 1e-9);
}

TEST(Hot, RecursionThroughOthersIsOwnCode) {
  std::vector<Entry> entries = hot_entries(folded::from_text(
      "main;fib;fib;fib 400\nmain;fib;fib;log 300\nmain;fib;log;fib 100\nmain 200\n"));
  ASSERT_FALSE(entries.empty());
  EXPECT_EQ(entries[0].name, "fib");
  EXPECT_NEAR(entries[0].share, 0.5, 1e-9);
}

TEST(Hot, SaysWhenItExplainsLessThanAsked) {
  auto notes = [](double cover) {
    Report report =
        hot(folded::from_text("main;a 50\nmain;b 30\nmain;c 20\n"), {.cover = cover, .most = 1});
    return std::ranges::any_of(
        report.notes, [](const std::string& note) { return note.contains("less than the"); });
  };
  EXPECT_TRUE(notes(0.9));
  EXPECT_FALSE(notes(0.4));
}

TEST(Hot, DeepStacksTakeNoSquareOfTheirDepth) {
  std::string text;
  for (int i = 0; i < 60'000; ++i) {
    text += fmt::format("f{};", i);
  }
  EXPECT_FALSE(hot_entries(folded::from_text(text + "leaf 100\n")).empty());
}

constexpr std::string_view kServer =
    "main;serve;handle;crc32 30\n"
    "main;serve;handle;log;syslog;vsnprintf;a 5\n"
    "main;serve;handle;log;syslog;vsnprintf;b 4\n"
    "main;serve;handle;log;syslog;send;c 6\n"
    "main;serve;handle;log;syslog;send;d 4\n"
    "main;serve;handle;log;syslog;time 5\n"
    "main;serve;other;log;syslog;time 3\n"
    "main;serve;handle;memcpy 8\n"
    "main;serve;parse;memcpy 9\n"
    "main;serve;parse;lex 6\n"
    "main;serve;handle;x 3\n"
    "main;serve;handle;y 3\n"
    "main;serve;idle 4\n"
    "main 10\n";

TEST(Hot, ReportsLeavesSpreadCostsAndOwnCodeOnce) {
  std::vector<Entry> entries = hot_entries(folded::from_text(kServer));
  ASSERT_EQ(entries.size(), 5U);
  EXPECT_EQ(entries[0], (Entry{"crc32", 0.30, "its own code", "handle < serve < main"}));
  // All of syslog, although none of its leaves is large enough for an entry.
  EXPECT_EQ(entries[1].name, "log");
  EXPECT_NEAR(entries[1].share, 0.27, 1e-12);
  EXPECT_EQ(entries[1].inside, "5 functions below: time 30 %, c 22 %, a 19 %");
  EXPECT_EQ(entries[1].callers, "handle 89 % < serve < main, other 11 % < serve < main");
  // Called from two functions, but one entry.
  EXPECT_EQ(entries[2].name, "memcpy");
  EXPECT_NEAR(entries[2].share, 0.17, 1e-12);
  EXPECT_EQ(entries[3].name, "main");
  EXPECT_NEAR(entries[3].share, 0.10, 1e-12) << "its own code, not all it calls";
  EXPECT_EQ(entries[4].name, "[everything else]");
}

TEST(Hot, GainIsAmdahls) {
  Report report = hot(folded::from_text("main;f 50\nmain;g 50\n"), {.times = 4});
  const Table& rows = std::get<Table>(report.sections[0].body);
  EXPECT_NEAR(rows.find("saved")->numbers[0], 0.375, 1e-12);
  EXPECT_NEAR(rows.find("speed_up")->numbers[0], 1 / 0.625, 1e-12);
  EXPECT_NEAR(rows.find("speed_up_limit")->numbers[0], 2, 1e-12);
}

TEST(Hot, OneHotFunctionIsTheOnlyEntry) {
  std::vector<Entry> entries = hot_entries(folded::from_text("main;run;spin 100\n"));
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].name, "spin");
}

TEST(Hot, RecursionCountsOnce) {
  std::vector<Entry> entries =
      hot_entries(folded::from_text("main;f;f;f;leaf 30\nmain;f;g;f 30\nmain;h 40\n"));
  double sum = 0;
  for (const Entry& entry : entries) {
    sum += entry.share;
  }
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(Hot, TheWayIntoALibraryIsShownUpToAHighShare) {
  ProfileBuilder builder;
  EventId event = builder.event({.name = builder.string("s"), .unit = builder.string("samples")});
  ModuleId program = builder.module({.path = builder.string("program")});
  ModuleId library = builder.module({.path = builder.string("libc.so.6")});
  auto frame = [&](std::string_view name, ModuleId module) {
    FunctionId function = builder.function({.name = builder.string(name), .module = module});
    return builder.frame({.function = function, .module = module});
  };
  StackId serve =
      builder.stack(builder.stack(kEmptyStack, frame("main", program)), frame("serve", program));
  StackId syslog = builder.stack(serve, frame("syslog", library));
  for (int i = 0; i < 10; ++i) {
    StackId leaf = builder.stack(syslog, frame("inner" + std::to_string(i), library));
    builder.add_sample({.weight = 7, .count = 7, .stack = leaf, .event = event});
  }
  StackId work = builder.stack(serve, frame("work", program));
  builder.add_sample({.weight = 30, .count = 30, .stack = work, .event = event});
  std::vector<Entry> entries = hot_entries(builder.finish());
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].name, "syslog");
  EXPECT_NEAR(entries[0].share, 0.7, 1e-12);
  EXPECT_EQ(entries[1].name, "work");
}

// Costs that are spread over many small functions, none of them large enough for an entry. Each
// case: the stacks, the required entries with their shares, and the maximum number of entries.
struct SpreadCase {
  std::string name;
  std::string text;
  std::vector<std::pair<std::string, double>> reported;
  size_t most = 0;
};

std::vector<SpreadCase> spread_cases() {
  std::vector<SpreadCase> cases;
  auto leaves = [](std::string_view above, std::string_view prefix, int count, int weight) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += fmt::format("{};{}{} {}\n", above, prefix, i, weight);
    }
    return text;
  };
  std::string callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers += leaves(fmt::format("main;work;c{}", caller), fmt::format("l{}_", caller), 10, 10);
  }
  cases.push_back({"four callers of ten leaves each",
                   callers + "main;big;x 200\nmain;big;y 200\nmain;z 200\n",
                   {{"x", 0.2}, {"y", 0.2}, {"z", 0.2}},
                   7});
  cases.push_back({"forty leaves below one function",
                   leaves("main;work", "l", 40, 11) + "main;a 280\nmain;b 280\n",
                   {{"work", 0.44}, {"a", 0.28}, {"b", 0.28}},
                   3});
  cases.push_back({"nearly all below one function",
                   leaves("main;parse", "p", 100, 9) + "main;rest 100\n",
                   {{"parse", 0.9}},
                   2});
  std::string halves;
  for (int i = 0; i < 10; ++i) {
    halves += leaves(fmt::format("main;parse;p{}", i), fmt::format("q{}_", i), 10, 5);
    halves += leaves(fmt::format("main;emit;e{}", i), fmt::format("r{}_", i), 10, 4);
  }
  cases.push_back({"two functions, each over a hundred leaves",
                   halves + "main;rest 100\n",
                   {{"parse", 0.5}, {"emit", 0.4}},
                   3});
  std::string log;
  for (int i = 0; i < 20; ++i) {
    log += leaves(fmt::format("main;loop;h{};syslog", i), "s", 15, 1);
    log += fmt::format("main;loop;h{0};own{0} 20\n", i);
  }
  cases.push_back({"syslog from twenty places, and twenty small functions",
                   log,
                   {{"syslog", 300.0 / 700}, {"loop", 400.0 / 700}},
                   2});
  cases.push_back({"nothing but small functions", leaves("main", "f", 200, 5), {{"main", 1}}, 1});
  return cases;
}

TEST(Hot, SpreadCostsAreExplainedByFewEntriesWithoutOverlap) {
  for (const SpreadCase& spread : spread_cases()) {
    std::vector<Entry> entries = hot_entries(folded::from_text(spread.text));
    double sum = 0;
    double explained = 0;
    size_t count = 0;
    for (const Entry& entry : entries) {
      bool rest = entry.name == "[everything else]";
      sum += entry.share;
      explained += rest ? 0 : entry.share;
      count += rest ? 0U : 1U;
    }
    EXPECT_NEAR(sum, 1, 1e-9) << spread.name;
    EXPECT_GE(explained, 0.8) << spread.name;
    EXPECT_LE(count, spread.most) << spread.name;
    for (const auto& [name, share] : spread.reported) {
      auto found = std::ranges::find(entries, name, &Entry::name);
      ASSERT_NE(found, entries.end()) << spread.name << ": " << name;
      EXPECT_NEAR(found->share, share, 1e-9) << spread.name << ": " << name;
    }
  }
}

// Conservation, for any shape of the tree.
TEST(Hot, EntriesAddUpToTheWhole) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 100; ++trial) {
    std::string text;
    for (int line = 0; line < 60; ++line) {
      size_t depth = 1 + random() % 8;
      for (size_t i = 0; i < depth; ++i) {
        text += (i == 0 ? "f" : ";f") + std::to_string(random() % 12);
      }
      text += " " + std::to_string(1 + random() % 50) + "\n";
    }
    std::vector<Entry> entries = hot_entries(folded::from_text(text));
    double sum = 0;
    for (const Entry& entry : entries) {
      EXPECT_GE(entry.share, 0);
      sum += entry.share;
    }
    EXPECT_NEAR(sum, 1, 1e-9);
    EXPECT_LE(entries.size(), 13U);
  }
}

TEST(Hot, NoSamplesNoEntries) {
  EXPECT_TRUE(hot_entries(Profile()).empty());
}

}  // namespace
}  // namespace wick
