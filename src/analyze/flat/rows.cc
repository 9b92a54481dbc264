#include "analyze/flat/rows.h"

#include <map>

#include <fmt/format.h>

#include "analyze/group_costs.h"
#include "profile/names.h"

namespace wick {
namespace {

FlatRows rows_by_frame(const Profile& profile, const StackCosts& costs, GroupBy by) {
  FrameGroups groups(profile, by);
  GroupCosts sums = group_costs(profile, costs, groups);
  FlatRows result{.has_modules = groups.has_modules(), .has_kinds = groups.has_kinds()};
  for (size_t i = 0; i < groups.size(); ++i) {
    if (sums.total[i].weight > 0 || sums.total[i].count > 0) {
      const Group& group = groups[GroupId::from_index(i)];
      result.rows.push_back({.name = group.name,
                             .module = group.module,
                             .kind = group.kind,
                             .self = sums.self[i],
                             .total = sums.total[i]});
    }
  }
  return result;
}

template <typename NameOf>
FlatRows rows_by_sample(const Profile& profile, NameOf name_of) {
  std::map<std::string, Cost> costs;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    costs[name_of(row)] += {profile.samples.weight[row], profile.samples.count[row]};
  }
  FlatRows result{.has_self = false};
  for (const auto& [name, cost] : costs) {
    result.rows.push_back({.name = name, .self = cost, .total = cost});
  }
  return result;
}

std::string cpu_name(uint16_t cpu) {
  return cpu == kNoCpu ? "[unknown]" : fmt::format("{}", cpu);
}

std::string process_of(const Profile& profile, ThreadId thread) {
  return thread.valid() ? process_name(profile, profile.threads[thread].process) : "[unknown]";
}

}  // namespace

FlatRows collect_rows(const Profile& profile, const StackCosts& costs, FlatBy by) {
  const SampleColumns& samples = profile.samples;
  switch (by) {
    case FlatBy::kFunction:
      return rows_by_frame(profile, costs, GroupBy::kFunction);
    case FlatBy::kModule:
      return rows_by_frame(profile, costs, GroupBy::kModule);
    case FlatBy::kLine:
      return rows_by_frame(profile, costs, GroupBy::kLine);
    case FlatBy::kOffset:
      return rows_by_frame(profile, costs, GroupBy::kOffset);
    case FlatBy::kFunctionOffset:
      return rows_by_frame(profile, costs, GroupBy::kFunctionOffset);
    case FlatBy::kMode:
      return rows_by_frame(profile, costs, GroupBy::kMode);
    case FlatBy::kThread:
      return rows_by_sample(profile,
                            [&](size_t row) { return thread_name(profile, samples.thread[row]); });
    case FlatBy::kProcess:
      return rows_by_sample(profile,
                            [&](size_t row) { return process_of(profile, samples.thread[row]); });
    case FlatBy::kCpu:
      return rows_by_sample(profile, [&](size_t row) { return cpu_name(samples.cpu[row]); });
  }
  return {};
}

}  // namespace wick
