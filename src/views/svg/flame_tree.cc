// SPDX-License-Identifier: Apache-2.0
#include "views/svg/flame_tree.h"

#include <algorithm>

#include "base/check.h"

namespace wick {
namespace {

const TextValues* texts(const Table& nodes, ColumnRole role) {
  const ReportColumn* column = nodes.find(role, ColumnKind::kText);
  return column == nullptr ? nullptr : &column->text;
}

std::span<const double> weights(const Table& nodes, ColumnRole role) {
  const ReportColumn* column = nodes.find(role, ColumnKind::kWeight);
  return column == nullptr ? std::span<const double>() : column->numbers;
}

// If so, the picture can also show the widths of each side: it contains every frame of both.
bool totals_are_means(const FlameTree& flame) {
  if (flame.before.size() != flame.total.size() || flame.after.size() != flame.total.size()) {
    return false;
  }
  for (size_t row = 0; row < flame.size(); ++row) {
    if (flame.total[row] != (flame.before[row] + flame.after[row]) / 2) {
      return false;
    }
  }
  return flame.size() > 0;
}

}  // namespace

Result<const Tree*> first_tree(const Report& report) {
  auto is_tree = [](const Section& section) { return std::holds_alternative<Tree>(section.body); };
  auto section = std::ranges::find_if(report.sections, is_tree);
  if (section == report.sections.end()) {
    return fail(
        "This report has no call tree, so it cannot be drawn as a flame graph. `wick flame` makes "
        "one from the same input; --json and --csv write any report.");
  }
  return &std::get<Tree>(section->body);
}

Result<FlameTree> flame_tree(const Tree& tree) {
  const Table& nodes = tree.nodes;
  bool has_weights = nodes.find(ColumnRole::kTotal, ColumnKind::kWeight) != nullptr &&
                     nodes.find(ColumnRole::kSelf, ColumnKind::kWeight) != nullptr;
  if (nodes.find(ColumnRole::kName, ColumnKind::kText) == nullptr || !has_weights) {
    return fail(
        "The tree of this report has no names with total and self, so it cannot be drawn as a "
        "flame graph; --json or --csv write any report.");
  }
  FlameTree flame;
  flame.parent = tree.parent;
  flame.name = texts(nodes, ColumnRole::kName);
  flame.total = weights(nodes, ColumnRole::kTotal);
  flame.self = weights(nodes, ColumnRole::kSelf);
  flame.delta = weights(nodes, ColumnRole::kChange);
  flame.before = weights(nodes, ColumnRole::kBefore);
  flame.after = weights(nodes, ColumnRole::kAfter);
  flame.start = weights(nodes, ColumnRole::kStart);
  flame.module = texts(nodes, ColumnRole::kModule);
  flame.kind = texts(nodes, ColumnRole::kCategory);
  flame.mark = texts(nodes, ColumnRole::kMark);
  for (const ReportColumn& column : nodes.columns) {
    CHECK(column.size() == tree.parent.size());
  }
  flame.is_mean_of_sides = totals_are_means(flame);
  return flame;
}

}  // namespace wick
