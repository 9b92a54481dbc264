// SPDX-License-Identifier: Apache-2.0
#include "analyze/label_groups.h"

#include <gtest/gtest.h>

#include "analyze/diff/diff.h"
#include "analyze/flame/flame.h"
#include "analyze/flat/flat.h"
#include "analyze/tree/tree.h"
#include "profile/builder.h"
#include "profile/validate.h"
#include "tests/support/timed_profile.h"

namespace wick {
namespace {

LabelId text_label(ProfileBuilder& builder, std::string_view key, std::string_view value) {
  return builder.label({.key = builder.string(key), .text = builder.string(value)});
}

// Two requests in two functions each, one sample with both, and one without a label.
Profile requests() {
  testing::TimedProfile made;
  ProfileBuilder& builder = made.builder;
  LabelId index = text_label(builder, "request", "/index");
  LabelId login = text_label(builder, "request", "/login");
  LabelId other = text_label(builder, "zone", "eu");
  auto add = [&](std::string_view leaf, int64_t weight, std::vector<LabelId> labels) {
    Sample sample = made.sample(0, {"main", leaf}, weight);
    sample.labels = builder.label_set(labels);
    builder.add_sample(sample);
  };
  add("parse", 1, {index});
  add("render", 2, {other, index});
  add("parse", 4, {login});
  add("render", 8, {login, index});
  add("sleep", 16, {other});
  return builder.finish();
}

std::string rows_of(const Report& report) {
  const auto& table = std::get<Table>(report.sections[0].body);
  std::string text;
  for (size_t row = 0; row < table.rows(); ++row) {
    text +=
        fmt::format("{} {}\n", table.find("name")->text[row], table.find("total")->numbers[row]);
  }
  return text;
}

std::string nodes_of(const Report& report) {
  const auto& tree = std::get<Tree>(report.sections[0].body);
  std::string text;
  for (size_t row = 0; row < tree.parent.size(); ++row) {
    text += fmt::format(
        "{} {}; ", tree.nodes.find("name")->text[row], tree.nodes.find("total")->numbers[row]);
  }
  return text;
}

FlagValues flags_with(std::span<const Flag> declared, std::string_view by) {
  FlagValues flags;
  flags.declare(declared);
  flags.set("by", std::string(by));
  return flags;
}

TEST(LabelGroups, EverySampleIsInOneRow) {
  FlagValues flags = flags_with(flat_flags(), "label:request");
  Result<Report> report = run_flat(requests(), "", flags);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(rows_of(*report), "[no request] 16\n/index, /login 8\n/login 4\n/index 3\n");
  EXPECT_EQ(report->total, flat(requests(), {}).total);
  EXPECT_EQ(report->title, "Self and total by request");
}

TEST(LabelGroups, ATreeHasARootForEachValue) {
  FlagValues flags = flags_with(tree_flags(), "label:request");
  Result<Report> report = run_tree(requests(), "", flags);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(nodes_of(*report),
            "[no request] 16; main 16; sleep 16; "
            "request=/index, /login 8; main 8; render 8; "
            "request=/login 4; main 4; parse 4; "
            "request=/index 3; main 3; render 2; parse 1; ");
  EXPECT_EQ(report->total, 31);
}

TEST(LabelGroups, AFlameGraphHasAColumnForEachValue) {
  FlagValues flags = flags_with(flame_flags(), "label:zone");
  Result<Report> report = run_flame(requests(), "", flags);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(nodes_of(*report),
            "all 31; [no zone] 13; main 13; parse 5; render 8; "
            "zone=eu 18; main 18; render 2; sleep 16; ");
}

TEST(LabelGroups, TheStacksOfSpansFollow) {
  testing::TimedProfile made;
  ProfileBuilder& builder = made.builder;
  LabelId label = text_label(builder, "request", "/index");
  builder.add_sample(made.sample(0, {"main"}));
  builder.add_span({.end_ns = 1,
                    .name = builder.string("wait"),
                    .stack = made.stack({"main", "wait"}),
                    .labels = builder.label_set(kNoLabels, label)});
  Result<Profile> split = with_labels_at_root(builder.finish(), "request");
  ASSERT_TRUE(split);
  ASSERT_TRUE(validate(*split));
  size_t depth = 0;
  for (StackId at = split->spans[0].stack; at != kEmptyStack; at = split->stacks.parent(at)) {
    ++depth;
  }
  EXPECT_EQ(depth, 3U) << "request=/index;main;wait";
}

TEST(LabelGroups, DiffComparesValues) {
  std::vector<Side> sides(2);
  sides[0] = {.name = "before", .runs = {}};
  sides[0].runs.push_back(requests());
  sides[1] = {.name = "after", .runs = {}};
  sides[1].runs.push_back(requests());
  FlagValues flags = flags_with(diff_flags(), "label:request");
  Result<Report> report = run_diff(sides, flags);
  ASSERT_TRUE(report) << report.error().message;
  const auto& table = std::get<Table>(report->sections[0].body);
  EXPECT_EQ(table.rows(), 4U);
  EXPECT_EQ(table.find("self_before"), nullptr);
  // It is not an error if only one side has the label: the other side then has one row.
  testing::TimedProfile made;
  made.builder.add_sample(made.sample(0, {"main"}));
  sides[1].runs[0] = made.builder.finish();
  report = run_diff(sides, flags);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(std::get<Table>(report->sections[0].body).rows(), 4U);
}

TEST(LabelGroups, GilIsShortForItsLabel) {
  testing::TimedProfile made;
  ProfileBuilder& builder = made.builder;
  Sample holder = made.sample(0, {"main", "parse"}, 3);
  holder.labels = builder.label_set(kNoLabels, text_label(builder, "gil", "holds"));
  builder.add_sample(holder);
  builder.add_sample(made.sample(0, {"main"}, 1));
  Profile profile = builder.finish();
  Result<Report> report = run_flat(profile, "", flags_with(flat_flags(), "gil"));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(rows_of(*report), "holds 3\n[no gil] 1\n");
  report = run_tree(profile, "", flags_with(tree_flags(), "gil"));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(nodes_of(*report), "gil=holds 3; main 3; parse 3; [no gil] 1; main 1; ");
}

TEST(LabelGroups, ALabelThatIsNotThereIsAnError) {
  std::string expected =
      "There is no label \"requst\"; did you mean request? This profile has the labels request, "
      "zone.";
  std::vector<Side> sides(1);
  sides[0].runs.push_back(requests());
  for (const Result<Report>& report :
       {run_flat(requests(), "", flags_with(flat_flags(), "label:requst")),
        run_tree(requests(), "", flags_with(tree_flags(), "label:requst")),
        run_flame(requests(), "", flags_with(flame_flags(), "label:requst")),
        run_diff(sides, flags_with(diff_flags(), "label:requst"))}) {
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().message, expected);
  }
  testing::TimedProfile none;
  none.builder.add_sample(none.sample(0, {"main"}));
  Result<Report> report =
      run_flat(none.builder.finish(), "", flags_with(flat_flags(), "label:request"));
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message, "--by label:request cannot be used: this input has no labels.");
}

