// SPDX-License-Identifier: Apache-2.0
// A call tree as rows for reading: heaviest first, small branches folded into one row with their
// number and cost. So the self of a parent and the rows below it always add up to the parent.
#pragma once

#include <string>
#include <vector>

#include "analyze/call_tree.h"
#include "analyze/summary.h"
#include "report/report.h"

namespace wick {

struct ListingOptions {
  double min_share = 0.005;  // of the whole profile; smaller branches are folded
  size_t max_depth = 0;      // 0 for no limit
  bool show_self = true;     // off where self has no meaning (bottom up)
  bool show_samples = true;  // off where nothing was sampled
};

// Collects rows of one or more call trees into one report tree.
class Listing {
 public:
  Listing(const FrameGroups& groups, const Measure& measure, ListingOptions options)
      : groups_(groups), measure_(measure), options_(options) {}

  // Lists the branches below the tree's root as roots. `relation` is the text of that column, if
  // given.
  void add_branches(const CallTree& tree, std::string_view relation = {});
  // Adds a single row.
  void add_root(const std::string& name,
                const Cost& self,
                const Cost& total,
                std::string_view relation);

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
  ReportColumn relations_ = text_column("relation", "relation");
  size_t folded_ = 0;
  bool has_relations_ = false;
};

}  // namespace wick
