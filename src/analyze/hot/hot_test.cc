// SPDX-License-Identifier: Apache-2.0
// The entries of `wick hot`: which functions it chooses, their shares, their callers and their
// leaves. Profiles are folded text: recursion, libraries, spread costs, a server. Random trees
// check that the entries add up to the whole.
#include "analyze/hot/hot.h"

#include <chrono>
#include <map>
#include <random>
#include <set>

#include <fmt/ranges.h>
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

TEST(Hot, DifferentFunctionsLookDifferentInItsWords) {
  std::vector<Entry> entries =
      hot_entries(folded::from_text("main;f<int>(int);push<int>(int) 50\n"
                                    "main;f<char>(char);push<int>(int) 40\n"
                                    "main;push<char>(char);g(long) 10\n"));
  ASSERT_FALSE(entries.empty());
  EXPECT_EQ(entries[0].name, "push<int>(int)");
  EXPECT_EQ(entries[0].callers, "f<> [int] 56 % < main, f<> [char] 44 % < main");
}

// A caller with a little more cost than its callee reaches a threshold (8 %) first. Which of them
// is the entry must not depend on whether it just does.
TEST(Hot, TheEntryDoesNotDependOnTheThresholdThatACallerReaches) {
  auto entry_of = [](std::string_view inside, int each_other) {
    std::string text(inside);
    for (int other = 0; other < 8; ++other) {
      text += fmt::format("main;other{} {}\n", other, each_other);
    }
    for (const Entry& entry : hot_entries(folded::from_text(text), {.cover = 0.99})) {
      if (entry.name == "collect" || entry.name == "rows") {
        return entry.name;
      }
    }
    return std::string("none");
  };
  // rows is mostly own code and has 97 % of collect, or it has several callees and 92 %.
  for (std::string_view inside : {"main;collect 20\nmain;collect;rows 500\n"
                                  "main;collect;rows;a 140\nmain;collect;rows;b 130\n",
                                  "main;collect 60\nmain;collect;rows 100\n"
                                  "main;collect;rows;a 320\nmain;collect;rows;b 310\n"}) {
    EXPECT_EQ(entry_of(inside, 1120), "rows") << inside;  // collect has 8.1 %
    EXPECT_EQ(entry_of(inside, 1150), "rows") << inside;  // 7.9 %
  }
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

  // Seven functions that call each other, with a sample at each depth.
  ProfileBuilder builder;
  EventId event = builder.event({.name = builder.string("cpu"), .unit = builder.string("samples")});
  StackId stack = kEmptyStack;
  for (int i = 0; i < 100'000; ++i) {
    FunctionId function = builder.function({.name = builder.string(fmt::format("f{}", i % 7))});
    stack = builder.stack(stack, builder.frame({.function = function}));
    builder.add_sample({.weight = 1, .count = 1, .stack = stack, .event = event});
  }
  Profile profile = builder.finish();
  auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(hot_entries(profile).empty());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

// Each of them is a candidate for each entry. A walk over the tree for each took minutes.
TEST(Hot, AChainOfManyFunctionsTakesNoSquareOfItsLength) {
  ProfileBuilder builder;
  EventId event = builder.event({.name = builder.string("cpu"), .unit = builder.string("samples")});
  StackId stack = kEmptyStack;
  for (int i = 0; i < 100'000; ++i) {
    FunctionId function = builder.function({.name = builder.string(fmt::format("f{}", i))});
    stack = builder.stack(stack, builder.frame({.function = function}));
    builder.add_sample({.weight = 1, .count = 1, .stack = stack, .event = event});
  }
  Profile profile = builder.finish();
  auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(hot_entries(profile).empty());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
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

// A thread's function with four clear costs, 79 % together: its name says nothing, and the rest is
// spread thinly.
TEST(Hot, AFewClearCostsAreTheEntriesAndNotTheirCaller) {
  std::string text =
      "start;worker;crc32 140\nstart;worker;parse;token 40\nstart;worker;parse;number 60\n"
      "start;worker;parse 40\n";
  for (int i = 0; i < 9; ++i) {
    text += fmt::format("start;worker;sort_payload;introsort;step{} 30\n", i);
    text += fmt::format("start;worker;index_words;insert;probe{} 26\n", i);
    text += fmt::format("start;worker;step_small{} 7\n", i);
  }
  for (int i = 0; i < 20; ++i) {
    text += fmt::format("start;other{} 7\n", i);
  }
  std::vector<Entry> entries = hot_entries(folded::from_text(text));
  for (std::string_view name : {"sort_payload", "index_words", "parse", "crc32"}) {
    EXPECT_NE(std::ranges::find(entries, name, &Entry::name), entries.end()) << name;
  }
  auto worker = std::ranges::find(entries, "worker", &Entry::name);
  EXPECT_TRUE(worker == entries.end() || worker->share < 0.1);
}

// What a person calls is an entry, not what the standard library does then: except allocation.
TEST(Hot, InternalsOfTheStandardLibraryBelongToTheFunctionThatWasCalled) {
  std::vector<Entry> entries = hot_entries(
      folded::from_text("main;work;std::sort;std::__introsort_loop;std::__less 200\n"
                        "main;work;std::sort;std::__introsort_loop;std::__insert 100\n"
                        "main;work;std::sort;std::__introsort_loop;by_key 200\n"
                        "main;work;std::vector::push_back;std::__grow;operator new;malloc 100\n"
                        "main;work;std::map::operator[];std::__insert;operator new;malloc 100\n"
                        "main;rest 200\n"),
      {.cover = 0.95});
  std::map<std::string, double> shares;
  for (const Entry& entry : entries) {
    shares[entry.name] = entry.share;
  }
  std::map<std::string, double> expected = {{"std::sort", 300.0 / 900},
                                            {"by_key", 200.0 / 900},
                                            {"operator new", 200.0 / 900},
                                            {"rest", 200.0 / 900}};
  EXPECT_EQ(shares, expected);
}

// The same function with a total of 34 % is not too general by itself.
TEST(Hot, AFunctionMadeOfClearCostsIsNotAnEntry) {
  std::vector<Entry> entries = hot_entries(folded::from_text(
      "main;handle;decode;field 150\nmain;handle;decode;utf8 140\nmain;handle;check;hash 135\n"
      "main;handle;decode 5\nmain;a 415\nmain;b 415\n"));
  std::set<std::string> names;
  for (const Entry& entry : entries) {
    names.insert(entry.name);
  }
  EXPECT_TRUE(names.contains("field") && names.contains("utf8") && !names.contains("handle"))
      << fmt::format("{}", fmt::join(names, " "));
}

constexpr std::string_view kSystemCalls =
    "main;handle;write;entry_SYSCALL_64_[k];do_syscall_64_[k];vfs_write_[k];copy_[k] 120\n"
    "main;handle;write;entry_SYSCALL_64_[k];do_syscall_64_[k];vfs_write_[k] 100\n"
    "main;handle;write 10\n"
    "main;now;clock_gettime;entry_SYSCALL_64_[k];do_syscall_64_[k];get_time_[k] 170\n"
    "main;fill;exc_page_fault_[k];clear_page_[k] 150\n"
    "main;fill 100\n"
    "main;decode 350\n";

TEST(Hot, KernelTimeBelongsToTheUserFunctionThatEnteredIt) {
  std::vector<Entry> entries = hot_entries(folded::from_text(kSystemCalls), {.cover = 0.95});
  ASSERT_EQ(entries.size(), 4U);
  EXPECT_EQ(entries[0].name, "decode");
  EXPECT_EQ(entries[1],
            (Entry{"fill", 0.25, "own code 40 %, kernel 60 %: clear_page 60 %", "main"}));
  EXPECT_EQ(
      entries[2],
      (Entry{
          "write", 0.23, "own code 4 %, kernel 96 %: copy 52 %, vfs_write 43 %", "handle < main"}));
  EXPECT_EQ(entries[3].name, "clock_gettime");
}

TEST(Hot, AKernelAloneHasItsFunctions) {
  std::vector<Entry> entries =
      hot_entries(folded::from_text("start_[k];map_[k];allocate_[k] 60\nstart_[k];idle_[k] 40\n"));
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].name, "allocate");
}

