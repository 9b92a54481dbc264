// SPDX-License-Identifier: Apache-2.0
#include "analyze/diff/picture.h"

#include <algorithm>
#include <numeric>

#include "analyze/depth_first.h"
#include "analyze/diff/inputs.h"
#include "report/columns.h"

namespace wick {
namespace {

// Depth first, siblings by name.
std::vector<CallNode> drawing_order(const AlignedRuns& aligned, const std::vector<double>& widths) {
  auto name = [&](CallNode node) -> const std::string& {
    return aligned.groups[aligned.paths.label(node).index()].name;
  };
  return depth_first(
      aligned.paths,
      [&](CallNode a, CallNode b) { return name(a) < name(b); },
      [&](CallNode node) { return widths[node.index()] > 0; });
}

ReportColumn numbers(const std::string& name,
                     ColumnRole role,
                     const std::vector<CallNode>& rows,
                     const std::vector<double>& values) {
  ReportColumn column = weight_column(name, name, role);
  column.numbers.reserve(rows.size());
  for (CallNode node : rows) {
    column.numbers.push_back(values[node.index()]);
  }
  return column;
}

template <typename TextOf>
ReportColumn texts(const std::string& name,
                   ColumnRole role,
                   const AlignedRuns& aligned,
                   const std::vector<CallNode>& rows,
                   std::string root,
                   TextOf text_of) {
  ReportColumn column = text_column(name, name, role);
  for (const Group& group : aligned.groups) {
    column.text.add_value(text_of(group));
  }
  uint32_t root_value = column.text.add_value(std::move(root));
  for (CallNode node : rows) {
    GroupId label = aligned.paths.label(node);
    column.text.push_value(label.valid() ? label.value : root_value);
  }
  return column;
}

// The cost of each node on one side: self and total.
struct Costs {
  std::vector<double> self;
  std::vector<double> total;
};

Costs side_costs(const AlignedRuns& aligned, const Measuring& measuring, size_t side) {
  double factor = measuring.as() == DiffAs::kShare ? 100 : 1;
  Costs costs;
  for (size_t row = 0; row < aligned.rows(); ++row) {
    costs.self.push_back(factor * measuring.mean(side, Measured::kSelf, row));
  }
  costs.total = costs.self;
  for (size_t row = costs.total.size(); row-- > 1;) {
    costs.total[aligned.paths.parent(CallNode::from_index(row)).index()] += costs.total[row];
  }
  return costs;
}

std::vector<double> width_of(const std::vector<double>& before,
                             const std::vector<double>& after,
                             FlameWidth width) {
  std::vector<double> result(before.size());
  for (size_t i = 0; i < result.size(); ++i) {
    result[i] = width == FlameWidth::kBefore  ? before[i]
                : width == FlameWidth::kAfter ? after[i]
                                              : (before[i] + after[i]) / 2;
  }
  return result;
}

}  // namespace

Section difference_picture(std::span<const Side> sides,
                           const DiffOptions& options,
                           const AlignOptions& uniting) {
  AlignOptions by_path = uniting;
  by_path.by = DiffBy::kPath;
  by_path.clustering = false;
  AlignedRuns aligned = align(sides.subspan(0, 2), by_path);
  Measuring measuring(options.as, per_side(options, 2), aligned);
  Costs before = side_costs(aligned, measuring, 0);
  Costs after = side_costs(aligned, measuring, 1);
  std::vector<double> totals = width_of(before.total, after.total, options.flame_width);
  std::vector<double> selves = width_of(before.self, after.self, options.flame_width);
  std::vector<double> deltas(before.self.size());
  for (size_t i = 0; i < deltas.size(); ++i) {
    deltas[i] = after.self[i] - before.self[i];
  }
  std::vector<CallNode> rows = drawing_order(aligned, totals);
  std::vector<uint32_t> row_of(aligned.paths.size());
  Tree tree;
  for (uint32_t row = 0; row < rows.size(); ++row) {
    row_of[rows[row].index()] = row;
    tree.parent.push_back(row_of[aligned.paths.parent(rows[row]).index()]);
  }
  tree.nodes.columns = {
      texts("name",
            ColumnRole::kName,
            aligned,
            rows,
            "all",
            [](const Group& group) { return group.name; }),
      numbers("total", ColumnRole::kTotal, rows, totals),
      numbers("self", ColumnRole::kSelf, rows, selves),
      numbers("before", ColumnRole::kBefore, rows, before.total),
      numbers("after", ColumnRole::kAfter, rows, after.total),
      numbers("delta", ColumnRole::kChange, rows, deltas),
      texts("module", ColumnRole::kModule, aligned, rows, "", [](const Group& group) {
        return group.module;
      })};
  std::string title = fmt::format("{} against {}", sides[0].name, sides[1].name);
  return {"flame", std::move(title), std::move(tree)};
}

}  // namespace wick
