// SPDX-License-Identifier: Apache-2.0
#include "analyze/listing.h"

#include <algorithm>

#include <fmt/format.h>

namespace wick {
namespace {

constexpr uint32_t kNoRow = UINT32_MAX;

}  // namespace

uint32_t Listing::add_row(
    uint32_t parent, const std::string& name, const std::string& module, Cost self, Cost total) {
  auto row = static_cast<uint32_t>(parents_.size());
  parents_.push_back(parent == kNoRow ? row : parent);
  names_.text.push_back(name);
  modules_.text.push_back(module);
  relations_.text.push_back(relation_);
  selfs_.push_back(self);
  totals_.push_back(total);
  return row;
}

void Listing::add_root(const std::string& name,
                       const Cost& self,
                       const Cost& total,
                       std::string_view relation,
                       bool late) {
  relation_ = relation;
  has_relations_ = has_relations_ || !relation.empty();
  add_row(kNoRow, name, "", self, total);
  add_mark(late);
}

void Listing::add_mark(bool late) {
  marks_.text.push_back(late ? kLateMark : "");
  marks_late_ = marks_late_ || late;
}

bool Listing::is_late(const CallTree& tree, LeavesAre leaves, const Pending& row) const {
  bool ends_stacks = leaves == LeavesAre::kRoots
                         ? row.depth == 0
                         : leaves == LeavesAre::kWithSelf && tree.self[row.node.index()].weight > 0;
  return ends_stacks && !options_.late.empty() && options_.late[tree.paths.label(row.node).index()];
}

const std::string& Listing::name_of(const CallTree& tree, CallNode node) const {
  return groups_[tree.paths.label(node)].name;
}

void Listing::push_children(const CallTree& tree,
                            const TreeChildren<CallPaths>& children,
                            CallNode node,
                            uint32_t row,
                            uint32_t depth,
                            std::vector<Pending>& pending) {
  Pending rest{.node = {}, .parent_row = row, .depth = depth};
  std::vector<CallNode> kept;
  bool too_deep = options_.max_depth > 0 && depth >= options_.max_depth;
  for (CallNode child = children.first(node); child.valid(); child = children.next(child)) {
    const Cost& total = tree.total[child.index()];
    if (too_deep || measure_.share(total.weight) < options_.min_share) {
      rest.folded += 1;
      rest.folded_cost += total;
    } else {
      kept.push_back(child);
    }
  }
  // The stack is popped from its end: folded branches go in first, then the lightest.
  std::ranges::sort(kept, [&](CallNode a, CallNode b) {
    int64_t left = tree.total[a.index()].weight;
    int64_t right = tree.total[b.index()].weight;
    return left != right ? left < right : name_of(tree, a) > name_of(tree, b);
  });
  if (rest.folded_cost.weight > 0) {
    pending.push_back(rest);
  }
  for (CallNode child : kept) {
    pending.push_back({child, row, depth});
  }
}

void Listing::add_branches(const CallTree& tree, LeavesAre leaves, std::string_view relation) {
  relation_ = relation;
  has_relations_ = has_relations_ || !relation.empty();
  TreeChildren<CallPaths> children(tree.paths);
  std::vector<Pending> pending;
  push_children(tree, children, CallPaths::kRoot, kNoRow, 0, pending);
  while (!pending.empty()) {
    Pending next = pending.back();
    pending.pop_back();
    if (!next.node.valid()) {
      folded_ += next.folded;
      std::string name = fmt::format("({} more)", next.folded);
      add_row(next.parent_row, name, "", {}, next.folded_cost);
      add_mark(false);
      continue;
    }
    const Group& group = groups_[tree.paths.label(next.node)];
    uint32_t row = add_row(next.parent_row,
                           group.name,
                           group.module,
                           tree.self[next.node.index()],
                           tree.total[next.node.index()]);
    add_mark(is_late(tree, leaves, next));
    push_children(tree, children, next.node, row, next.depth + 1, pending);
  }
}

Tree Listing::finish() {
  Tree tree;
  std::vector<ReportColumn>& columns = tree.nodes.columns;
  columns.push_back(weight_column(measure_, "total", ColumnRole::kTotal, totals_));
  columns.push_back(share_column(measure_, "total", ColumnRole::kTotal, totals_));
  if (options_.show_self) {
    columns.push_back(weight_column(measure_, "self", ColumnRole::kSelf, selfs_));
    ReportColumn self_share = share_column(measure_, "self", ColumnRole::kSelf, selfs_);
    self_share.low.clear();  // one interval a row is enough
    self_share.high.clear();
    columns.push_back(std::move(self_share));
  }
  if (options_.show_samples) {
    columns.push_back(samples_column(totals_));
  }
  if (has_relations_) {
    columns.push_back(std::move(relations_));
  }
  columns.push_back(std::move(names_));
  if (marks_late_) {
    columns.push_back(std::move(marks_));
  }
  if (groups_.has_modules()) {
    columns.push_back(std::move(modules_));
  }
  tree.parent = std::move(parents_);
  return tree;
}

}  // namespace wick
