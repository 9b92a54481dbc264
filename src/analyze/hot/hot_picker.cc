// SPDX-License-Identifier: Apache-2.0
// choose() finds the next entry for a threshold, add() refines it (its callee, or its only caller),
// and take() moves the samples. The costs that are left are counted again after each entry, in
// count_left().
#include "analyze/hot/hot_picker.h"

#include <algorithm>

namespace wick {
namespace {

// If a function and its callers share at least this part of their cost, they describe the same
// cost, and the outermost of these callers becomes the entry.
constexpr double kSameCost = 0.95;
// If one callee has this part of a function's cost, it is the entry instead of the function. A
// caller with a little more cost is the first to have enough for a threshold; without this rule, it
// would be the entry if its share is just above a threshold, and the callee if it is just below.
constexpr double kMostOfCost = 0.75;

constexpr double kClearOfTwo = 0.05;  // the same for the two heaviest parts of a function
// If clear costs make up this part of a function, they are the entries and the function is not.
constexpr double kMadeOfClear = 0.8;

}  // namespace

bool HotPathPicker::pick(double threshold, size_t most) {
  auto least = static_cast<int64_t>(threshold * static_cast<double>(whole_));
  while (true) {
    count_left();
    Choice choice = choose(std::max<int64_t>(least, 1));
    if (choice.group == SIZE_MAX || entries_.size() == most) {
      return choice.group == SIZE_MAX;
    }
    add(choice);
  }
}

void HotPathPicker::complete(double cover, size_t most) {
  auto wanted = static_cast<int64_t>(cover * static_cast<double>(whole_));
  auto least = static_cast<int64_t>(kThresholds.back() * static_cast<double>(whole_));
  while (covered_ < wanted && entries_.size() < most) {
    count_left();
    size_t group = narrowest(wanted - covered_);
    if (group == SIZE_MAX || left_[group].total < std::max<int64_t>(least, 1)) {
      return;
    }
    take(GroupId::from_index(group), false);
  }
}

uint32_t HotPathPicker::entry_of(CallNode node, bool own) const {
  return own ? own_entry_[node.index()] : rest_entry_[node.index()];
}

void HotPathPicker::count_left() {
  const CallPaths& paths = reduced_.paths;
  totals_.resize(own_.size());
  for (size_t i = 0; i < totals_.size(); ++i) {
    totals_[i] = own_[i] + rest_[i];
  }
  left_.assign(sums_.total.size(), Left());
  transparent_.assign(sums_.total.size(), std::nullopt);
  for (size_t i = totals_.size(); i-- > 1;) {
    CallNode node = CallNode::from_index(i);
    totals_[paths.parent(node).index()] += totals_[i];
    left_[paths.label(node).index()].own += own_[i];
    left_[paths.label(node).index()].total += totals_[i];
  }
  heaviest_.find(paths, totals_);
  best_caller_.assign(totals_.size(), -1);
  best_caller_[0] = 0;
  most_below_.assign(totals_.size(), 0);
  for (size_t i = totals_.size(); i-- > 1;) {
    CallNode node = CallNode::from_index(i);
    size_t group = paths.label(node).index();
    int64_t cost = is_general_[group] ? 0 : left_[group].total;
    int64_t& above = most_below_[paths.parent(node).index()];
    above = std::max({above, most_below_[i], cost});
  }
}

int64_t HotPathPicker::best_caller(CallNode node) {
  const CallPaths& paths = reduced_.paths;
  std::vector<CallNode> unknown;
  for (; best_caller_[node.index()] < 0; node = paths.parent(node)) {
    unknown.push_back(node);
  }
  int64_t best = best_caller_[node.index()];
  for (; !unknown.empty(); unknown.pop_back()) {
    if (node != CallPaths::kRoot) {
      size_t caller = paths.label(node).index();
      bool can_be_entry = left_[caller].total > best && !is_general_[caller];
      best = can_be_entry && !is_transparent(caller) ? left_[caller].total : best;
    }
    node = unknown.back();
    best_caller_[node.index()] = best;
  }
  return best;
}

std::vector<int64_t> HotPathPicker::cost_below_callers(size_t callee) const {
  const CallPaths& paths = reduced_.paths;
  std::vector<int64_t> below(left_.size());
  for (CallNode node : reduced_.nodes_of_group[callee]) {
    for (CallNode at = paths.parent(node); at != CallPaths::kRoot; at = paths.parent(at)) {
      below[paths.label(at).index()] += totals_[node.index()];
    }
  }
  return below;
}

bool HotPathPicker::is_in_summary(size_t group) {
  const std::vector<CallNode>& nodes = reduced_.nodes_of_group[group];
  bool can_be = std::ranges::any_of(
      nodes, [&](CallNode node) { return 2 * left_[group].total < best_caller(node); });
  if (!can_be || nodes.size() == 1) {
    return can_be;
  }
  std::vector<int64_t> below = cost_below_callers(group);
  auto nearly_all = static_cast<int64_t>(kSameCost * static_cast<double>(left_[group].total));
  for (size_t caller = 0; caller < below.size(); ++caller) {
    if (below[caller] > 0 && below[caller] >= nearly_all && !is_general_[caller] &&
        2 * left_[group].total < left_[caller].total && !is_transparent(caller)) {
      return true;
    }
  }
  return false;
}

bool HotPathPicker::is_transparent(size_t group) {
  if (!transparent_[group]) {
    transparent_[group] = is_made_of_clear_costs(group);
  }
  return *transparent_[group];
}

bool HotPathPicker::is_made_of_clear_costs(size_t group) const {
  auto total = static_cast<double>(left_[group].total);
  double nearly_all = kSameCost * total;
  std::vector<CallNode> nodes = reduced_.nodes_of_group[group];
  while (true) {
    if (nodes.size() == 1) {
      nodes[0] = heaviest_.last_with(nodes[0], nearly_all, totals_);
    }
    Callee largest = largest_callee(nodes);
    if (!largest.group.valid() || static_cast<double>(largest.calls.total) < nearly_all) {
      break;
    }
    nodes = std::move(largest.calls.nodes);
  }
  int64_t own = 0;
  for (CallNode node : nodes) {
    own += own_[node.index()];
  }
  return 2 * static_cast<double>(own) < total &&
         clear_part(callees_of(nodes), own) >= kMadeOfClear * total;
}

HotPathPicker::Callee HotPathPicker::largest_callee(const std::vector<CallNode>& nodes) const {
  if (nodes.size() == 1) {
    CallNode callee = heaviest_.callee(nodes[0]);
    return callee.valid() ? Callee{.group = reduced_.paths.label(callee),
                                   .calls = {.total = totals_[callee.index()], .nodes = {callee}}}
                          : Callee();
  }
  std::map<GroupId, Callees> callees = callees_of(nodes);
  auto largest =
      std::ranges::max_element(callees, {}, [](const auto& callee) { return callee.second.total; });
  return largest == callees.end()
             ? Callee()
             : Callee{.group = largest->first, .calls = std::move(largest->second)};
}

double HotPathPicker::clear_part(const std::map<GroupId, Callees>& callees, int64_t own) const {
  std::vector<double> parts = {static_cast<double>(own)};
  for (const auto& [callee, cost] : callees) {
    parts.push_back(static_cast<double>(cost.total));
  }
  std::ranges::sort(parts, std::ranges::greater());
  double sum = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    double least = (i < 2 ? kClearOfTwo : kClear) * static_cast<double>(whole_);
    sum += parts[i] >= least ? parts[i] : 0;
  }
  return sum;
}

