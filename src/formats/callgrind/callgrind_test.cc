// SPDX-License-Identifier: Apache-2.0
// Tests the reader of callgrind files (abbreviations, positions, parts, estimated stacks), the
// writer, and both on bad input: every cut, wrong numbers, cycles, and graphs with too many paths.
#include "formats/callgrind/callgrind.h"

#include <array>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "profile/builder.h"
#include "profile/lost_share.h"
#include "profile/names.h"
#include "profile/validate.h"
#include "tests/support/files.h"

namespace wick::callgrind {
namespace {

Result<Profile> read_text(std::string_view text) {
  Input input = Input::from_text("callgrind.out", std::string(text));
  return read(input, FlagValues());
}

Profile must_read(std::string_view text) {
  Result<Profile> profile = read_text(text);
  EXPECT_TRUE(profile) << profile.error().message;
  EXPECT_TRUE(validate(*profile));
  return *std::move(profile);
}

std::string write_text(const Profile& profile) {
  std::string text;
  Output out = Output::to_text(text);
  EXPECT_TRUE(write(profile, FlagValues(), out));
  return text;
}

Profile from_folded(std::string_view lines) {
  const Format* folded = find_format("folded");
  FlagValues flags;
  flags.declare(folded->read_flags);
  flags.set("unit", "samples");
  Input input = Input::from_text("folded", std::string(lines));
  return *folded->read_profile(input, flags);
}

// "main:16;func1:51 100" for each stack of an event, sorted.
std::string stacks_of(const Profile& profile, size_t event = 0) {
  std::map<std::string, int64_t> sums;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    EXPECT_EQ(profile.samples.count[row], 0U);
    if (profile.samples.event[row].index() != event) {
      continue;
    }
    std::string text;
    for (StackId stack = profile.samples.stack[row]; stack != kEmptyStack;
         stack = profile.stacks.parent(stack)) {
      FrameId frame = profile.stacks.frame(stack);
      text = fmt::format("{}:{}{}{}",
                         frame_name(profile, frame),
                         profile.frames[frame].line,
                         text.empty() ? "" : ";",
                         text);
    }
    sums[text] += profile.samples.weight[row];
  }
  std::string result;
  for (const auto& [text, sum] : sums) {
    result += fmt::format("{} {}\n", text, sum);
  }
  return result;
}

struct FunctionCost {
  int64_t self = 0;
  int64_t total = 0;
  friend bool operator==(const FunctionCost&, const FunctionCost&) = default;
};
// In the stacks, as `wick tree` shows them.
std::map<std::string, FunctionCost> costs_of(const Profile& profile) {
  std::map<std::string, FunctionCost> costs;
  std::vector<FunctionCost*> cost_of;  // by frame
  for (size_t row = 0; row < profile.frames.size(); ++row) {
    cost_of.push_back(&costs[frame_name(profile, FrameId::from_index(row))]);
  }
  std::set<FunctionCost*> seen;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    seen.clear();
    int64_t weight = profile.samples.weight[row];
    for (StackId stack = profile.samples.stack[row]; stack != kEmptyStack;
         stack = profile.stacks.parent(stack)) {
      FunctionCost* cost = cost_of[profile.stacks.frame(stack).index()];
      cost->self += seen.empty() ? weight : 0;
      cost->total += seen.insert(cost).second ? weight : 0;
    }
  }
  return costs;
}

// The same with the totals that the file states, as in `wick report`.
std::map<std::string, FunctionCost> reported(const Profile& profile) {
  std::map<std::string, FunctionCost> costs = costs_of(profile);
  for (const TotalCorrection& row : profile.total_corrections) {
    EXPECT_NE(row.weight, 0);
    costs[std::string(profile.strings[profile.functions[row.function].name])].total += row.weight;
  }
  return costs;
}

