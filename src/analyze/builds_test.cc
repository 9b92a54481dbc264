// SPDX-License-Identifier: Apache-2.0
// Sentences about builds: the share is that of the code, and only proven differences are reported.
#include "analyze/builds.h"

#include <gtest/gtest.h>

#include "analyze/diff/diff.h"
#include "analyze/summary.h"
#include "formats/folded/folded.h"

namespace wick {
namespace {

// The profile of a folded text, with the build of each function whose name is listed.
Profile built(const char* folded,
              const std::vector<std::tuple<std::string, std::string, BuildKind>>& builds) {
  Profile profile = folded::from_text(folded);
  StringInterner strings(std::move(profile.strings));
  for (size_t row = 0; row < profile.functions.size(); ++row) {
    Function& function = profile.functions[FunctionId::from_index(row)];
    for (const auto& [name, text, kind] : builds) {
      if (strings.table()[function.name] == name) {
        function.build = strings.intern(text);
        function.build_kind = kind;
      }
    }
  }
  profile.strings = strings.release();
  return profile;
}

std::vector<std::string> cautions(const Profile& profile) {
  return start_report(profile, StackCosts(profile), "").cautions;
}

TEST(Builds, TheShareIsThatOfTheSamplesInTheCode) {
  Profile profile = built("main;work 75\nmain;fast 25\n",
                          {{"main", "GCC 12.2.0, -O0", BuildKind::kNone},
                           {"work", "GCC 12.2.0, -O0", BuildKind::kNone},
                           {"fast", "GCC 12.2.0, -O2", BuildKind::kOptimised}});
  ASSERT_EQ(cautions(profile).size(), 1);
  EXPECT_TRUE(cautions(profile)[0].starts_with("75.0 % of the cost is in code built without"));
  EXPECT_TRUE(cautions(profile)[0].contains("GCC 12.2.0, -O0"));
  EXPECT_TRUE(cautions(profile)[0].ends_with("build with -O2 -g and record again."));
}

TEST(Builds, InlinedFunctionsAreInTheCodeOfTheirCaller) {
  Profile profile =
      built("main;work;leaf_[i] 100\n", {{"work", "Go 1.19.8, -N", BuildKind::kNone}});
  ASSERT_EQ(cautions(profile).size(), 1);
  EXPECT_TRUE(cautions(profile)[0].starts_with("100.0 %"));
  EXPECT_TRUE(cautions(profile)[0].contains("-gcflags=-N"));
}

TEST(Builds, LittleUnknownAndOptimisedCodeIsNoNews) {
  EXPECT_TRUE(cautions(folded::from_text("main 1\n")).empty());
  EXPECT_TRUE(
      cautions(built("main 1000\nrare 9\n", {{"rare", "GCC 12.2.0, -O0", BuildKind::kNone}}))
          .empty());
  EXPECT_TRUE(
      cautions(built("main 1\n", {{"main", "GCC 12.2.0, -Og", BuildKind::kOptimised}})).empty());
}

TEST(Builds, EachKindHasItsRemedy) {
  Profile profile = built("a 1\nb 1\n",
                          {{"a", "rustc 1.95.0, target/debug", BuildKind::kCargoDebug},
                           {"b", "CPython, Py_DEBUG", BuildKind::kChecked}});
  std::vector<std::string> said = cautions(profile);
  ASSERT_EQ(said.size(), 2);
  EXPECT_TRUE(said[0].contains("Cargo's debug profile"));
  EXPECT_TRUE(said[0].contains("cargo build --release"));
  EXPECT_TRUE(said[1].contains("debug build of the interpreter"));
}

TEST(Builds, CargosProfileIsOneSentence) {
  Profile profile = built("a 50\nb 30\nc 20\n",
                          {{"a", "rustc 1.95.0, target/debug", BuildKind::kCargoDebug},
                           {"b", "rustc 1.95.0, variables in memory", BuildKind::kNone}});
  std::vector<std::string> said = cautions(profile);
  ASSERT_EQ(said.size(), 1);
  EXPECT_TRUE(said[0].starts_with("80.0 % of the cost is in code of Cargo's debug profile"));
}

std::vector<std::string> compared(const std::string& before,
                                  BuildKind before_kind,
                                  const std::string& after,
                                  BuildKind after_kind) {
  Profile one = built("main;work 60\nmain 40\n", {{"work", before, before_kind}});
  Profile other = built("main;work 10\nmain 40\n", {{"work", after, after_kind}});
  std::vector<BuiltSide> sides = {{"old", Builds(one, StackCosts(one))},
                                  {"new", Builds(other, StackCosts(other))}};
  return build_cautions(sides);
}

TEST(Builds, DifferencesComeFirst) {
  std::vector<std::string> said =
      compared("GCC 12.2.0, -O0", BuildKind::kNone, "GCC 12.2.0, -O2", BuildKind::kOptimised);
  ASSERT_EQ(said.size(), 2);
  EXPECT_TRUE(said[0].starts_with(
      "The sides are built differently: old (GCC 12.2.0, -O0), new (GCC 12.2.0, -O2), seen in work "
      "with 60.0 % and 20.0 % of the cost"))
      << said[0];
  EXPECT_TRUE(said[1].starts_with("old: 60.0 % of the cost"));
}

// -O3 makes copies of functions: they are the same function as the one of -O2.
TEST(Builds, CopiesOfAFunctionAreComparedWithIt) {
  Profile old = built("main;work 6\n", {{"work", "GCC 12.2.0, -O2", BuildKind::kOptimised}});
  Profile copy = built("main;work.constprop.0 6\n",
                       {{"work.constprop.0", "GCC 12.2.0, -O3", BuildKind::kOptimised}});
  std::vector<std::string> said = build_cautions(std::vector<BuiltSide>{
      {"old", Builds(old, StackCosts(old))}, {"new", Builds(copy, StackCosts(copy))}});
  ASSERT_EQ(said.size(), 1U);
  EXPECT_TRUE(
      said[0].starts_with("The sides are built differently: old (GCC 12.2.0, -O2), new "
                          "(GCC 12.2.0, -O3), seen in work with 100.0 %"))
      << said[0];
}

TEST(Builds, OnlyProvenDifferencesCount) {
  auto differ =
      [](const std::string& before, BuildKind one, const std::string& after, BuildKind two) {
        return !compared(before, one, after, two).empty();
      };
  constexpr BuildKind kYes = BuildKind::kOptimised;
  EXPECT_TRUE(differ("GCC 12.2.0, -O2", kYes, "GCC 13.1.0, -O2", kYes));
  EXPECT_TRUE(differ("GCC 12.2.0, -O2", kYes, "GCC 12.2.0, -O3", kYes));
  EXPECT_TRUE(differ("GCC 12.2.0, -O2", kYes, "clang 14.0.6", BuildKind::kUnknown));
  EXPECT_FALSE(differ("GCC 12.2.0, -O2", kYes, "GCC 12.2.0, -O2", kYes));
  EXPECT_FALSE(differ("clang 14.0.6, optimised", kYes, "clang 14.0.6, -O2", kYes));
  EXPECT_FALSE(differ("clang 14.0.6, optimised", kYes, "clang 14.0.6", BuildKind::kUnknown));
  EXPECT_FALSE(differ("", BuildKind::kUnknown, "GCC 12.2.0, -O2", kYes));
}

TEST(Builds, ProgramsWithoutProfileAreKnownByTheirMain) {
  ProvenBuild debug{"GCC 12.2.0, -O0", BuildKind::kNone};
  ProvenBuild fast{"GCC 12.2.0, -O2", BuildKind::kOptimised};
  auto said = [](const std::vector<BuiltProgram>& programs) { return program_cautions(programs); };
  EXPECT_EQ(said({{"./a", debug}}),
            std::vector<std::string>{"The main of ./a is code built without optimisation (GCC "
                                     "12.2.0, -O0): build with -O2 -g and measure again."});
  EXPECT_TRUE(said({{"./a", fast}}).empty());
  EXPECT_TRUE(said({{"./a", fast}, {"sh", {}}}).empty());
  ASSERT_EQ(said({{"./a", debug}, {"./b", fast}}).size(), 2);
  EXPECT_TRUE(said({{"./a", debug}, {"./b", fast}})[0].contains("built differently"));
}

TEST(Builds, ADiffStartsWithThem) {
  std::vector<Side> sides(2);
  sides[0].name = "old";
  sides[0].runs.push_back(built("work 60\n", {{"work", "GCC 12.2.0, -O1", BuildKind::kOptimised}}));
  sides[1].name = "new";
  sides[1].runs.push_back(built("work 70\n", {{"work", "GCC 12.2.0, -O2", BuildKind::kOptimised}}));
  Result<Report> report = diff(sides, {});
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->cautions.size(), 1);
  EXPECT_TRUE(report->cautions[0].contains("built differently"));
}

}  // namespace
}  // namespace wick
