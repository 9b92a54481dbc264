#include "views/svg/flame_tree.h"

#include <algorithm>

#include "base/check.h"

namespace wick {
namespace {

const TextValues* text_column(const Table& nodes, std::string_view name) {
  const ReportColumn* column = nodes.find(name);
  return column != nullptr && column->kind == ColumnKind::kText ? &column->text : nullptr;
}

std::span<const double> number_column(const Table& nodes, std::string_view name) {
  const ReportColumn* column = nodes.find(name);
  if (column == nullptr || column->kind == ColumnKind::kText) {
    return {};
  }
  return column->numbers;
}

// Then each side's own widths can be shown as well, and nothing that one side has is missing.
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

bool has_column(const Table& nodes, std::string_view name, bool is_text) {
  const ReportColumn* column = nodes.find(name);
  return column != nullptr && (column->kind == ColumnKind::kText) == is_text;
}

}  // namespace

Result<FlameTree> flame_tree(const Report& report) {
  auto is_tree = [](const Section& section) { return std::holds_alternative<Tree>(section.body); };
  auto section = std::ranges::find_if(report.sections, is_tree);
  if (section == report.sections.end()) {
    return fail(
        "This report has no call tree, so it cannot be drawn as a flame graph. `wick flame` makes "
        "one from the same input; --json and --csv write any report.");
  }
  const Tree& tree = std::get<Tree>(section->body);
  const Table& nodes = tree.nodes;
  if (!has_column(nodes, "name", true) || !has_column(nodes, "total", false) ||
      !has_column(nodes, "self", false)) {
    return fail(
        "The tree of this report has no columns name, total and self, so it cannot be drawn as a "
        "flame graph; --json or --csv write any report.");
  }
  FlameTree flame;
  flame.parent = tree.parent;
  flame.name = text_column(nodes, "name");
  flame.total = number_column(nodes, "total");
  flame.self = number_column(nodes, "self");
  flame.delta = number_column(nodes, "delta");
  flame.before = number_column(nodes, "before");
  flame.after = number_column(nodes, "after");
  flame.start = number_column(nodes, "start");
  flame.module = text_column(nodes, "module");
  flame.kind = text_column(nodes, "kind");
  for (const ReportColumn& column : nodes.columns) {
    CHECK(column.size() == tree.parent.size());
  }
  flame.is_mean_of_sides = totals_are_means(flame);
  return flame;
}

}  // namespace wick