bool has_loss(const Profile& profile, std::string_view reason) {
  for (const Loss& loss : profile.losses) {
    if (profile.strings[loss.reason].find(reason) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

constexpr std::string_view kManual = R"(# callgrind format
version: 1
creator: hand
pid: 7
cmd: ./prog -x
positions: line
events: Ir Dr

ob=(1) /bin/prog
fl=(1) file1.c
fn=(1) main
16 20 2
cfn=(2) func1
calls=1 50
+0 400
cfi=(2) file2.c
cfn=(3) func2
calls=3 20
* 400 1

fn=(2)
51 100
cfi=(2)
cfn=(3)
calls=2 20
51 300

fl=(2)
fn=(3)
20 500 1
jump=3 25
20
fi=(3) inlined.h
+5 200
totals: 820 3
)";

TEST(Callgrind, ReadsCostsAndEstimatesStacks) {
  Profile profile = must_read(kManual);
  EXPECT_EQ(stacks_of(profile),
            "main:16 20\n"
            "main:16;func1:51 100\n"
            "main:16;func1:51;func2:20 215\n"
            "main:16;func1:51;func2:25 85\n"
            "main:16;func2:20 285\n"
            "main:16;func2:25 115\n");
  EXPECT_EQ(stacks_of(profile, 1), "main:16 2\nmain:16;func2:20 1\n");
  EXPECT_TRUE(has_loss(profile, "stacks are estimated"));
  ASSERT_EQ(profile.losses.size(), 1U);
  EXPECT_EQ(profile.losses[0].severity, LossClass::kNotice);
  EXPECT_EQ(profile.processes[ProcessId(0)].pid, 7);
  EXPECT_EQ(process_name(profile, ProcessId(0)), "prog 7");
  // The inlined line has its own file, the function that of fl=.
  bool found = false;
  for (const Frame& frame : profile.frames) {
    found = found || (profile.strings[frame.file] == "inlined.h" && frame.line == 25);
  }
  EXPECT_TRUE(found);
}

TEST(Callgrind, ReadsAddressesRelativePositionsAndHexadecimalNumbers) {
  Profile profile = must_read(
      "positions: instr line\nevents: Ir\nob=lib.so\nfl=a.c\nfn=f\n0x1000 10 5\n+4 +2 6\n-2 * "
      "0x10\n");
  EXPECT_EQ(stacks_of(profile), "f:10 5\nf:12 22\n");
  EXPECT_EQ(profile.frames[FrameId(0)].address, 0x1000U);
  EXPECT_EQ(profile.frames[FrameId(1)].address, 0x1004U);
  EXPECT_EQ(profile.frames[FrameId(2)].address, 0x1002U);
}

TEST(Callgrind, ReadsPartsAndThreads) {
  Profile profile = must_read(
      "pid: 1\nthread: 1\nevents: Ir\nfn=(1) f\n1 5\ntotals: 5\n\npid: 1\nthread: 2\nevents: Ir\n"
      "fn=(1)\n1 7\ntotals: 7\n");
  EXPECT_EQ(profile.threads.size(), 2U);
  EXPECT_EQ(stacks_of(profile), "f:1 12\n");
  EXPECT_TRUE(profile.losses.empty());
}

TEST(Callgrind, ReadsCachegrind) {
  std::string text =
      "desc: I1 cache: 32768 B\ncmd: ./t\nevents: Ir I1mr\nfl=a.c\nfn=f\n3 10 .\n4 2 1\n"
      "summary: 12 1\n";
  EXPECT_TRUE(sniff(as_bytes(text)));
  Profile profile = must_read(text);
  EXPECT_EQ(stacks_of(profile), "f:3 10\nf:4 2\n");
  EXPECT_EQ(stacks_of(profile, 1), "f:4 1\n");
  EXPECT_TRUE(profile.losses.empty());
}

TEST(Callgrind, ReadsUnitsInNames) {
  Profile profile = must_read("events: Time_(10ns) Memory_(bytes) cpu(ms)\nfn=f\n1 3 4 5\n");
  EXPECT_EQ(profile.strings[profile.events[EventId(0)].name], "Time");
  EXPECT_EQ(profile.strings[profile.events[EventId(0)].unit], "nanoseconds");
  EXPECT_EQ(stacks_of(profile, 0), "f:1 30\n");
  EXPECT_EQ(profile.strings[profile.events[EventId(1)].unit], "bytes");
  EXPECT_EQ(stacks_of(profile, 2), "f:1 5000000\n");
}

TEST(Callgrind, RecursionKeepsSelfCostsExact) {
  // f calls itself; all entries cost 100, the recursive calls 300.
  Profile profile = must_read(
      "events: Ir\nfn=main\n1 1\ncfn=f\ncalls=1 5\n2 100\nfn=f\n5 100\ncfn=f\ncalls=9 5\n6 300\n");
  std::map<std::string, FunctionCost> costs = costs_of(profile);
  EXPECT_EQ(costs["f"], (FunctionCost{100, 100}));
  EXPECT_EQ(costs["main"], (FunctionCost{1, 101}));
  EXPECT_FALSE(has_loss(profile, "some costs have no callers"));
  EXPECT_TRUE(has_loss(profile, "are upper limits"));
}

// What valgrind writes for a program with these stacks, outermost function first: each level of a
// recursion adds to the cost of its call.
struct CountedStack {
  std::vector<uint32_t> functions;
  int64_t cost = 0;
};
struct Counted {
  std::string text;
  std::map<std::string, FunctionCost> costs;  // total: of all calls to it, at most the whole
};

Counted count_calls(const std::vector<CountedStack>& stacks) {
  std::map<uint32_t, int64_t> selves;
  std::map<std::pair<uint32_t, uint32_t>, int64_t> calls;
  int64_t whole = 0;
  for (const CountedStack& stack : stacks) {
    for (size_t i = 1; i < stack.functions.size(); ++i) {
      calls[{stack.functions[i - 1], stack.functions[i]}] += stack.cost;
    }
    selves[stack.functions.back()] += stack.cost;
    whole += stack.cost;
  }
  Counted counted{.text = "events: Ir\n"};
  counted.costs["f0"].total = whole;
  for (const auto& [call, cost] : calls) {
    counted.text += fmt::format(
        "fn=f{}\ncfn=f{}\ncalls=1 1\n{} {}\n", call.first, call.second, call.second + 1, cost);
    int64_t& total = counted.costs[fmt::format("f{}", call.second)].total;
    total = std::min(total + cost, whole);
  }
  for (const auto& [function, self] : selves) {
    counted.text += fmt::format("fn=f{}\n1 {}\n", function, self);
    counted.costs[fmt::format("f{}", function)].self = self;
  }
  return counted;
}

// An interpreter: f1 and f2 call each other at each level; in between are other functions.
std::vector<CountedStack> interpreter_stacks(size_t count, size_t levels) {
  std::mt19937 random(5);
  std::vector<CountedStack> stacks;
  for (size_t i = 0; i < count; ++i) {
    CountedStack stack{.functions = {0}, .cost = 1 + static_cast<int64_t>(random() % 100)};
    for (size_t level = random() % levels + 1; level > 0; --level) {
      stack.functions.insert(stack.functions.end(), {1, 2});
      if (random() % 4 == 0) {
        stack.functions.push_back(3 + static_cast<uint32_t>(random() % 200));
      }
    }
    stacks.push_back(std::move(stack));
  }
  return stacks;
}

TEST(Callgrind, LargeCyclesHaveTheTotalsOfTheirCalls) {
  for (size_t levels : {3U, 30U, 300U}) {
    Counted counted = count_calls(interpreter_stacks(5000, levels));
    Profile profile = must_read(counted.text);
    EXPECT_FALSE(has_loss(profile, "have no callers"));
    EXPECT_FALSE(has_loss(profile, "some calls cost more"));
    EXPECT_TRUE(has_loss(profile, "are upper limits"));
    EXPECT_EQ(reported(profile), counted.costs);
    std::map<std::string, FunctionCost> costs = costs_of(profile);
    double whole = static_cast<double>(counted.costs["f0"].total);
    int far = 0;
    for (const auto& [name, expected] : counted.costs) {
      EXPECT_EQ(costs[name].self, expected.self) << name;
      double error = static_cast<double>(costs[name].total - expected.total) / whole;
      EXPECT_NEAR(error, 0, 0.1) << name << " of " << levels << " levels: " << costs[name].total
                                 << " instead of " << expected.total;
      auto total = static_cast<double>(expected.total);
      far += total > whole / 1000 && std::abs(error) * whole > total / 4 ? 1 : 0;
    }
    EXPECT_LT(far, 2) << "functions with other totals than the calls to them, at " << levels;
    EXPECT_LT(profile.stacks.size(), 400'000U);
  }
}

// Valgrind: f is the outermost call, f'2 all those inside of it.
constexpr std::string_view kRecursion =
    "fn=main\n1 100\ncfn=f\ncalls=1 1\n2 900\n"
    "fn=f\n1 50\ncfn=f'2\ncalls=1 1\n2 850\n"
    "fn=f'2\n1 800\ncfn=f'2\ncalls=9 1\n2 4000\ncfn=g\ncalls=9 1\n3 50\n"
    "fn=g\n1 50\n";

TEST(Callgrind, TotalsAreAtMostWhatEntersTheRecursion) {
  std::string text = "events: Ir\n" + std::string(kRecursion);
  Profile profile = must_read(text);
  std::map<std::string, FunctionCost> expected = {
      {"main", {100, 1000}}, {"f", {50, 900}}, {"f'2", {800, 850}}, {"g", {50, 50}}};
  EXPECT_EQ(reported(profile), expected);
  EXPECT_TRUE(has_loss(profile, "are upper limits"));
  // Two threads add up.
  expected = {{"main", {200, 2000}}, {"f", {100, 1800}}, {"f'2", {1600, 1700}}, {"g", {100, 100}}};
  std::string threads = "thread: 1\n" + text + "\nthread: 2\n" + text;
  EXPECT_EQ(reported(must_read(threads)), expected);
}

TEST(Callgrind, InnerCallsHaveAtMostTheTotalOfTheOutermost) {
  // g and f'2 call each other; g also has other callers.
  Profile profile = must_read(
      "events: Ir\nfn=main\ncfn=f\ncalls=1 1\n2 400\ncfn=g\ncalls=1 1\n2 600\n"
      "fn=f\n1 10\ncfn=f'2\ncalls=1 1\n2 390\n"
      "fn=f'2\n1 190\ncfn=g\ncalls=9 1\n2 2000\n"
      "fn=g\n1 800\ncfn=f'2\ncalls=9 1\n2 1800\n");
  std::map<std::string, FunctionCost> costs = reported(profile);
  EXPECT_EQ(costs["f"], (FunctionCost{10, 400}));
  EXPECT_EQ(costs["f'2"], (FunctionCost{190, 400}));  // f'2 and g: 990
  EXPECT_EQ(costs["g"], (FunctionCost{800, 990}));
}

// Each of two functions calls the other at times, but not in one stack.
TEST(Callgrind, TotalsInCyclesAreThoseOfTheFile) {
  Profile profile = must_read(
      "events: Ir\nfn=main\n1 10\ncfn=a\ncalls=1 1\n2 300\ncfn=b\ncalls=1 1\n3 500\n"
      "fn=a\n1 150\ncfn=b\ncalls=1 1\n2 200\n"
      "fn=b\n1 650\ncfn=a\ncalls=1 1\n2 50\n");
  std::map<std::string, FunctionCost> expected = {
      {"main", {10, 810}}, {"a", {150, 350}}, {"b", {650, 700}}};
  EXPECT_EQ(reported(profile), expected);
  EXPECT_FALSE(has_loss(profile, "are upper limits"));
  EXPECT_TRUE(must_read("events: Ir\nfn=a\n1 5\ncfn=b\ncalls=1 1\n2 7\nfn=b\n1 7\n")
                  .total_corrections.empty());
}

TEST(Callgrind, WhatIsOutsideOfACycleStaysExact) {
  // f0 calls f1 and f2, which both enter the cycle of f3 and f4; f5 is called from there.
  std::mt19937 random(3);
  std::vector<CountedStack> stacks;
  for (int i = 0; i < 2000; ++i) {
    CountedStack stack{.functions = {0, 1 + static_cast<uint32_t>(random() % 2)}, .cost = 7};
    for (size_t level = random() % 20 + 1; level > 0; --level) {
      stack.functions.push_back(3 + static_cast<uint32_t>(random() % 2));
    }
    if (random() % 3 == 0) {
      stack.functions.push_back(5);
    }
    stacks.push_back(std::move(stack));
  }
  Counted counted = count_calls(stacks);
  std::map<std::string, FunctionCost> costs = costs_of(must_read(counted.text));
  for (const char* name : {"f0", "f1", "f2", "f5"}) {
    EXPECT_EQ(costs[name], counted.costs[name]) << name;
  }
  EXPECT_EQ(costs["f3"].self, counted.costs["f3"].self);
}

TEST(Callgrind, DeepRecursionIsBounded) {
  std::vector<CountedStack> stacks;
  for (size_t depth = 1; depth <= 3000; ++depth) {
    stacks.push_back({.functions = std::vector<uint32_t>(depth, 1), .cost = 1});
    stacks.back().functions.insert(stacks.back().functions.begin(), 0);
  }
  Counted counted = count_calls(stacks);
  Profile profile = must_read(counted.text);
  EXPECT_EQ(costs_of(profile)["f1"], (FunctionCost{3000, 3000}));
  EXPECT_LT(profile.stacks.size(), 300'000U);
}

TEST(Callgrind, CyclesWithoutEntryAndSumsThatDisagree) {
  Profile cycle = must_read(
      "events: Ir\nfn=a\n1 10\ncfn=b\ncalls=1 1\n2 50\nfn=b\n1 20\ncfn=a\ncalls=1 1\n2 50\n");
  EXPECT_EQ(costs_of(cycle)["b"].self, 20);
  EXPECT_EQ(costs_of(cycle)["a"].self, 10);
  Profile more = must_read("events: Ir\nfn=a\n1 10\ncfn=b\ncalls=1 1\n2 50\nfn=b\n1 20\n");
  EXPECT_EQ(costs_of(more)["a"], (FunctionCost{10, 30}));
  EXPECT_TRUE(has_loss(more, "some calls cost more"));
}

// What enters the cycle of a and b costs more than all lines together.
TEST(Callgrind, CallsThatCostTooMuchMakeNoEndlessTrips) {
  Profile profile = must_read(
      "events: Ir\nfn=main\ncfn=a\ncalls=1 1\n1 1000000000000000\n"
      "fn=a\n1 5\ncfn=b\ncalls=1 1\n2 5\nfn=b\ncfn=a\ncalls=1 1\n3 5\n");
  EXPECT_EQ(costs_of(profile)["a"], (FunctionCost{5, 5}));
  EXPECT_EQ(costs_of(profile)["main"], (FunctionCost{0, 5}));
  EXPECT_TRUE(has_loss(profile, "some calls cost more"));
}

// A ladder of functions, each calling the next from two lines: 2^n paths.
std::string ladder(size_t steps, int64_t cost) {
  std::string text = "events: Ir\n";
  for (size_t i = 0; i < steps; ++i) {
    text += fmt::format("fn=f{}\n", i);
    if (i + 1 < steps) {
      text +=
          fmt::format("cfn=f{0}\ncalls=1 1\n1 {1}\ncfn=f{0}\ncalls=1 1\n2 {1}\n", i + 1, cost / 2);
    } else {
      text += fmt::format("9 {}\n", cost);
    }
  }
  return text;
}

TEST(Callgrind, TooManyPathsAreBounded) {
  Profile profile = must_read(ladder(40, 1 << 30));
  EXPECT_LT(profile.stacks.size(), 2'500'000U);
  int64_t total = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    StackId stack = profile.samples.stack[row];
    ASSERT_EQ(profile.frames[profile.stacks.frame(stack)].line, 9U);
    total += profile.samples.weight[row];
  }
  EXPECT_EQ(total, 1 << 30);
  // All calls are in the profile: nothing starts below f0.
  StackChildren children(profile.stacks);
  for (StackId root = children.first(kEmptyStack); root.valid(); root = children.next(root)) {
    EXPECT_EQ(frame_name(profile, profile.stacks.frame(root)), "f0");
  }
}

TEST(Callgrind, ChainOfManyFunctions) {
  std::string text = "events: Ir\n";
  for (int i = 0; i < 100'000; ++i) {
    text += fmt::format("fn=f{}\n1 1\ncfn=f{}\ncalls=1 1\n2 {}\n", i, i + 1, 100'000 - i);
  }
  text += "fn=f100000\n1 1\n";
  Profile profile = must_read(text);
  int64_t total = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    total += profile.samples.weight[row];
  }
  EXPECT_EQ(total, 100'001);
}

TEST(Callgrind, BadLinesAreCounted) {
  constexpr std::string_view kHead = "events: Ir\nfn=f\n1 5\n";
  for (std::string_view bad : {"1 x\n",
                               "1 5 6\n",
                               "1 99999999999999999999\n",
                               "1 4611686018427387903\n",
                               "nonsense\n",
                               "what=ever\n",
                               "what: ever\n",
                               "calls=1 2\n",
                               "cfn=g\ncalls=1 1\nfn=f\n",
                               "cfn=g\ncalls=1 1\n",
                               "events: Other\n",
                               "0x 1\n",
                               "++1 2\n"}) {
    Profile profile = must_read(std::string(kHead) + std::string(bad));
    EXPECT_TRUE(has_loss(profile, "not in the form of callgrind")) << bad;
    EXPECT_EQ(costs_of(profile)["f"].self, 5) << bad;
  }
  EXPECT_TRUE(has_loss(must_read("events: Ir\nfn=(9)\n1 5\n"), "does not define the name"));
  Profile less = must_read("events: Time_(10ns)\nsummary: 1000\nfn=f\n1 999\n");
  EXPECT_TRUE(has_loss(less, "add up to less"));
  EXPECT_DOUBLE_EQ(lost_share(less), 0.001);
  must_read("events: Ir\nfn=f\n-7 5\n+18446744073709551615 3\n");  // lines below 0 and above 2^32
  using namespace std::string_view_literals;
  must_read("events: Ir\nfn=a\0b\xff\n1 5\n"sv);
}

// Valgrind after a fork, and Xdebug.
TEST(Callgrind, OneBadCostLeavesTheOthersOfItsLine) {
  for (std::string_view bad : {"18446744073576976635", "-12"}) {
    Profile profile = must_read(fmt::format(
        "events: Ir Mem\nfn=main\n1 5 0\ncfn=f\ncalls=1 1\n1 7 {}\nfn=f\n2 7 3\n", bad));
    EXPECT_TRUE(has_loss(profile, "negative or too large")) << bad;
    EXPECT_EQ(costs_of(profile)["main"].total, 12) << bad;
    EXPECT_EQ(costs_of(profile)["f"].self, 10) << bad;
  }
}

TEST(Callgrind, Refuses) {
  EXPECT_TRUE(sniff(as_bytes("# callgrind format\nversion: 1\nfn=f\n1 1\n")));
  EXPECT_FALSE(read_text("# callgrind format\nversion: 1\nfn=f\n1 1\n"));
  EXPECT_NE(read_text("version: 2\nevents: Ir\nfn=f\n1 1\n").error().message.find("newer"),
            std::string::npos);
  EXPECT_FALSE(read_text("events: Ir\n"));
  EXPECT_FALSE(read_text("1 2\n"));
  EXPECT_FALSE(read_text(""));
}

TEST(Callgrind, EveryCutIsAnErrorOrAValidProfileWithLessCost) {
  for (size_t size = 0; size < kManual.size(); ++size) {
    Result<Profile> profile = read_text(kManual.substr(0, size));
    if (profile) {
      ASSERT_TRUE(validate(*profile)) << size;
      for (const auto& [name, cost] : costs_of(*profile)) {
        ASSERT_LE(cost.self, 820) << size;
      }
    } else {
      ASSERT_TRUE(profile.error().message.ends_with('.')) << profile.error().message;
    }
  }
}

TEST(Callgrind, WritesFunctionsLinesAndCalls) {
  EXPECT_EQ(write_text(from_folded("main;work;hash 7\nmain;idle 2\nmain 1\n")),
            R"(# callgrind format
version: 1
creator: wick
desc: Calls: the number of samples; a call to a function that is on the stack already has no cost
positions: line
events: samples
summary: 10

ob=(1) ???
fl=(1) ???
fn=(1) main
cfn=(2) work
calls=7 0
0 7
cfn=(3) idle
calls=2 0
0 2
0 1

ob=(1)
fl=(1)
fn=(2)
cfn=(4) hash
calls=7 0
0 7

ob=(1)
fl=(1)
fn=(4)
0 7

ob=(1)
fl=(1)
fn=(3)
0 2

totals: 10
)");
}

// What the writer writes for a profile, the reader must read with the same costs of functions. With
// recursion only the self costs are the same: the file does not have the cost of recursive calls.
// Two chains of calls, and callees of the last one of each by turns: each row of the stacks is far
// from the one before.
TEST(Callgrind, WritesStacksThatJumpBetweenDeepCallers) {
  constexpr size_t kDepth = 2000;
  ProfileBuilder builder;
  EventId event = builder.event({.name = builder.string("Ir"), .unit = builder.string("Ir")});
  auto frame = [&](std::string_view name) {
    return builder.frame({.function = builder.function({.name = builder.string(name)})});
  };
  std::array<StackId, 2> last = {kEmptyStack, kEmptyStack};
  for (size_t i = 0; i < kDepth; ++i) {
    last[0] = builder.stack(last[0], frame(fmt::format("a{}", i)));
    last[1] = builder.stack(last[1], frame(i == 0 ? "b" : "recursive"));
  }
  for (size_t i = 0; i < kDepth; ++i) {
    StackId stack = builder.stack(last[i % 2], frame(fmt::format("leaf{}", i)));
    builder.add_sample({.weight = 1, .count = 1, .stack = stack, .event = event});
  }
  std::string text = write_text(builder.finish());
  EXPECT_NE(text.find(fmt::format("calls={} 0\n0 {}\n", kDepth / 2, kDepth / 2)),
            std::string::npos);
  std::map<std::string, FunctionCost> costs = costs_of(must_read(text));
  EXPECT_EQ(costs["a0"].total, kDepth / 2);
  EXPECT_EQ(costs["b"].total, kDepth / 2);
  EXPECT_EQ(costs["recursive"].total, kDepth / 2);
  EXPECT_EQ(costs["leaf7"], (FunctionCost{1, 1}));
}

TEST(Callgrind, RoundTripsOfRandomProfiles) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::ostringstream lines;
    bool recursive = round % 2 == 1;
    for (int i = 0; i < 40; ++i) {
      size_t depth = 1 + random() % 6;
      size_t name = 0;
      for (size_t level = 0; level < depth; ++level) {
        name = recursive ? random() % 6 : name + 1 + random() % 3;
        lines << (level == 0 ? "" : ";") << "f" << name;
      }
      lines << ' ' << 1 + random() % 1000 << '\n';
    }
    Profile before = from_folded(lines.str());
    std::string text = write_text(before);
    Profile after = must_read(text);
    std::map<std::string, FunctionCost> expected = costs_of(before);
    std::map<std::string, FunctionCost> found = costs_of(after);
    found.erase("[root]");
    for (const auto& [name, cost] : expected) {
      EXPECT_EQ(found[name].self, cost.self) << name << "\n" << text;
      EXPECT_TRUE(recursive || found[name].total == cost.total) << name << "\n" << text;
    }
    EXPECT_EQ(text, write_text(before));
  }
}

TEST(Callgrind, CorpusFiles) {
  std::string path = testing::corpus_path("speedscope/callgrind/callgrind.name-compression.log");
  SKIP_WITHOUT_CORPUS(path);
  Profile profile = must_read(testing::read_file(path));
  EXPECT_EQ(costs_of(profile)["func2"], (FunctionCost{700, 700}));
  EXPECT_EQ(costs_of(profile)["main"], (FunctionCost{20, 820}));
  path = testing::corpus_path("speedscope/callgrind/callgrind.multiple-event-types.log");
  EXPECT_EQ(must_read(testing::read_file(path)).events.size(), 2U);
}

}  // namespace
}  // namespace wick::callgrind
