// SPDX-License-Identifier: Apache-2.0
// A greedy cover of the call tree. The problem: find few functions that account for most of the
// time. A list sorted by self misses a cost that is spread over fifty small functions; a list
// sorted by total begins with main and counts every sample many times. So an entry is a function
// with the samples in and below it (or only its own code), and each sample goes to one entry.
//
//     1. reduce_tree         drop functions with a total below 1 %, and code that a person cannot
//                            change (reduced_tree.h).
//     2. general_groups      mark functions that cost more than 35 % as too general, such as main:
//                            they may be entries only with their own code. Entry points of a
//                            library, and functions with callers in many parts of the program, may
//                            have up to 90 %.
//     3. pick                take entries for one threshold (hot_picker.h).
//     4. add_best            repeat step 3 with thresholds from 25 % down to 1 %, until the entries
//                            cover the goal. A large threshold gives few entries.
//     5. find_hot_functions  otherwise continue at step 2 with a limit of 60 %, then of 90 %, with
//                            what the clear entries (12.5 % or more) leave.
//     6. complete            if the rest is still too large: take the most specific function that
//                            has enough of it, even a general one.
#include "analyze/hot/hot_functions.h"

#include <algorithm>
#include <array>
#include <optional>

#include "analyze/hot/hot_picker.h"
#include "analyze/hot/reduced_tree.h"

