// SPDX-License-Identifier: Apache-2.0
#include "formats/callgrind/stated_totals.h"

#include <algorithm>
#include <span>
#include <tuple>

#include "formats/callgrind/recursive_stacks.h"

namespace wick::callgrind {
namespace {

// The totals of functions in the stacks of a profile. Recursion counts once.
class StackTotals {
 public:
  explicit StackTotals(const Profile& profile)
      : profile_(profile),
        is_recursive_(profile.stacks, profile.functions.size(), [&](StackId stack) {
          return function_of(stack).index();
        }) {}

  std::vector<int64_t> of(EventId event) const {
    const SampleColumns& samples = profile_.samples;
    std::vector<int64_t> sums(profile_.stacks.size());
    for (size_t row = 0; row < samples.size(); ++row) {
      sums[samples.stack[row].index()] += samples.event[row] == event ? samples.weight[row] : 0;
    }
    std::vector<int64_t> totals(profile_.functions.size());
    for (size_t row = sums.size(); row-- > 1;) {
      StackId stack = StackId::from_index(row);
      sums[profile_.stacks.parent(stack).index()] += sums[row];
      totals[function_of(stack).index()] += is_recursive_[stack] ? 0 : sums[row];
    }
    return totals;
  }

 private:
  FunctionId function_of(StackId stack) const {
    return profile_.frames[profile_.stacks.frame(stack)].function;
  }

  const Profile& profile_;
  RecursiveStacks is_recursive_;
};

std::vector<TotalCorrection> corrections(const Profile& profile,
                                         std::span<const TotalCorrection> totals) {
  StackTotals stacks(profile);
  std::vector<TotalCorrection> result;
  std::vector<int64_t> of_stacks;
  for (size_t i = 0; i < totals.size();) {
    TotalCorrection row = totals[i];
    if (i == 0 || row.event != totals[i - 1].event) {
      of_stacks = stacks.of(row.event);
    }
    for (++i;
         i < totals.size() && totals[i].event == row.event && totals[i].function == row.function;
         ++i) {
      row.weight += totals[i].weight;
    }
    row.weight -= of_stacks[row.function.index()];
    if (row.weight != 0) {
      result.push_back(row);
    }
  }
  return result;
}

}  // namespace

void StatedTotals::add_corrections(ProfileBuilder& builder) {
  std::ranges::sort(
      totals_, {}, [](const TotalCorrection& row) { return std::tuple(row.event, row.function); });
  std::vector<TotalCorrection> rows;
  builder.with_profile_so_far(
      [&](const Profile& profile) { rows = corrections(profile, totals_); });
  for (const TotalCorrection& row : rows) {
    builder.add_total_correction(row);
  }
}

}  // namespace wick::callgrind