std::map<GroupId, HotPathPicker::Callees> HotPathPicker::callees_of(
    const std::vector<CallNode>& nodes) const {
  std::map<GroupId, Callees> callees;
  for (CallNode node : nodes) {
    for (CallNode child = children_.first(node); child.valid(); child = children_.next(child)) {
      Callees& callee = callees[reduced_.paths.label(child)];
      callee.total += totals_[child.index()];
      callee.nodes.push_back(child);
    }
  }
  return callees;
}

bool HotPathPicker::is_caller_in_summary(size_t group) const {
  const CallPaths& paths = reduced_.paths;
  if (std::ranges::none_of(reduced_.nodes_of_group[group], [&](CallNode node) {
        return most_below_[node.index()] > left_[group].total;
      })) {
    return false;
  }
  std::vector<bool> below(paths.size());
  std::vector<int64_t> callees(left_.size());
  for (size_t i = 1; i < paths.size(); ++i) {
    CallNode node = CallNode::from_index(i);
    size_t label = paths.label(node).index();
    below[i] = label == group || below[paths.parent(node).index()];
    callees[label] += below[i] ? totals_[i] : 0;
  }
  for (size_t callee = 0; callee < callees.size(); ++callee) {
    if (callee != group && 2 * callees[callee] >= left_[group].total &&
        left_[callee].total > left_[group].total && !is_general_[callee]) {
      return true;
    }
  }
  return false;
}

