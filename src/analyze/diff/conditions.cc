// SPDX-License-Identifier: Apache-2.0
#include "analyze/diff/conditions.h"

#include <algorithm>

#include "base/escape.h"
#include "base/lines.h"
#include "base/parse_number.h"
#include "profile/frame_match.h"
#include "profile/stack_costs.h"
#include "report/columns.h"

namespace wick {
namespace {

std::unexpected<Error> not_a_condition(std::string_view text) {
  return fail_usage(
      "\"{}\" is not a condition; write one as \"total(REGEX) > +2%\", \"self(REGEX) > +0.5pp\" or "
      "\"total > +1%\".",
      terminal_text(text));
}

// By stack: whether its samples count for the condition.
std::vector<bool> matching_stacks(const Profile& profile, const Condition& condition) {
  if (!condition.pattern) {
    return std::vector<bool>(profile.stacks.size(), true);
  }
  std::vector<bool> frames = matching_frames(profile, *condition.pattern);
  std::vector<bool> stacks = stacks_with(profile, frames);
  if (condition.measure == Measured::kSelf) {
    for (size_t i = 0; i < stacks.size(); ++i) {
      FrameId leaf = profile.stacks.frame(StackId::from_index(i));
      stacks[i] = leaf.valid() && frames[leaf.index()];
    }
  }
  return stacks;
}

Cost cost_of(const Profile& profile, const std::vector<bool>& stacks) {
  StackCosts costs(profile);
  Cost sum;
  for (StackId stack : costs.stacks()) {
    sum += stacks[stack.index()] ? costs.self(stack) : Cost();
  }
  return sum;
}

Measuring::Quantity quantity_of(const Condition& condition,
                                std::span<const Side> sides,
                                const AlignedRuns& aligned) {
  Measuring::Quantity quantity;
  for (size_t side = 0; side < sides.size(); ++side) {
    std::vector<Cost>& costs = quantity.costs.emplace_back();
    for (size_t run = 0; run < sides[side].runs.size(); ++run) {
      const Profile& profile = sides[side].runs[run];
      std::vector<bool> stacks = matching_stacks(profile, condition);
      costs.push_back(cost_of(profile, stacks));
      if (run == 0) {
        quantity.clustering.push_back(
            clustering_of(profile, aligned.sides[side].runs[run], stacks));
      }
    }
  }
  return quantity;
}

std::string_view outcome(const Condition& condition,
                         double change,
                         const Difference& at_zero,
                         bool exact) {
  bool beyond = condition.above ? change > condition.limit : change < condition.limit;
  bool evidence = exact || at_zero.probability < kLevel;
  if (beyond) {
    return evidence ? kConditionHolds : "unknown";
  }
  return "does not hold";
}

}  // namespace

Result<Condition> parse_condition(std::string_view text) {
  Condition condition{.text = std::string(text)};
  std::string_view rest = trimmed(text);
  if (!rest.starts_with("self") && !rest.starts_with("total")) {
    return not_a_condition(text);
  }
  condition.measure = rest.starts_with("self") ? Measured::kSelf : Measured::kTotal;
  size_t sign = rest.find_last_of("<>");
  if (sign == std::string_view::npos) {
    return not_a_condition(text);
  }
  condition.above = rest[sign] == '>';
  std::string_view what =
      trimmed(rest.substr(0, sign)).substr(condition.measure == Measured::kSelf ? 4 : 5);
  std::string_view limit = trimmed(rest.substr(sign + 1));
  if (!what.empty()) {
    if (!what.starts_with('(') || !what.ends_with(')')) {
      return not_a_condition(text);
    }
    condition.pattern = TRY(Pattern::compile(what.substr(1, what.size() - 2)));
  }
  condition.in_points = limit.ends_with("pp");
  if (!condition.in_points && !limit.ends_with('%')) {
    return not_a_condition(text);
  }
  limit = trimmed(limit.substr(0, limit.size() - (condition.in_points ? 2 : 1)));
  limit.remove_prefix(limit.starts_with('+') ? 1 : 0);
  std::optional<double> number = parse_number<double>(limit);
  if (!number) {
    return not_a_condition(text);
  }
  condition.limit = *number / 100;
  return condition;
}

Result<Table> condition_table(std::span<const Side> sides,
                              const AlignedRuns& aligned,
                              const Measuring& measuring,
                              const std::vector<Condition>& conditions,
                              bool exact) {
  bool shares = measuring.as() == DiffAs::kShare;
  ColumnKind kind = shares ? ColumnKind::kShare : ColumnKind::kWeight;
  ReportColumn before{
      .name = "before", .title = "before", .kind = kind, .role = ColumnRole::kBefore};
  ReportColumn after{.name = "after", .title = "after", .kind = kind, .role = ColumnRole::kAfter};
  ReportColumn change =
      difference({.name = "change", .title = "change", .kind = kind, .role = ColumnRole::kChange});
  ReportColumn relative = difference(share_column("relative", "change %"));
  ReportColumn result = verdict_column("outcome", "outcome");
  ReportColumn side_name = text_column("side", "side");
  side_name.for_programs = sides.size() == 2;
  ReportColumn name = name_column("condition");
  for (const Condition& condition : conditions) {
    Measuring::Quantity quantity = quantity_of(condition, sides, aligned);
    auto is_empty = [](const std::vector<Cost>& costs) {
      return std::ranges::all_of(costs, [](const Cost& cost) { return cost.weight == 0; });
    };
    if (std::ranges::all_of(quantity.costs, is_empty)) {
      return fail("--fail-if \"{}\": nothing matches on any side.", terminal_text(condition.text));
    }
    double first = measuring.typical(0, quantity.costs[0]);
    for (size_t side = 1; side < sides.size(); ++side) {
      Difference difference = measuring.compare(quantity, side);
      double second = measuring.typical(side, quantity.costs[side]);
      double ratio = first > 0 ? second / first - 1 : kNoNumber;
      before.numbers.push_back(first);
      after.numbers.push_back(second);
      change.numbers.push_back(difference.change);
      change.low.push_back(difference.low);
      change.high.push_back(difference.high);
      relative.numbers.push_back(ratio);
      std::string_view word =
          outcome(condition, condition.in_points ? difference.change : ratio, difference, exact);
      result.judge(word, word == kConditionHolds ? Tone::kBad : Tone::kNeutral);
      side_name.text.push_back(aligned.sides[side].name);
      name.text.push_back(condition.text);
    }
  }
  return Table{.columns = {std::move(result),
                           std::move(relative),
                           std::move(change),
                           std::move(before),
                           std::move(after),
                           std::move(side_name),
                           std::move(name)}};
}

}  // namespace wick
