#include "analyze/hot/story.h"

#include <algorithm>
#include <array>
#include <optional>

namespace wick {
namespace {

// Shares that an entry may be asked for, largest first. Below the last a profile has no story.
constexpr std::array kThresholds = {
    0.25, 0.2, 0.16, 0.13, 0.1, 0.08, 0.06, 0.05, 0.04, 0.03, 0.025, 0.02, 0.015, 0.01};
// A function with more than this in and below it tells nothing by that: it is what everything is
// called from. Its own code still may. The way into a library is told up to a higher share: that a
// program spends its time in syslog is a story, that it does in its own loop is not. Where nothing
// more specific explains enough, higher shares are told for all.
constexpr std::array kTooGeneral = {0.35, 0.6, 0.9};
constexpr double kTooGeneralForLibrary = 0.9;
// A function with more of its cost under one caller's path is no cost spread over callers.
constexpr double kMostInOnePlace = 0.6;
// Callers with nearly the same cost are the same story; the outermost names it.
constexpr double kSameCost = 0.95;

// Paths of functions that matter. A function that calls itself is on a path once.
struct Reduced {
  CallPaths paths;
  std::vector<int64_t> own;   // by node: samples whose leaf is the node's function
  std::vector<int64_t> rest;  // by node: samples in functions below that do not matter
  std::vector<CallNode> node_of_stack;
  std::vector<bool> ends_in_own;  // by stack: its leaf is its node's function
  std::vector<std::vector<CallNode>> nodes_of_group;
  std::vector<bool> is_general;  // by group: what everything is called from
};

// Walks the stacks from callers to callees and back, with the node of each function on the way.
class Reducer {
 public:
  Reducer(const Profile& profile, const FrameGroups& groups, const std::vector<bool>& matters)
      : stacks_(profile.stacks),
        groups_(groups),
        matters_(matters),
        children_(profile.stacks),
        on_path_(groups.size()),
        adds_(profile.stacks.size()) {}

  CallPaths walk(Reduced& reduced) {
    reduced.node_of_stack.assign(stacks_.size(), CallPaths::kRoot);
    reduced.ends_in_own.resize(stacks_.size());
    std::vector<CallNode> innermost(stacks_.size(), CallPaths::kRoot);
    StackId stack = children_.first(kEmptyStack);
    while (stack.valid()) {
      enter(stack, innermost, reduced);
      StackId next = children_.first(stack);
      while (!next.valid() && stack != kEmptyStack) {
        leave(stack);
        next = children_.next(stack);
        stack = stacks_.parent(stack);
      }
      stack = next;
    }
    return interner_.release();
  }

 private:
  // A sample in a function that is further out on the path too is that one's own.
  void enter(StackId stack, std::vector<CallNode>& innermost, Reduced& reduced) {
    CallNode parent = innermost[stacks_.parent(stack).index()];
    GroupId group = groups_.of(stacks_.frame(stack));
    bool matters = matters_[group.index()];
    CallNode& known = on_path_[group.index()];
    if (matters && !known.valid()) {
      known = interner_.intern(parent, group);
      adds_[stack.index()] = true;
      parent = known;
    }
    innermost[stack.index()] = parent;
    reduced.node_of_stack[stack.index()] = matters ? known : parent;
    reduced.ends_in_own[stack.index()] = matters;
  }

  void leave(StackId stack) {
    if (adds_[stack.index()]) {
      on_path_[groups_.of(stacks_.frame(stack)).index()] = CallNode();
    }
  }

