#include "analyze/flat/rows.h"

#include <map>

#include <fmt/format.h>

#include "analyze/groups.h"
#include "profile/names.h"

namespace wick {
namespace {

// One walk over the stack tree. `running` is the cost seen so far; what it grows by between
// entering and leaving the outermost frame of a group is that group's total. So recursion counts
// once, and no totals for single nodes are ever stored.
FlatRows rows_by_frame(const Profile& profile, const StackCosts& costs, GroupBy by) {
  FrameGroups groups(profile, by);
  std::vector<FlatRow> rows(groups.size());
  std::vector<uint32_t> depth_on_path(groups.size());
  std::vector<Cost> at_entry(groups.size());
  Cost running;
  StackChildren children(profile.stacks);
  auto group_of = [&](StackId node) { return groups.of(profile.stacks.frame(node)).index(); };
  children.walk(
      [&](StackId node) {
        // The empty stack is a row only for its own samples.
        size_t group = group_of(node);
        if (node != kEmptyStack && depth_on_path[group]++ == 0) {
          at_entry[group] = running;
        }
        Cost self = costs.self(node);
        running += self;
        rows[group].self += self;
        if (node == kEmptyStack) {
          rows[group].total += self;
        }
      },
      [&](StackId node) {
        size_t group = group_of(node);
        if (node != kEmptyStack && --depth_on_path[group] == 0) {
          rows[group].total += running - at_entry[group];
        }
      });
  FlatRows result{.has_modules = groups.has_modules()};
  for (size_t i = 0; i < rows.size(); ++i) {
    const Group& group = groups[GroupId::from_index(i)];
    if (rows[i].total.weight > 0 || rows[i].total.count > 0) {
      rows[i].name = group.name;
      rows[i].module = group.module;
      result.rows.push_back(std::move(rows[i]));
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
