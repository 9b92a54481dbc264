#include "report/report.h"

#include <algorithm>

#include "base/check.h"

namespace wick {
namespace {

ReportColumn count_column(const std::string& name, const auto& values) {
  ReportColumn column{.name = name, .title = name, .kind = ColumnKind::kCount};
  column.numbers.assign(values.begin(), values.end());
  return column;
}

Table tree_table(const Tree& tree) {
  Table table;
  table.columns.push_back(count_column("depth", node_depths(tree)));
  table.columns.push_back(count_column("parent", tree.parent));
  table.columns.insert(table.columns.end(), tree.nodes.columns.begin(), tree.nodes.columns.end());
  return table;
}

Table series_table(const Series& series) {
  Table table;
  table.columns.push_back(count_column("time_ns", series.time_ns));
  table.columns.insert(table.columns.end(), series.lines.begin(), series.lines.end());
  return table;
}

Table edge_table(const Graph& graph) {
  std::vector<uint32_t> from;
  std::vector<uint32_t> to;
  for (auto [source, target] : graph.edges) {
    from.push_back(source);
    to.push_back(target);
  }
  Table table;
  table.columns.push_back(count_column("from", from));
  table.columns.push_back(count_column("to", to));
  table.columns.insert(
      table.columns.end(), graph.edge_values.columns.begin(), graph.edge_values.columns.end());
  return table;
}

}  // namespace

void TextValues::push_back(std::string_view text) {
  // Runs of one value are common (a module column); a full search is not worth its memory here.
  if (rows_.empty() || values_[rows_.back()] != text) {
    add_value(std::string(text));
    rows_.push_back(static_cast<uint32_t>(values_.size() - 1));
  } else {
    rows_.push_back(rows_.back());
  }
}

uint32_t TextValues::add_value(std::string text) {
  values_.push_back(std::move(text));
  return static_cast<uint32_t>(values_.size() - 1);
}

const ReportColumn* Table::find(std::string_view name) const {
  auto found = std::ranges::find(columns, name, &ReportColumn::name);
  return found == columns.end() ? nullptr : &*found;
}

std::vector<uint32_t> node_depths(const Tree& tree) {
  std::vector<uint32_t> depths(tree.parent.size());
  for (size_t node = 0; node < depths.size(); ++node) {
    uint32_t parent = tree.parent[node];
    CHECK(parent <= node);
    depths[node] = parent == node ? 0 : depths[parent] + 1;
  }
  return depths;
}

std::vector<Section> as_tables(const Section& section) {
  if (const auto* tree = std::get_if<Tree>(&section.body)) {
    return {{section.name, section.title, tree_table(*tree)}};
  }
  if (const auto* series = std::get_if<Series>(&section.body)) {
    return {{section.name, section.title, series_table(*series)}};
  }
  if (const auto* graph = std::get_if<Graph>(&section.body)) {
    return {{section.name, section.title, graph->nodes},
            {section.name + "_edges", section.title + ": edges", edge_table(*graph)}};
  }
  return {section};
}

}  // namespace wick