HotPathPicker::Choice HotPathPicker::choose(int64_t least) {
  std::vector<Choice> own;
  std::vector<Choice> spread;
  for (size_t group = 0; group < left_.size(); ++group) {
    bool general = is_general_[group];
    int64_t cost = general ? left_[group].own : left_[group].total;
    if (cost >= least) {
      (general || !is_spread(group) ? own : spread).push_back({group, cost, general});
    }
  }
  // The best first: each of the conditions looks at the whole tree.
  std::ranges::stable_sort(own, std::ranges::greater(), &Choice::cost);
  std::ranges::stable_sort(spread, {}, &Choice::cost);
  for (const Choice& choice : own) {
    if (choice.itself || !is_in_summary(choice.group)) {
      return choice;
    }
  }
  for (const Choice& choice : spread) {
    if (!is_in_summary(choice.group) && !is_caller_in_summary(choice.group) &&
        !is_transparent(choice.group)) {
      return choice;
    }
  }
  return {};
}

size_t HotPathPicker::narrowest(int64_t enough) const {
  const CallPaths& paths = reduced_.paths;
  std::vector<uint32_t> depth_of_node(paths.size());
  std::vector<uint32_t> depth(left_.size());
  for (size_t i = 1; i < paths.size(); ++i) {
    CallNode node = CallNode::from_index(i);
    depth_of_node[i] = depth_of_node[paths.parent(node).index()] + 1;
    size_t label = paths.label(node).index();
    depth[label] = std::max(depth[label], depth_of_node[i]);
  }
  size_t best = SIZE_MAX;
  auto is_better = [&](size_t group) {
    int64_t cost = left_[group].total;
    int64_t held = left_[best].total;
    bool suffices = cost >= enough;
    if (suffices != (held >= enough)) {
      return suffices;
    }
    return cost == held ? depth[group] > depth[best] : (cost < held) == suffices;
  };
  for (size_t group = 0; group < left_.size(); ++group) {
    if (left_[group].total > 0 && (best == SIZE_MAX || is_better(group))) {
      best = group;
    }
  }
  return best;
}

void HotPathPicker::add(const Choice& choice) {
  size_t group = choice.group;
  if (!choice.itself && is_spread(group)) {
    group = innermost_with_most(group);
    group = is_spread(group) ? outermost_with_same_cost(group) : group;
  }
  take(GroupId::from_index(group), choice.itself);
}

size_t HotPathPicker::innermost_with_most(size_t group) const {
  auto enough = static_cast<int64_t>(kMostOfCost * static_cast<double>(left_[group].total));
  std::vector<CallNode> nodes = reduced_.nodes_of_group[group];
  while (true) {
    Callee largest = largest_callee(nodes);
    if (!largest.group.valid() || largest.calls.total < enough ||
        is_general_[largest.group.index()]) {
      return group;
    }
    group = largest.group.index();
    nodes = std::move(largest.calls.nodes);
  }
}

size_t HotPathPicker::outermost_with_same_cost(size_t group) const {
  std::vector<int64_t> below = cost_below_callers(group);
  auto cost = static_cast<double>(left_[group].total);
  size_t result = group;
  int64_t most = left_[group].total;
  for (size_t caller = 0; caller < below.size(); ++caller) {
    bool calls_it = static_cast<double>(below[caller]) >= kSameCost * cost;
    bool alike = cost >= kSameCost * static_cast<double>(left_[caller].total);
    if (calls_it && alike && left_[caller].total >= most && !is_general_[caller]) {
      result = caller;
      most = left_[caller].total;
    }
  }
  return result;
}

void HotPathPicker::take(GroupId group, bool itself) {
  const CallPaths& paths = reduced_.paths;
  auto entry = static_cast<uint32_t>(entries_.size());
  own_entry_.resize(paths.size(), HotSummary::kNoEntry);
  rest_entry_.resize(paths.size(), HotSummary::kNoEntry);
  int64_t taken = 0;
  auto give = [&](std::vector<int64_t>& costs, std::vector<uint32_t>& owner, size_t node) {
    if (owner[node] == HotSummary::kNoEntry) {
      owner[node] = entry;
      taken += costs[node];
      costs[node] = 0;
    }
  };
  std::vector<bool> below(paths.size());
  for (size_t i = 1; i < paths.size(); ++i) {
    CallNode node = CallNode::from_index(i);
    bool is_it = paths.label(node) == group;
    below[i] = is_it || below[paths.parent(node).index()];
    if (itself ? is_it : below[i]) {
      give(own_, own_entry_, i);
      if (!itself) {
        give(rest_, rest_entry_, i);
      }
    }
  }
  covered_ += taken;
  entries_.push_back({.group = group, .itself = itself});
}

}  // namespace wick
