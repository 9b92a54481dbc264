// SPDX-License-Identifier: Apache-2.0
// A call tree as rows for reading: heaviest first, small branches folded into one row with their
// number and cost. So the self of a parent and the rows below it always add up to the parent.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analyze/call_tree.h"
#include "analyze/late_groups.h"
#include "analyze/summary.h"
#include "report/report.h"

namespace wick {

struct ListingOptions {
  double min_share = 0.005;     // of the whole profile; smaller branches are folded
  size_t max_depth = 0;         // 0 for no limit
  bool show_self = true;        // off where self has no meaning (bottom up)
  bool show_samples = true;     // off where nothing was sampled
  std::vector<bool> late = {};  // by group (late_groups.h)
};

// Which nodes of a tree end stacks, so that a mark about samples applies to them.
enum class LeavesAre : uint8_t {
  kWithSelf,  // the nodes with a self: top down
  kRoots,     // bottom up
  kNone,      // the tree has callers only
};

// Collects rows of one or more call trees into one report tree.
class Listing {
 public:
  Listing(const FrameGroups& groups, const Measure& measure, ListingOptions options)
      : groups_(groups), measure_(measure), options_(std::move(options)) {}

  // Lists the branches below the tree's root as roots. `relation` is the text of that column, if
  // given.
  void add_branches(const CallTree& tree,
                    LeavesAre leaves = LeavesAre::kWithSelf,
                    std::string_view relation = {});
  // Adds a single row.
  void add_root(const std::string& name,
                const Cost& self,
                const Cost& total,
                std::string_view relation,
                bool late = false);

  // Whether a row has the mark of late samples.
  bool marks_late() const { return marks_late_; }
  Tree finish();
  size_t folded() const { return folded_; }

 private:
  struct Pending {
    CallNode node;  // none for a row of folded branches
    uint32_t parent_row;
    uint32_t depth;
    uint32_t folded = 0;
    Cost folded_cost = {};
  };
  uint32_t add_row(
      uint32_t parent, const std::string& name, const std::string& module, Cost self, Cost total);
  void add_mark(bool late);
  bool is_late(const CallTree& tree, LeavesAre leaves, const Pending& row) const;
  const std::string& name_of(const CallTree& tree, CallNode node) const;
  void push_children(const CallTree& tree,
                     const TreeChildren<CallPaths>& children,
                     CallNode node,
                     uint32_t row,
                     uint32_t depth,
                     std::vector<Pending>& pending);

  const FrameGroups& groups_;
  const Measure& measure_;
  ListingOptions options_;
  std::string relation_;
  std::vector<uint32_t> parents_;
  std::vector<Cost> selfs_;
  std::vector<Cost> totals_;
  ReportColumn names_ = name_column("function");
  ReportColumn modules_ = module_column();
  ReportColumn relations_ = text_column("relation", "relation", ColumnRole::kRelation);
  ReportColumn marks_ = late_column();
  size_t folded_ = 0;
  bool marks_late_ = false;
  bool has_relations_ = false;
};

}  // namespace wick
