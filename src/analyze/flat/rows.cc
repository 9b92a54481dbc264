// SPDX-License-Identifier: Apache-2.0
#include "analyze/flat/rows.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analyze/group_costs.h"
#include "analyze/label_groups.h"
#include "analyze/late_groups.h"
#include "profile/names.h"

namespace wick {
namespace {

// The total that the input states for a function is better than that of estimated stacks. It is at
// least the function's self cost, and at most the whole.
void correct_totals(const Profile& profile,
                    const StackCosts& costs,
                    const FrameGroups& groups,
                    GroupCosts& sums) {
  if (profile.total_corrections.empty()) {
    return;
  }
  std::vector<GroupId> group_of(profile.functions.size());
  for (size_t row = 0; row < profile.frames.size(); ++row) {
    FrameId frame = FrameId::from_index(row);
    if (FunctionId function = profile.frames[frame].function; function.valid()) {
      group_of[function.index()] = groups.of(frame);
    }
  }
  for (const TotalCorrection& row : profile.total_corrections) {
    GroupId group = group_of[row.function.index()];
    if (group.valid()) {
      int64_t& total = sums.total[group.index()].weight;
      if (__builtin_add_overflow(total, row.weight, &total)) {
        total = row.weight < 0 ? INT64_MIN : INT64_MAX;
      }
    }
  }
  for (size_t group = 0; group < sums.total.size(); ++group) {
    int64_t& total = sums.total[group].weight;
    total = std::clamp(total, sums.self[group].weight, costs.total().weight);
  }
}

FlatRows rows_by_frame(const Profile& profile,
                       const StackCosts& costs,
                       const LateSamples& late,
                       GroupBy by) {
  FrameGroups groups(profile, by);
  GroupCosts sums = group_costs(profile, costs, groups);
  if (by == GroupBy::kFunction) {
    correct_totals(profile, costs, groups, sums);
  }
  std::vector<bool> is_late = late_groups(profile, groups, by, late);
  FlatRows result{.has_modules = groups.has_modules(), .has_kinds = groups.has_kinds()};
  for (size_t i = 0; i < groups.size(); ++i) {
    if (sums.total[i].weight > 0 || sums.total[i].count > 0) {
      const Group& group = groups[GroupId::from_index(i)];
      result.rows.push_back({.name = group.name,
                             .module = group.module,
                             .kind = group.kind,
                             .late = is_late[i] && sums.self[i].weight > 0,
                             .self = sums.self[i],
                             .total = sums.total[i]});
    }
  }
  return result;
}

// Each row is one group of samples: group_of(row of a sample) is less than `groups`. Groups with
// the same name become one row, except group 0, which is for unknown values.
template <typename GroupOf, typename NameOf>
FlatRows rows_by_sample(const Profile& profile, size_t groups, GroupOf group_of, NameOf name_of) {
  std::vector<Cost> costs(groups);
  std::vector<bool> sampled(groups);
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    size_t group = group_of(row);
    costs[group] += {profile.samples.weight[row], profile.samples.count[row]};
    sampled[group] = true;
  }
  std::map<std::pair<bool, std::string>, Cost> named;
  for (size_t group = 0; group < groups; ++group) {
    if (sampled[group]) {
      named[{group == 0, name_of(group)}] += costs[group];
    }
  }
  FlatRows result{.has_self = false};
  for (const auto& [key, cost] : named) {
    result.rows.push_back({.name = key.second, .self = cost, .total = cost});
  }
  return result;
}

// The same if each sample refers to a row of a table, or to none.
template <typename IdOf, typename NameOf>
FlatRows rows_by_id(const Profile& profile, size_t table_size, IdOf id_of, NameOf name_of) {
  using IdType = decltype(id_of(size_t{}));
  return rows_by_sample(
      profile,
      table_size + 1,
      [&](size_t row) { return id_of(row).valid() ? id_of(row).index() + 1 : 0; },
      [&](size_t group) {
        return name_of(profile, group == 0 ? IdType() : IdType::from_index(group - 1));
      });
}

FlatRows rows_by_cpu(const Profile& profile) {
  constexpr size_t kCpus = size_t{kNoCpu} + 1;
  return rows_by_sample(
      profile,
      kCpus,
      [&](size_t row) { return (size_t{profile.samples.cpu[row]} + 1) % kCpus; },
      [](size_t group) { return group == 0 ? "[unknown]" : fmt::format("{}", group - 1); });
}

FlatRows rows_by_label(const Profile& profile, std::string_view key) {
  LabelGroups groups(profile, key);
  return rows_by_sample(
      profile,
      groups.size(),
      [&](size_t row) { return groups.of(profile.samples.labels[row]); },
      [&](size_t group) { return groups.name(group); });
}

}  // namespace

FlatRows collect_rows(const Profile& profile,
                      const StackCosts& costs,
                      const LateSamples& late,
                      const FlatOptions& options) {
  const Column<ThreadId>& threads = profile.samples.thread;
  auto process_at = [&](size_t row) {
    return threads[row].valid() ? profile.threads[threads[row]].process : ProcessId();
  };
  auto source_at = [&](size_t row) { return source_of(profile, threads[row]); };
  switch (options.by) {
    case FlatBy::kFunction:
      return rows_by_frame(profile, costs, late, GroupBy::kFunction);
    case FlatBy::kModule:
      return rows_by_frame(profile, costs, late, GroupBy::kModule);
    case FlatBy::kLine:
      return rows_by_frame(profile, costs, late, GroupBy::kLine);
    case FlatBy::kOffset:
      return rows_by_frame(profile, costs, late, GroupBy::kOffset);
    case FlatBy::kFunctionOffset:
      return rows_by_frame(profile, costs, late, GroupBy::kFunctionOffset);
    case FlatBy::kMode:
      return rows_by_frame(profile, costs, late, GroupBy::kMode);
    case FlatBy::kLanguage:
      return rows_by_frame(profile, costs, late, GroupBy::kLanguage);
    case FlatBy::kThread:
      return rows_by_id(
          profile, profile.threads.size(), [&](size_t row) { return threads[row]; }, thread_name);
    case FlatBy::kProcess:
      return rows_by_id(profile, profile.processes.size(), process_at, process_name);
    case FlatBy::kHost:
      return rows_by_id(profile, profile.sources.size(), source_at, source_name);
    case FlatBy::kCpu:
      return rows_by_cpu(profile);
    case FlatBy::kLabel:
      return rows_by_label(profile, options.label);
  }
  return {};
}

}  // namespace wick