namespace wick {
namespace {

// A function with a larger total is too general for an entry, because nearly everything is called
// from it. Its own code may still be an entry. The entry point of a library has a higher limit: it
// helps to know that a program spends its time in syslog, but not that it spends it in its own main
// loop. The larger limits are tried if more specific functions do not cover enough.
constexpr std::array kTooGeneral = {0.35, 0.6, 0.9};
constexpr double kTooGeneralForLibrary = 0.9;
// If a larger part of a function's cost is below one path of callers, its cost is not spread over
// callers.
constexpr double kMaxAtOneLocation = 0.6;

// By group: whether all its callers are in another module.
std::vector<bool> library_entries(const CallPaths& paths,
                                  const FrameGroups& groups,
                                  const std::vector<std::vector<CallNode>>& nodes_of_group) {
  std::vector<bool> result(groups.size());
  for (size_t group = 0; group < groups.size(); ++group) {
    const std::string& module = groups[GroupId::from_index(group)].module;
    result[group] = !module.empty() && !nodes_of_group[group].empty() &&
                    std::ranges::all_of(nodes_of_group[group], [&](CallNode node) {
                      GroupId caller = paths.label(paths.parent(node));
                      return caller.valid() && !groups[caller].module.empty() &&
                             groups[caller].module != module;
                    });
  }
  return result;
}

// By group: whether it has callers in several parts of the program, none with most of its cost.
// Such a function is specific even if its share is large: a general function has one caller.
std::vector<bool> spread_groups(const ReducedTree& reduced, const GroupCosts& sums) {
  std::vector<int64_t> totals(reduced.paths.size());
  for (size_t i = totals.size(); i-- > 1;) {
    totals[i] += reduced.own[i] + reduced.rest[i];
    totals[reduced.paths.parent(CallNode::from_index(i)).index()] += totals[i];
  }
  std::vector<bool> spread(sums.total.size());
  for (size_t group = 0; group < spread.size(); ++group) {
    int64_t largest = 0;
    for (CallNode node : reduced.nodes_of_group[group]) {
      largest = std::max(largest, totals[node.index()]);
    }
    spread[group] = static_cast<double>(largest) <
                    kMaxAtOneLocation * static_cast<double>(sums.total[group].weight);
  }
  return spread;
}

std::vector<bool> general_groups(const ReducedTree& reduced,
                                 const FrameGroups& groups,
                                 const GroupCosts& sums,
                                 int64_t whole,
                                 double too_general) {
  std::vector<bool> library = library_entries(reduced.paths, groups, reduced.nodes_of_group);
  std::vector<bool> spread = spread_groups(reduced, sums);
  std::vector<bool> general(groups.size());
  for (size_t group = 0; group < groups.size(); ++group) {
    double most = library[group] || spread[group] ? kTooGeneralForLibrary : too_general;
    general[group] =
        static_cast<double>(sums.total[group].weight) > most * static_cast<double>(whole);
  }
  return general;
}

// Assigns every stack to its entry, and sorts the entries.
HotSummary assign(const HotPathPicker& picker,
                  const ReducedTree& reduced,
                  const StackCosts& costs) {
  HotSummary summary{.entries = picker.entries()};
  std::vector<uint32_t> entry_of_stack(reduced.node_of_stack.size(), HotSummary::kNoEntry);
  if (!summary.entries.empty()) {
    for (StackId stack : costs.stacks()) {
      uint32_t entry =
          picker.entry_of(reduced.node_of_stack[stack.index()], reduced.ends_in_own[stack.index()]);
      entry_of_stack[stack.index()] = entry;
      if (entry != HotSummary::kNoEntry) {
        summary.entries[entry].cost += costs.self(stack);
      }
    }
  }
  std::vector<uint32_t> order(summary.entries.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::ranges::stable_sort(
      order, std::ranges::greater(), [&](uint32_t i) { return summary.entries[i].cost.weight; });
  std::vector<uint32_t> position(order.size());
  std::vector<HotEntry> sorted;
  for (uint32_t i = 0; i < order.size(); ++i) {
    position[order[i]] = i;
    sorted.push_back(summary.entries[order[i]]);
  }
  summary.entries = std::move(sorted);
  for (uint32_t& entry : entry_of_stack) {
    entry = entry == HotSummary::kNoEntry ? entry : position[entry];
  }
  summary.entry_of_stack = std::move(entry_of_stack);
  return summary;
}

// Adds entries to `start`: those for the largest threshold that covers the goal. If none does,
// those that cover most with `most` entries, but none below `smallest`.
HotPathPicker add_best(const HotPathPicker& start,
                       int64_t whole,
                       const HotGoal& goal,
                       double smallest) {
  std::optional<HotPathPicker> best;
  std::optional<HotPathPicker> retained;
  for (double threshold : kThresholds) {
    HotPathPicker picker = best ? *best : start;
    bool complete = picker.pick(threshold, goal.most);
    if (!complete && best) {
      break;
    }
    best.emplace(std::move(picker));
    if (static_cast<double>(best->covered()) >= goal.cover * static_cast<double>(whole)) {
      return *std::move(best);
    }
    if (!complete) {
      break;
    }
    if (threshold >= smallest) {
      retained.emplace(*best);
    }
  }
  return smallest == 0 || !retained ? *std::move(best) : *std::move(retained);
}

}  // namespace

HotSummary find_hot_functions(const Profile& profile,
                              const FrameGroups& groups,
                              const StackCosts& costs,
                              const GroupCosts& sums,
                              const HotGoal& goal) {
  int64_t whole = costs.total().weight;
  std::vector<bool> matters(groups.size());
  for (size_t group = 0; group < groups.size(); ++group) {
    matters[group] = static_cast<double>(sums.total[group].weight) >=
                     kThresholds.back() * static_cast<double>(whole);
  }
  ReducedTree reduced = reduce_tree(profile, groups, costs, matters);
  TreeChildren<CallPaths> children(reduced.paths);
  std::optional<HotPathPicker> picker(std::in_place, reduced, children, sums, whole);
  for (double too_general : kTooGeneral) {
    bool last = too_general == kTooGeneral.back();
    picker->set_general(general_groups(reduced, groups, sums, whole, too_general));
    HotPathPicker best = add_best(*picker, whole, goal, last ? 0 : kClear);
    picker.emplace(std::move(best));
    if (static_cast<double>(picker->covered()) >= goal.cover * static_cast<double>(whole)) {
      break;
    }
  }
  picker->complete(goal.cover, goal.most);
  return assign(*picker, reduced, costs);
}

}  // namespace wick