  const StackTree& stacks_;
  const FrameGroups& groups_;
  const std::vector<bool>& matters_;
  TreeChildren<StackTree> children_;
  TreeInterner<CallPaths> interner_;
  std::vector<CallNode> on_path_;  // by group; none when it is not on the way here
  std::vector<bool> adds_;         // by stack: its function is on the path since it
};

Reduced reduce(const Profile& profile,
               const FrameGroups& groups,
               const StackCosts& costs,
               const std::vector<bool>& matters) {
  Reduced reduced;
  reduced.paths = Reducer(profile, groups, matters).walk(reduced);
  reduced.nodes_of_group.resize(groups.size());
  for (size_t row = 1; row < reduced.paths.size(); ++row) {
    CallNode node = CallNode::from_index(row);
    reduced.nodes_of_group[reduced.paths.label(node).index()].push_back(node);
  }
  reduced.own.resize(reduced.paths.size());
  reduced.rest.resize(reduced.paths.size());
  for (StackId stack : costs.stacks()) {
    std::vector<int64_t>& into = reduced.ends_in_own[stack.index()] ? reduced.own : reduced.rest;
    into[reduced.node_of_stack[stack.index()].index()] += costs.self(stack).weight;
  }
  return reduced;
}

// Whether the functions that call a group's are of another module, by group.
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

// By group: whether it is called from several places, none of which has most of its cost. That is a
// story whatever its share: what everything is called from is called from one.
std::vector<bool> spread_groups(const Reduced& reduced, const GroupCosts& sums) {
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
                    kMostInOnePlace * static_cast<double>(sums.total[group].weight);
  }
  return spread;
}

std::vector<bool> general_groups(const Reduced& reduced,
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

// One way to tell the story, at one threshold.
class Teller {
 public:
  Teller(const Reduced& reduced, const GroupCosts& sums, int64_t whole)
      : reduced_(reduced), sums_(sums), whole_(whole), own_(reduced.own), rest_(reduced.rest) {}

  // False when there was more to tell than `most` entries.
  bool tell(double threshold, size_t most) {
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
  // Where all that is left is spread: the most specific functions whose callees nobody tells
  // explain the rest, whatever they are called from.
  void complete(double cover, size_t most) {
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
  int64_t covered() const { return covered_; }
  const std::vector<StoryEntry>& entries() const { return entries_; }
  // By node: the entry its own samples, and those in small functions below, belong to.
  uint32_t entry_of(CallNode node, bool own) const {
    return own ? own_entry_[node.index()] : rest_entry_[node.index()];
  }

 private:
  struct Left {
    int64_t own = 0;
    int64_t total = 0;
  };

  // What is left of each function: no sample counts twice for one, as it is on a path once.
  void count_left() {
    const CallPaths& paths = reduced_.paths;
    totals_.resize(own_.size());
    for (size_t i = 0; i < totals_.size(); ++i) {
      totals_[i] = own_[i] + rest_[i];
    }
    left_.assign(sums_.total.size(), Left());
    for (size_t i = totals_.size(); i-- > 1;) {
      CallNode node = CallNode::from_index(i);
      totals_[paths.parent(node).index()] += totals_[i];
      left_[paths.label(node).index()].own += own_[i];
      left_[paths.label(node).index()].total += totals_[i];
    }
  }

  // By group: what is left of `callee` where that group is above it.
  std::vector<int64_t> cost_below_callers(size_t callee) const {
    const CallPaths& paths = reduced_.paths;
    std::vector<int64_t> below(left_.size());
    for (CallNode node : reduced_.nodes_of_group[callee]) {
      for (CallNode at = paths.parent(node); at != CallPaths::kRoot; at = paths.parent(at)) {
        below[paths.label(at).index()] += totals_[node.index()];
      }
    }
    return below;
  }

  // Whether it is only a small part of a function that would make a better entry: syslog rather
  // than one of the fifty functions below it.
  bool is_part_of_a_story(size_t group) const {
    std::vector<int64_t> below = cost_below_callers(group);
    auto nearly_all = static_cast<int64_t>(kSameCost * static_cast<double>(left_[group].total));
    for (size_t caller = 0; caller < below.size(); ++caller) {
      if (below[caller] > 0 && below[caller] >= nearly_all && !reduced_.is_general[caller] &&
          2 * left_[group].total < left_[caller].total) {
        return true;
      }
    }
    return false;
  }

  // Whether most of it is one function below it that costs more in all: that one explains more, and
  // with fewer entries than each of its callers.
  bool is_caller_of_a_story(size_t group) const {
    const CallPaths& paths = reduced_.paths;
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
          left_[callee].total > left_[group].total && !reduced_.is_general[callee]) {
        return true;
      }
    }
    return false;
  }

  struct Choice {
    size_t group = SIZE_MAX;
    int64_t cost = 0;
    bool itself = false;
  };

  // First functions whose own code costs enough, the heaviest first; then those that do with what
  // they call, the most specific first, which is the one with the least.
  Choice choose(int64_t least) const {
    Choice own;
    Choice spread{.cost = INT64_MAX};
    for (size_t group = 0; group < left_.size(); ++group) {
      const Left& left = left_[group];
      bool general = reduced_.is_general[group];
      bool mostly_own = general || 2 * left.own >= left.total;
      int64_t cost = general ? left.own : left.total;
      bool better = mostly_own ? cost > own.cost : cost < spread.cost;
      if (cost < least || !better || (!general && is_part_of_a_story(group)) ||
          (!mostly_own && is_caller_of_a_story(group))) {
        continue;
      }
      (mostly_own ? own : spread) = {group, cost, general};
    }
    return own.group != SIZE_MAX ? own : spread;
  }

  // The group with the least that is left, of those that have enough; else that with the most. Of
  // equal ones the one that is called by the other.
  size_t narrowest(int64_t enough) const {
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

  void add(const Choice& choice) {
    bool spread = !choice.itself && 2 * left_[choice.group].own < left_[choice.group].total;
    size_t group = spread ? outermost_alike(choice.group) : choice.group;
    take(GroupId::from_index(group), choice.itself);
  }

  // The outermost caller of all that is left of it, and of hardly anything else.
  size_t outermost_alike(size_t group) const {
    std::vector<int64_t> below = cost_below_callers(group);
    auto cost = static_cast<double>(left_[group].total);
    size_t result = group;
    int64_t most = left_[group].total;
    for (size_t caller = 0; caller < below.size(); ++caller) {
      bool calls_it = static_cast<double>(below[caller]) >= kSameCost * cost;
      bool alike = cost >= kSameCost * static_cast<double>(left_[caller].total);
      if (calls_it && alike && left_[caller].total >= most && !reduced_.is_general[caller]) {
        result = caller;
        most = left_[caller].total;
      }
    }
    return result;
  }

  void take(GroupId group, bool itself) {
    const CallPaths& paths = reduced_.paths;
    auto entry = static_cast<uint32_t>(entries_.size());
    own_entry_.resize(paths.size(), Story::kNoEntry);
    rest_entry_.resize(paths.size(), Story::kNoEntry);
    int64_t taken = 0;
    auto give = [&](std::vector<int64_t>& costs, std::vector<uint32_t>& owner, size_t node) {
      if (owner[node] == Story::kNoEntry) {
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

  const Reduced& reduced_;
  const GroupCosts& sums_;
  int64_t whole_;
  std::vector<int64_t> own_;
  std::vector<int64_t> rest_;
  std::vector<int64_t> totals_;  // by node: what is left of it and below
  std::vector<Left> left_;       // by group
  std::vector<uint32_t> own_entry_;
  std::vector<uint32_t> rest_entry_;
  std::vector<StoryEntry> entries_;
  int64_t covered_ = 0;
};

// Gives every sample to its entry, and the entries their order.
Story assign(const Teller& teller, const Reduced& reduced, const StackCosts& costs) {
  Story story{.entries = teller.entries()};
  std::vector<uint32_t> entry_of_stack(reduced.node_of_stack.size(), Story::kNoEntry);
  if (!story.entries.empty()) {
    for (StackId stack : costs.stacks()) {
      uint32_t entry =
          teller.entry_of(reduced.node_of_stack[stack.index()], reduced.ends_in_own[stack.index()]);
      entry_of_stack[stack.index()] = entry;
      if (entry != Story::kNoEntry) {
        story.entries[entry].cost += costs.self(stack);
      }
    }
  }
  std::vector<uint32_t> order(story.entries.size());
  for (uint32_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::ranges::stable_sort(
      order, std::ranges::greater(), [&](uint32_t i) { return story.entries[i].cost.weight; });
  std::vector<uint32_t> place(order.size());
  std::vector<StoryEntry> sorted;
  for (uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    sorted.push_back(story.entries[order[i]]);
  }
  story.entries = std::move(sorted);
  for (uint32_t& entry : entry_of_stack) {
    entry = entry == Story::kNoEntry ? entry : place[entry];
  }
  story.entry_of_stack = std::move(entry_of_stack);
  return story;
}

// The story with the largest threshold that covers enough, or the one that covers most with `most`
// entries.
Teller tell_best(const Reduced& reduced,
                 const GroupCosts& sums,
                 int64_t whole,
                 const StoryGoal& goal) {
  std::optional<Teller> best;
  for (double threshold : kThresholds) {
    Teller teller(reduced, sums, whole);
    bool complete = teller.tell(threshold, goal.most);
    if (!complete && best) {
      break;
    }
    best.emplace(std::move(teller));
    if (!complete ||
        static_cast<double>(best->covered()) >= goal.cover * static_cast<double>(whole)) {
      break;
    }
  }
  return *std::move(best);
}

}  // namespace

Story find_story(const Profile& profile,
                 const FrameGroups& groups,
                 const StackCosts& costs,
                 const GroupCosts& sums,
                 const StoryGoal& goal) {
  int64_t whole = costs.total().weight;
  std::vector<bool> matters(groups.size());
  for (size_t group = 0; group < groups.size(); ++group) {
    matters[group] = static_cast<double>(sums.total[group].weight) >=
                     kThresholds.back() * static_cast<double>(whole);
  }
  Reduced reduced = reduce(profile, groups, costs, matters);
  std::optional<Teller> best;
  for (double too_general : kTooGeneral) {
    reduced.is_general = general_groups(reduced, groups, sums, whole, too_general);
    Teller teller = tell_best(reduced, sums, whole, goal);
    if (!best || teller.covered() > best->covered()) {
      best.emplace(std::move(teller));
    }
    if (static_cast<double>(best->covered()) >= goal.cover * static_cast<double>(whole)) {
      break;
    }
  }
  best->complete(goal.cover, goal.most);
  return assign(*best, reduced, costs);
}

}  // namespace wick
