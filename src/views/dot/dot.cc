// SPDX-License-Identifier: Apache-2.0
#include "views/dot/dot.h"

#include <algorithm>
#include <cmath>

#include "base/escape.h"
#include "views/numbers.h"

namespace wick {
namespace {

// A quoted text: backslashes are doubled, so that names contain no escapes of Graphviz.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : terminal_text(text)) {
    if (c == '"' || c == '\\') {
      result += '\\';
    }
    result += c;
  }
  return result + "\"";
}

std::string node_text(const Table& nodes, size_t row) {
  const ReportColumn* name = nodes.find(ColumnRole::kName);
  std::string text(name != nullptr ? name->text[row] : std::string());
  for (const ReportColumn& column : nodes.columns) {
    if (column.kind != ColumnKind::kText && !std::isnan(column.numbers[row])) {
      text += fmt::format("  {} {}", column.title, plain_number(column.numbers[row]));
    }
  }
  return text;
}

const ReportColumn* first_numbers(const Table& table) {
  auto found = std::ranges::find_if(
      table.columns, [](const ReportColumn& column) { return column.kind != ColumnKind::kText; });
  return found == table.columns.end() ? nullptr : &*found;
}

void write_graph(const Section& section, const Graph& graph, Output& out) {
  out.print("digraph {} {{\n  node [shape=box, fontname=\"monospace\"];\n", quoted(section.title));
  for (size_t row = 0; row < graph.nodes.rows(); ++row) {
    out.print("  n{} [label={}];\n", row, quoted(node_text(graph.nodes, row)));
  }
  const ReportColumn* numbers = first_numbers(graph.edge_values);
  double most = 0;
  for (size_t row = 0; numbers != nullptr && row < graph.edges.size(); ++row) {
    most = std::max(most, numbers->numbers[row]);
  }
  for (size_t row = 0; row < graph.edges.size(); ++row) {
    auto [from, to] = graph.edges[row];
    double number = numbers == nullptr ? 0 : numbers->numbers[row];
    out.print("  n{} -> n{} [label={}, penwidth={:.1f}];\n",
              from,
              to,
              quoted(numbers == nullptr ? "" : plain_number(number)),
              most > 0 ? 0.5 + 4 * number / most : 1);
  }
  out.write("}\n");
}

}  // namespace

Result<> write_dot(const Report& report, const FlagValues&, Output& out) {
  bool has_graph = false;
  for (const Section& section : report.sections) {
    if (const auto* graph = std::get_if<Graph>(&section.body)) {
      write_graph(section, *graph, out);
      has_graph = true;
    }
  }
  if (!has_graph) {
    return fail("This report has no graph to draw; `wick flow FILE --dot` has one.");
  }
  return {};
}

}  // namespace wick
