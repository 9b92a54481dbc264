// SPDX-License-Identifier: Apache-2.0
// A greedy cover of the call tree. The problem: find few functions that account for most of the
// time. A list sorted by self misses a cost that is spread over fifty small functions; a list
// sorted by total begins with main and counts every sample many times. So an entry is a function
// with the samples in and below it (or only its own code), and each sample goes to one entry.
//
//     1. reduce              drop functions with a total below 1 %. Each node of the reduced tree
//                            has `own` samples (its function is the leaf) and `rest` samples (in
//                            small functions below it). A recursive function is on a path once.
//                            Code that a person cannot change is not in the tree: kernel code
//                            below user code, and internals of the standard library. Its samples
//                            are own samples of the user function that entered the kernel, or of
//                            the library's function that the program called.
//     2. general_groups      mark functions that cost more than 35 % as too general, such as main:
//                            they may be entries only with their own code. Entry points of a
//                            library, and functions with callers in many parts of the program, may
//                            have up to 90 %.
//     3. pick                for one threshold: pick the best function, give it its samples,
//                            subtract them from all others, and repeat until no function has
//                            enough left. Functions that are mostly own code come first, heaviest
//                            first; then the others, smallest first, since the smallest cost is
//                            the most specific function. A function is not an entry if few clear
//                            costs below it make up nearly all of it (is_transparent): they are.
//     4. add_best            repeat step 3 with thresholds from 25 % down to 1 %, until the entries
//                            cover the goal. A large threshold gives few entries.
//     5. find_hot_functions  otherwise continue at step 2 with a limit of 60 %, then of 90 %, with
//                            what the clear entries (12.5 % or more) leave.
//     6. complete            if the rest is still too large: take the most specific function that
//                            has enough of it, even a general one.
//
// Invariant: take() moves samples out of own_ and rest_ into an entry and never changes the owner
// of a node. So no sample counts twice, and the entries never exceed the whole.
#include "analyze/hot/hot_functions.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace wick {
namespace {

// The thresholds: the share that a function must have to become an entry, largest first. A function
// below the last one never becomes an entry.
constexpr std::array kThresholds = {
    0.25, 0.2, 0.16, 0.13, 0.1, 0.08, 0.06, 0.05, 0.04, 0.03, 0.025, 0.02, 0.015, 0.01};
// A function with a larger total is too general for an entry, because nearly everything is called
// from it. Its own code may still be an entry. The entry point of a library has a higher limit: it
// helps to know that a program spends its time in syslog, but not that it spends it in its own main
// loop. The larger limits are tried if more specific functions do not cover enough.
constexpr std::array kTooGeneral = {0.35, 0.6, 0.9};
constexpr double kTooGeneralForLibrary = 0.9;
// If a larger part of a function's cost is below one path of callers, its cost is not spread over
// callers.
constexpr double kMostAtOneLocation = 0.6;
// If a function and its callers share at least this part of their cost, they describe the same
// cost, and the outermost of these callers becomes the entry.
constexpr double kSameCost = 0.95;

// A cost that is an entry of its own and not a part of a larger one. Only such entries are retained
// when a larger limit of kTooGeneral is tried.
constexpr double kClear = 0.125;
constexpr double kClearOfTwo = 0.05;  // the same for the two heaviest parts of a function
// If clear costs make up this part of a function, they are the entries and the function is not.
constexpr double kMadeOfClear = 0.8;

// Functions of the language's standard library and its system library, by name and by module.
constexpr std::array<std::string_view, 8> kRuntimeNames = {
    "std::", "__gnu_cxx::", "core::", "alloc::", "hashbrown::", "<core::", "<alloc::", "<std::"};
constexpr std::array<std::string_view, 9> kRuntimeModules = {"libc.so",
                                                             "libc-",
                                                             "libc++",
                                                             "libstdc++",
                                                             "libm.so",
                                                             "libm-",
                                                             "libgcc_s",
                                                             "libpthread",
                                                             "ld-linux"};
// Their cost is one cost, whichever part of the standard library calls them.
constexpr std::array<std::string_view, 7> kAllocation = {
    "malloc", "calloc", "realloc", "free", "cfree", "operator new", "operator delete"};

bool is_runtime(const Group& group) {
  auto starts = [](const std::string& text) {
    return [&text](std::string_view prefix) { return text.starts_with(prefix); };
  };
  return std::ranges::any_of(kRuntimeNames, starts(group.name)) ||
         std::ranges::any_of(kRuntimeModules, starts(group.module));
}

bool is_allocation(const Group& group) {
  std::string_view name = group.name;
  return std::ranges::find(kAllocation, name.substr(0, name.find_first_of("([<"))) !=
         kAllocation.end();
}

// The call tree reduced to functions that matter. A recursive function is on a path once.
struct Reduced {
  CallPaths paths;
  std::vector<int64_t> own;   // by node: samples whose leaf is the node's function, or kernel code
                              // that it entered
  std::vector<int64_t> rest;  // by node: samples in small functions below it
  std::vector<CallNode> node_of_stack;
  std::vector<bool> ends_in_own;  // by stack: its samples are own samples of its node
  std::vector<std::vector<CallNode>> nodes_of_group;
};

// Walks the stacks depth first and records the node of each function on the current path.
class Reducer {
 public:
  Reducer(const Profile& profile, const FrameGroups& groups, const std::vector<bool>& matters)
      : stacks_(profile.stacks),
        frames_(profile.frames),
        groups_(groups),
        matters_(matters),
        children_(profile.stacks),
        on_path_(groups.size()),
        adds_(profile.stacks.size()),
        has_user_code_(profile.stacks.size()),
        runtime_owner_(profile.stacks.size()) {
    for (size_t row = 0; row < groups.size(); ++row) {
      const Group& group = groups[GroupId::from_index(row)];
      allocation_.push_back(is_allocation(group));
      runtime_.push_back(allocation_.back() || is_runtime(group));
    }
  }

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
  // If the function is already on the path (recursion), the sample belongs to its outer node.
  void enter(StackId stack, std::vector<CallNode>& innermost, Reduced& reduced) {
    StackId above = stacks_.parent(stack);
    CallNode parent = innermost[above.index()];
    GroupId group = groups_.of(stacks_.frame(stack));
    bool kernel = is_kernel(frames_[stacks_.frame(stack)].mode);
    has_user_code_[stack.index()] = has_user_code_[above.index()] || !kernel;
    if (kernel ? has_user_code_[above.index()] : is_internal(group, above)) {
      innermost[stack.index()] = parent;
      runtime_owner_[stack.index()] = runtime_owner_[above.index()];
      reduced.node_of_stack[stack.index()] = reduced.node_of_stack[above.index()];
      reduced.ends_in_own[stack.index()] = reduced.ends_in_own[above.index()];
      return;
    }
    bool matters = matters_[group.index()];
    runtime_owner_[stack.index()] = matters ? group : GroupId();
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

  // Whether the group is called by a function of the standard library that has a node, and is not
  // the first function of an allocation.
  bool is_internal(GroupId group, StackId above) const {
    GroupId owner = runtime_owner_[above.index()];
    return runtime_[group.index()] && owner.valid() && runtime_[owner.index()] &&
           (!allocation_[group.index()] || allocation_[owner.index()]);
  }

  void leave(StackId stack) {
    if (adds_[stack.index()]) {
      on_path_[groups_.of(stacks_.frame(stack)).index()] = CallNode();
    }
  }

  const StackTree& stacks_;
  const IdVector<FrameId, Frame>& frames_;
  const FrameGroups& groups_;
  const std::vector<bool>& matters_;
  TreeChildren<StackTree> children_;
  TreeInterner<CallPaths> interner_;
  std::vector<CallNode> on_path_;       // by group; none if it is not on the current path
  std::vector<bool> adds_;              // by stack: whether its frame put its function on the path
  std::vector<bool> has_user_code_;     // by stack
  std::vector<GroupId> runtime_owner_;  // by stack: whose own samples those of internals below are
  std::vector<bool> runtime_;           // by group
  std::vector<bool> allocation_;        // by group
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
                    kMostAtOneLocation * static_cast<double>(sums.total[group].weight);
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

// One greedy selection of entries, at one threshold.
class HotPathPicker {
 public:
  HotPathPicker(const Reduced& reduced,
                const TreeChildren<CallPaths>& children,
                const GroupCosts& sums,
                int64_t whole)
      : reduced_(reduced),
        children_(children),
        sums_(sums),
        whole_(whole),
        own_(reduced.own),
        rest_(reduced.rest) {}

  // Changes which functions are too general, and continues with what the entries leave.
  void set_general(std::vector<bool> is_general) { is_general_ = std::move(is_general); }

  // False if there were more than `most` entries.
  bool pick(double threshold, size_t most) {
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
  // Covers a rest that is spread over small functions: takes the most specific functions that
  // contain enough of it, even general ones.
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
  const std::vector<HotEntry>& entries() const { return entries_; }
  // The entry of the node's own samples, or of its samples in small functions below.
  uint32_t entry_of(CallNode node, bool own) const {
    return own ? own_entry_[node.index()] : rest_entry_[node.index()];
  }

 private:
  struct Left {
    int64_t own = 0;
    int64_t total = 0;
  };

  // Computes the remaining cost of each function. A function is on a path once, so a sample counts
  // at most once for it.
  void count_left() {
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
  }

  // By group: the remaining cost of `callee` that is below this group.
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

  // Whether the group is only a small part of a caller that would be a better entry: syslog rather
  // than one of the fifty functions below it.
  bool is_in_summary(size_t group) {
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

  // Whether few clear costs below the group make up nearly all of it: they are better entries. A
  // chain of functions with one callee each counts as its last function.
  bool is_transparent(size_t group) {
    if (!transparent_[group]) {
      transparent_[group] = is_made_of_clear_costs(group);
    }
    return *transparent_[group];
  }

  bool is_made_of_clear_costs(size_t group) const {
    auto total = static_cast<double>(left_[group].total);
    std::vector<CallNode> nodes = reduced_.nodes_of_group[group];
    while (true) {
      std::map<GroupId, Callees> callees = callees_of(nodes);
      int64_t own = 0;
      for (CallNode node : nodes) {
        own += own_[node.index()];
      }
      auto largest = std::ranges::max_element(
          callees, {}, [](const auto& callee) { return callee.second.total; });
      if (largest == callees.end() ||
          static_cast<double>(largest->second.total) < kSameCost * total) {
        return 2 * static_cast<double>(own) < total &&
               clear_part(callees, own) >= kMadeOfClear * total;
      }
      nodes = std::move(largest->second.nodes);
    }
  }

  struct Callees {
    int64_t total = 0;
    std::vector<CallNode> nodes;
  };
  // The cost of the parts that are clear: all large ones, or else the two heaviest if they are not
  // too small.
  double clear_part(const std::map<GroupId, Callees>& callees, int64_t own) const {
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

  // By function: the calls directly below the nodes.
  std::map<GroupId, Callees> callees_of(const std::vector<CallNode>& nodes) const {
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

  // Whether most of the group is one callee that costs more in total than the group does. The
  // callee is the better entry: it accounts for more, and replaces an entry for each of its
  // callers.
  bool is_caller_in_summary(size_t group) const {
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
          left_[callee].total > left_[group].total && !is_general_[callee]) {
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

  // First the functions whose own code is at least half of their cost, heaviest first. Then the
  // others, most specific first: the most specific function has the smallest cost.
  Choice choose(int64_t least) {
    Choice own;
    Choice spread{.cost = INT64_MAX};
    for (size_t group = 0; group < left_.size(); ++group) {
      const Left& left = left_[group];
      bool general = is_general_[group];
      bool mostly_own = general || 2 * left.own >= left.total;
      int64_t cost = general ? left.own : left.total;
      bool better = mostly_own ? cost > own.cost : cost < spread.cost;
      if (cost < least || !better || (!general && is_in_summary(group)) ||
          (!mostly_own && (is_caller_in_summary(group) || is_transparent(group)))) {
        continue;
      }
      (mostly_own ? own : spread) = {group, cost, general};
    }
    return own.group != SIZE_MAX ? own : spread;
  }

  // The group with the smallest remaining cost among those that have `enough`; if none has, the
  // group with the largest. Of two equal groups, the deeper one.
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
    size_t group = spread ? outermost_with_same_cost(choice.group) : choice.group;
    take(GroupId::from_index(group), choice.itself);
  }

  // The outermost caller with nearly the same remaining cost as the group.
  size_t outermost_with_same_cost(size_t group) const {
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

  void take(GroupId group, bool itself) {
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

  const Reduced& reduced_;
  const TreeChildren<CallPaths>& children_;
  std::vector<bool> is_general_;  // by group: too general for an entry with its callees
  const GroupCosts& sums_;
  int64_t whole_;
  std::vector<int64_t> own_;
  std::vector<int64_t> rest_;
  std::vector<int64_t> totals_;                   // by node: remaining cost in it and below
  std::vector<Left> left_;                        // by group
  std::vector<std::optional<bool>> transparent_;  // by group; none if not computed yet
  std::vector<uint32_t> own_entry_;
  std::vector<uint32_t> rest_entry_;
  std::vector<HotEntry> entries_;
  int64_t covered_ = 0;
};

// Assigns every stack to its entry, and sorts the entries.
HotSummary assign(const HotPathPicker& picker, const Reduced& reduced, const StackCosts& costs) {
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

// Adds entries to `start`: those for the largest threshold that covers the goal. If none does, those
// that cover most with `most` entries, but none below `smallest`.
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
  Reduced reduced = reduce(profile, groups, costs, matters);
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
