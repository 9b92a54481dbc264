// SPDX-License-Identifier: Apache-2.0
// The greedy selection of entries for `wick hot`, on a reduced call tree.
//
//     pick        for one threshold: takes the best function, gives it its samples, subtracts them
//                 from all others, and repeats until no function has enough left. Functions that are
//                 mostly own code come first, heaviest first; then the others, smallest first, since
//                 the smallest cost is the most specific function. A function is not an entry if few
//                 clear costs below it make up nearly all of it (is_transparent): they are. If one
//                 callee has most of its cost, that is the entry.
//     complete    takes the most specific functions that contain enough of the rest, even general
//                 ones
//
// Invariant: take() moves samples out of own_ and rest_ into an entry and never changes the owner
// of a node. So no sample counts twice, and the entries never exceed the whole.
//
// A chain of 100,000 functions has as many candidates for each entry. So the conditions first look
// at values that one pass over the tree computes (most_below_, best_caller()), or jump along a path
// (HeaviestPaths), and look at all nodes only where these do not decide.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "analyze/hot/heaviest_paths.h"
#include "analyze/hot/hot_functions.h"
#include "analyze/hot/reduced_tree.h"

namespace wick {

// The thresholds: the share that a function must have to become an entry, largest first. A function
// below the last one never becomes an entry.
inline constexpr std::array kThresholds = {
    0.25, 0.2, 0.16, 0.13, 0.1, 0.08, 0.06, 0.05, 0.04, 0.03, 0.025, 0.02, 0.015, 0.01};
// A cost that is an entry of its own and not a part of a larger one. Only such entries are retained
// when a larger limit of kTooGeneral is tried.
inline constexpr double kClear = 0.125;

// One greedy selection of entries, at one threshold.
class HotPathPicker {
 public:
  HotPathPicker(const ReducedTree& reduced,
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
  bool pick(double threshold, size_t most);
  // Covers a rest that is spread over small functions: takes the most specific functions that
  // contain enough of it, even general ones.
  void complete(double cover, size_t most);
  int64_t covered() const { return covered_; }
  const std::vector<HotEntry>& entries() const { return entries_; }
  // The entry of the node's own samples, or of its samples in small functions below.
  uint32_t entry_of(CallNode node, bool own) const;

 private:
  struct Left {
    int64_t own = 0;
    int64_t total = 0;
  };

  // Computes the remaining cost of each function. A function is on a path once, so a sample counts
  // at most once for it.
  void count_left();

  // By group: the remaining cost of `callee` that is below this group.
  std::vector<int64_t> cost_below_callers(size_t callee) const;

  // Whether the group is only a small part of a caller that would be a better entry: syslog rather
  // than one of the fifty functions below it.
  bool is_in_summary(size_t group);

  // Whether few clear costs below the group make up nearly all of it: they are better entries. A
  // chain of functions with one callee each counts as its last function.
  bool is_transparent(size_t group);

  bool is_made_of_clear_costs(size_t group) const;

  struct Callees {
    int64_t total = 0;
    std::vector<CallNode> nodes;
  };
  // The cost of the parts that are clear: all large ones, or else the two heaviest if they are not
  // too small.
  double clear_part(const std::map<GroupId, Callees>& callees, int64_t own) const;

  // By function: the calls directly below the nodes.
  std::map<GroupId, Callees> callees_of(const std::vector<CallNode>& nodes) const;
  struct Callee {
    GroupId group;  // none if there are no calls
    Callees calls;
  };
  // The function with most cost directly below the nodes.
  Callee largest_callee(const std::vector<CallNode>& nodes) const;

  // The largest cost of a caller of the node that could be a better entry: neither too general nor
  // transparent. 0 if there is none.
  int64_t best_caller(CallNode node);

  // Whether most of the group is one callee that costs more in total than the group does. The
  // callee is the better entry: it accounts for more, and replaces an entry for each of its
  // callers.
  bool is_caller_in_summary(size_t group) const;

  struct Choice {
    size_t group = SIZE_MAX;
    int64_t cost = 0;
    bool itself = false;
  };

  // First the functions whose own code is at least half of their cost, heaviest first. Then the
  // others, most specific first: the most specific function has the smallest cost.
  Choice choose(int64_t least);

  // The group with the smallest remaining cost among those that have `enough`; if none has, the
  // group with the largest. Of two equal groups, the deeper one.
  size_t narrowest(int64_t enough) const;

  // Takes the function that describes the chosen cost best. It must not depend on the threshold at
  // which a function was chosen: a caller with a little more cost reaches a threshold first.
  void add(const Choice& choice);
  // Whether less than half of the group's remaining cost is its own code.
  bool is_spread(size_t group) const { return 2 * left_[group].own < left_[group].total; }

  // The callee with most of the group's remaining cost, followed as long as there is one.
  size_t innermost_with_most(size_t group) const;
  // The outermost caller with nearly the same remaining cost as the group.
  size_t outermost_with_same_cost(size_t group) const;

  void take(GroupId group, bool itself);

  const ReducedTree& reduced_;
  const TreeChildren<CallPaths>& children_;
  std::vector<bool> is_general_;  // by group: too general for an entry with its callees
  const GroupCosts& sums_;
  int64_t whole_;
  std::vector<int64_t> own_;
  std::vector<int64_t> rest_;
  std::vector<int64_t> totals_;  // by node: remaining cost in it and below
  std::vector<Left> left_;       // by group
  HeaviestPaths heaviest_;
  std::vector<int64_t>
      most_below_;  // by node: largest cost of a function below that can be an entry
  std::vector<int64_t> best_caller_;              // by node; -1 if not computed yet
  std::vector<std::optional<bool>> transparent_;  // by group; none if not computed yet
  std::vector<uint32_t> own_entry_;
  std::vector<uint32_t> rest_entry_;
  std::vector<HotEntry> entries_;
  int64_t covered_ = 0;
};

}  // namespace wick