// Two runs of one program differ by chance only, and so must not differ in their entries.
TEST(Hot, TwoRunsHaveTheSameEntries) {
  std::mt19937 random(11);
  auto run = [&] {
    std::string text;
    auto add = [&](std::string_view stack, int samples) {
      std::poisson_distribution<int> number(samples);
      text += fmt::format("{} {}\n", stack, number(random));
    };
    for (int call = 0; call < 12; ++call) {
      add(fmt::format("main;serve;handle;write;entry_[k];do_syscall_[k];send{}_[k]", call), 160);
      add(fmt::format("main;serve;now;clock_gettime;entry_[k];do_syscall_[k];time{}_[k]", call),
          70);
      add(fmt::format("main;serve;handle;decode;f{}", call), 120);
      add(fmt::format("main;serve;small{}", call), 40);
    }
    add("main;serve;handle;crc32", 1100);
    std::vector<std::string> names;
    for (const Entry& entry : hot_entries(folded::from_text(text))) {
      if (entry.share >= 0.05) {
        names.push_back(entry.name);
      }
    }
    std::ranges::sort(names);
    return names;
  };
  std::vector<std::string> first = run();
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(run(), first);
  }
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

// A type without a path is one of the language, and has methods of Rust's libraries, or of traits
// of the program.
TEST(Hot, MethodsOfTypesOfTheLanguageBelongToTheLibraryOfTheirTrait) {
  Profile profile = folded::from_text(
      "main;app::text;<usize as core::iter::Sum>::sum;<core::iter::Map<I,F> as "
      "core::iter::Iterator>"
      "::fold 300\n"
      "main;app::score;<usize as app::Score>::of;core::slice::sort 300\n"
      "main;app::length;<u64>::ilog2;core::num::ilog 300\n");
  std::set<std::string> names;
  for (const Entry& entry : hot_entries(profile)) {
    names.insert(entry.name);
  }
  EXPECT_EQ(names,
            (std::set<std::string>{
                "<usize as core::iter::Sum>::sum", "core::slice::sort", "<u64>::ilog2"}));
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
