// SPDX-License-Identifier: Apache-2.0
#include "profile/shown_frames.h"

#include <gtest/gtest.h>

#include "profile/filter.h"
#include "profile/interpreted_samples.h"
#include "profile/interpreted_testing.h"
#include "profile/names.h"
#include "profile/stack_costs.h"
#include "profile/validate.h"

namespace wick {
namespace {

using Lines = std::vector<std::string>;

std::string path_of(const Profile& profile, StackId stack) {
  std::string line;
  for (StackId at = stack; at != kEmptyStack; at = profile.stacks.parent(at)) {
    line = fmt::format(
        "{}{}{}", frame_name(profile, profile.stacks.frame(at)), line.empty() ? "" : ";", line);
  }
  return line;
}

// The sampled stacks.
Lines lines_of(const Profile& profile) {
  EXPECT_TRUE(validate(profile));
  Lines lines;
  StackCosts costs(profile);
  for (StackId stack : costs.stacks()) {
    lines.push_back(fmt::format("{} {}", path_of(profile, stack), costs.self(stack).weight));
  }
  std::ranges::sort(lines);
  return lines;
}

Lines shown(std::string_view text, ShownFrames frames) {
  Profile profile = testing::interpreted_profile(text);
  show_frames(profile, frames);
  return lines_of(profile);
}

constexpr std::string_view kCallback = "main;_PyEval_Vector;@;load!;parse!;sort;@;key!;read 3\n";

TEST(ShownFrames, EachWayShowsItsFrames) {
  EXPECT_EQ(shown(kCallback, ShownFrames::kMixed),
            Lines{"main;_PyEval_Vector;load;parse;sort;key;read 3"});
  EXPECT_EQ(shown(kCallback, ShownFrames::kRuntime), Lines{"load;parse;key 3"});
  EXPECT_EQ(shown(kCallback, ShownFrames::kNative),
            Lines{"main;_PyEval_Vector;_PyEval_EvalFrameDefault;sort;"
                  "_PyEval_EvalFrameDefault;read 3"});
  EXPECT_EQ(shown(kCallback, ShownFrames::kRecorded),
            Lines{"main;_PyEval_Vector;_PyEval_EvalFrameDefault;load;parse;sort;"
                  "_PyEval_EvalFrameDefault;key;read 3"});
}

TEST(ShownFrames, TheEvaluatorsOwnCostIsThatOfItsFunction) {
  EXPECT_EQ(shown("main;@;load! 3\nmain;@;load!;read 2\n", ShownFrames::kMixed),
            (Lines{"main;load 3", "main;load;read 2"}));
  EXPECT_EQ(shown("main;@;load! 3\nmain;@;load!;read 2\n", ShownFrames::kNative),
            (Lines{"main;_PyEval_EvalFrameDefault 3", "main;_PyEval_EvalFrameDefault;read 2"}));
}

TEST(ShownFrames, WhatIsInlinedIntoTheEvaluatorIsTheEvaluator) {
  EXPECT_EQ(shown("main;@;@_Py_DECREF;load! 3\n", ShownFrames::kMixed), Lines{"main;load 3"});
}

TEST(ShownFrames, AnEvaluatorWithoutAKnownFunctionStays) {
  EXPECT_EQ(shown("main;@;load! 3\nmain;@ 1\nmain;@;dealloc 2\nmain;@;@_Py_DECREF 4\n",
                  ShownFrames::kMixed),
            (Lines{"main;_PyEval_EvalFrameDefault 1",
                   "main;_PyEval_EvalFrameDefault;_Py_DECREF 4",
                   "main;_PyEval_EvalFrameDefault;dealloc 2",
                   "main;load 3"}));
  EXPECT_EQ(shown("main;@;@;load! 3\n", ShownFrames::kMixed),
            Lines{"main;_PyEval_EvalFrameDefault;load 3"})
      << "of two evaluators, load belongs to the inner one";
}

TEST(ShownFrames, UnmatchedFunctionsReplaceNoEvaluator) {
  EXPECT_EQ(shown("main;@;load?;parse? 3\nmain;@;read;load? 1\n", ShownFrames::kMixed),
            (Lines{"main;_PyEval_EvalFrameDefault;load;parse 3",
                   "main;_PyEval_EvalFrameDefault;read;load 1"}));
  EXPECT_EQ(shown("main;@;load~ 3\n", ShownFrames::kMixed), Lines{"main;load 3"})
      << "a late function is in its place";
}

TEST(ShownFrames, NoStackIsLeftWithoutAFrame) {
  EXPECT_EQ(shown("main;@;load! 3\nworker;compute 4\nmain;@ 1\n 2\n", ShownFrames::kRuntime),
            (Lines{" 2", "[native code] 5", "load 3"}));
}

TEST(ShownFrames, UnknownCallersOfTheOutermostFunctionStay) {
  std::string text =
      "main;@;[missing frames];down!;down! 3\nmain;[missing frames];sort;@;key!;[missing "
      "frames];read 1\n";
  EXPECT_EQ(shown(text, ShownFrames::kRuntime), (Lines{"[missing frames];down;down 3", "key 1"}));
}

TEST(ShownFrames, PatternsMatchOnlyFunctionsIfOnlyTheseAreShown) {
  auto focused = [](ShownFrames frames) {
    Profile profile = testing::interpreted_profile(
        "main;@;load!;method_call;@;method! 3\nmain;@;load!;method_call;@;parse! 2\n");
    Filter filter = {.frames = frames, .focus = *Pattern::compile("^method")};
    return lines_of(apply_filter(std::move(profile), filter)->profile);
  };
  EXPECT_EQ(focused(ShownFrames::kRuntime), Lines{"load;method 3"});
  EXPECT_EQ(focused(ShownFrames::kMixed).size(), 2U);
}

TEST(ShownFrames, NoBranchWithoutCostIsMade) {
  for (ShownFrames frames : {ShownFrames::kMixed, ShownFrames::kRuntime}) {
    Profile profile = testing::interpreted_profile("main;@;@_Py_DECREF;load! 3\n");
    show_frames(profile, frames);
    for (size_t row = 1; row < profile.stacks.size(); ++row) {
      StackId stack = StackId::from_index(row);
      EXPECT_TRUE(path_of(profile, profile.samples.stack[0]).contains(path_of(profile, stack)));
    }
  }
}

TEST(ShownFrames, SpansFollow) {
  Profile profile = testing::interpreted_profile("main;@;load! 3\n");
  profile.spans.push_back({.begin_ns = 1, .end_ns = 2, .stack = profile.samples.stack[0]});
  show_frames(profile, ShownFrames::kRuntime);
  EXPECT_EQ(path_of(profile, profile.spans[0].stack), "load");
}

// Random stacks: the three ways have the same total, and native frames are never lost.
TEST(ShownFrames, TotalsAgree) {
  constexpr std::array kTokens = {
      "main", "sort", "@", "[missing frames]", "@_Py_DECREF", "load!", "parse!", "key~", "late?"};
  uint64_t seed = 1;
  auto draw = [&](size_t below) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    return static_cast<size_t>(seed >> 33U) % below;
  };
  std::string text;
  for (int i = 0; i < 2000; ++i) {
    std::string line;
    for (size_t depth = draw(9); depth > 0; --depth) {
      line += std::string(line.empty() ? "" : ";") + kTokens[draw(kTokens.size())];
    }
    text += fmt::format("{} {}\n", line, 1 + draw(5));
  }
  int64_t total = StackCosts(testing::interpreted_profile(text)).total().weight;
  for (ShownFrames frames :
       {ShownFrames::kRecorded, ShownFrames::kMixed, ShownFrames::kRuntime, ShownFrames::kNative}) {
    Profile profile = testing::interpreted_profile(text);
    show_frames(profile, frames);
    EXPECT_TRUE(validate(profile));
    EXPECT_EQ(StackCosts(profile).total().weight, total);
  }
  Profile mixed = testing::interpreted_profile(text);
  Profile native = testing::interpreted_profile(text);
  show_frames(mixed, ShownFrames::kMixed);
  show_frames(mixed, ShownFrames::kNative);  // of the shown frames, without those of interpreters
  show_frames(native, ShownFrames::kNative);
  for (size_t row = 0; row < native.samples.size(); ++row) {
    auto plain = [](const Profile& profile, size_t at) {
      size_t count = 0;
      for (StackId stack = profile.samples.stack[at]; stack != kEmptyStack;
           stack = profile.stacks.parent(stack)) {
        uint8_t flags = profile.frames[profile.stacks.frame(stack)].flags;
        count += (flags & kEvaluator) == 0 ? 1 : 0;
      }
      return count;
    };
    EXPECT_EQ(plain(mixed, row), plain(native, row));
  }
}

Filtered filtered(std::string_view text, Filter filter) {
  Result<Filtered> result = apply_filter(testing::interpreted_profile(text), filter);
  EXPECT_TRUE(result);
  return std::move(*result);
}

TEST(ShownFrames, AFilterShowsMixedStacksUnlessToldOtherwise) {
  EXPECT_EQ(lines_of(filtered("main;@;load! 3\n", {}).profile), Lines{"main;load 3"});
  EXPECT_EQ(
      lines_of(filtered("main;@;load! 3\n", {.usual_frames = ShownFrames::kRecorded}).profile),
      Lines{"main;_PyEval_EvalFrameDefault;load 3"});
  EXPECT_EQ(
      lines_of(filtered("main;@;load! 3\n",
                        {.usual_frames = ShownFrames::kRecorded, .frames = ShownFrames::kNative})
                   .profile),
      Lines{"main;_PyEval_EvalFrameDefault 3"});
}

TEST(ShownFrames, ConditionsSeeTheRecordedStacks) {
  Filter filter{.frames = ShownFrames::kNative};
  filter.focus = *Pattern::compile("^load$");
  Filtered result = filtered("main;@;load!;read 3\nmain;@;save!;write 4\n", std::move(filter));
  EXPECT_EQ(lines_of(result.profile), Lines{"main;_PyEval_EvalFrameDefault;read 3"});
}

TEST(ShownFrames, FromSeesTheRecordedStacks) {
  Filter filter{.frames = ShownFrames::kNative};
  filter.from = *Pattern::compile("^load$");
  EXPECT_EQ(lines_of(filtered("main;@;load!;sort;@;key!;read 3\n", std::move(filter)).profile),
            Lines{"sort;_PyEval_EvalFrameDefault;read 3"});
}

TEST(ShownFrames, HideAndShowSeeTheShownFrames) {
  Filter filter{.frames = ShownFrames::kMixed};
  filter.hide = *Pattern::compile("^main$");
  EXPECT_EQ(lines_of(filtered("main;@;load!;read 3\n", std::move(filter)).profile),
            Lines{"load;read 3"});
}

TEST(ShownFrames, AProfileWithoutInterpretersSaysSo) {
  Filtered result = filtered("main;work 3\n", {.frames = ShownFrames::kRuntime});
  EXPECT_EQ(lines_of(result.profile), Lines{"main;work 3"});
  ASSERT_EQ(result.unmatched.size(), 1);
  EXPECT_EQ(result.unmatched[0],
            "--stacks changes nothing: the input has no frames of an interpreter.");
  EXPECT_TRUE(filtered("main;work 3\n", {}).unmatched.empty());
}

TEST(InterpretedSamples, EachSampleHasTheStateOfItsWorstFrame) {
  testing::InterpretedText text;
  text.add_line("main;@;load! 1");
  text.add_line("main;@;load!;sort;@;key~ 2");
  text.add_line("main;@;load!;late? 4");
  text.add_line("main;@;load!;late? 8", StackEnd::kNoUnwindInfo);
  text.add_line("main;@ 16");
  text.add_line("main 32");
  Profile profile = text.finish();
  InterpretedSamples samples = count_interpreted(profile);
  EXPECT_EQ(samples.counts, (std::array<uint64_t, kInterpretedStates>{32, 1, 2, 4, 8, 16}));
  EXPECT_EQ(samples.with_functions(), 15);
  EXPECT_EQ(interpreted_text(profile), "23.8 % with functions of Python, 6.7 % of these verified");
  EXPECT_EQ(interpreted_text(testing::interpreted_profile("main 1\n")), "");
  for (size_t state = 1; state < kInterpretedStates; ++state) {
    const InterpretedWords& words = words_of(static_cast<InterpretedState>(state));
    EXPECT_FALSE(words.name.empty() || words.reason.empty());
  }
}

}  // namespace
}  // namespace wick