// Sets that grow label by label would make names of quadratic size, and megabyte values would be
// joined in every combination.
TEST(LabelGroups, HostileLabelsStayLinear) {
  ProfileBuilder builder;
  builder.event({builder.string("samples"), builder.string("samples")});
  std::string megabyte(1 << 20, 'v');
  LabelSetId set = kNoLabels;
  constexpr int kLabels = 50'000;
  for (int i = 0; i < kLabels; ++i) {
    std::string value = i < 16 ? fmt::format("{}\x1b{}", i, megabyte) : fmt::format("{}", i);
    set = builder.label_set(set, text_label(builder, "key", value));
    builder.add_sample({.labels = set});
  }
  for (int i = 0; i < kLabels; ++i) {
    LabelId one = text_label(builder, "key", fmt::format("value{}", i));
    builder.add_sample({.labels = builder.label_set(kNoLabels, one)});
  }
  Profile profile = builder.finish();
  Report report = flat(profile, {.by = FlatBy::kLabel, .label = "key"});
  const auto& table = std::get<Table>(report.sections[0].body);
  EXPECT_EQ(table.rows(), static_cast<size_t>(kLabels + 8));
  EXPECT_EQ(report.total, 2 * kLabels);
  EXPECT_LT(table.find("name")->text[0].size(), 1000U) << "the set with the most values";
}

// Each of ten values has a stack of 1,000 frames.
TEST(LabelGroups, TooManyStacksAreRefused) {
  ProfileBuilder builder;
  builder.event({builder.string("samples"), builder.string("samples")});
  FunctionId function = builder.function({.name = builder.string("f")});
  StackId stack = kEmptyStack;
  for (uint32_t depth = 0; depth < 1000; ++depth) {
    stack = builder.stack(stack, builder.frame({.function = function, .line = depth}));
  }
  for (int i = 0; i < 10; ++i) {
    LabelId label = text_label(builder, "key", fmt::format("value{}", i));
    builder.add_sample({.stack = stack, .labels = builder.label_set(kNoLabels, label)});
  }
  Profile profile = builder.finish();
  EXPECT_TRUE(with_labels_at_root(profile, "key", 10'000));
  Result<Profile> split = with_labels_at_root(profile, "key", 9'999);
  ASSERT_FALSE(split);
  EXPECT_EQ(split.error().message,
            "The label key has too many values for all their stacks; choose some with "
            "--label key=REGEX.");
}

}  // namespace
}  // namespace wick
