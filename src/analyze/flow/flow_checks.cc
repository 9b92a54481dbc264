// SPDX-License-Identifier: Apache-2.0
// How far to trust the branches: what rounds cost, which branches the newest entry has too often,
// which blocks are left less often than entered, and which entries were dropped.
#include <algorithm>
#include <cmath>
#include <map>

#include "analyze/flow/flow_report.h"

namespace wick::flow_parts {
namespace {

constexpr size_t kBiasListed = 20;
// A branch is called biased if chance gives that many newest entries less often than once in 10^6.
constexpr double kBiasDeviations = 5;
constexpr double kBiasRatio = 1.5;

}  // namespace

Table FlowReport::rounds_table() {
  ReportColumn what = name_column("cycles of");
  ReportColumn seen = count_column("seen", "seen");
  std::array<std::pair<const char*, double>, 3> parts = {
      {{"p5", 0.05}, {"p50", 0.5}, {"p95", 0.95}}};
  std::array<ReportColumn, 3> columns;
  for (size_t i = 0; i < parts.size(); ++i) {
    columns[i] = count_column(parts[i].first, fmt::format("{:.0f} %", 100 * parts[i].second));
  }
  auto add = [&](const char* name, std::vector<uint64_t>& values) {
    if (values.empty()) {
      return;
    }
    std::ranges::sort(values);
    what.text.push_back(name);
    seen.numbers.push_back(number(values.size()));
    for (size_t i = 0; i < parts.size(); ++i) {
      auto at = static_cast<size_t>(parts[i].second * number(values.size() - 1));
      columns[i].numbers.push_back(number(values[at]));
    }
  };
  add("a whole stack", counts_.cycles_of_stacks);
  if (!cycles_.empty()) {
    RoundLengths rounds(cycles_[0]);
    stacks_.visit(rounds);
    add("a round of the dominant cycle", rounds.lengths);
  }
  Table table;
  append(table, {&what, &columns[0], &columns[1], &columns[2], &seen});
  return table;
}

Table FlowReport::bias_table() {
  struct Row {
    FlowEdgeId edge;
    double excess;
    double newest;
    double inside;
  };
  std::vector<Row> rows;
  double stacks = 0;
  for (const EdgeCost& edge : counts_.edges) {
    stacks += number(edge.newest);
  }
  double others = number(counts_.entries) - stacks;
  for (size_t row = 0; row < counts_.edges.size() && others > 0; ++row) {
    const EdgeCost& edge = counts_.edges[row];
    double newest = ratio(number(edge.newest), stacks);
    double inside = number(edge.count - edge.newest) / others;
    double expected = inside * stacks;
    bool is_biased = number(edge.newest) > kBiasRatio * expected &&
                     number(edge.newest) - expected > kBiasDeviations * std::sqrt(expected + 1);
    if (is_biased && is_wanted(FlowEdgeId::from_index(row))) {
      rows.push_back({FlowEdgeId::from_index(row), number(edge.newest) - expected, newest, inside});
    }
  }
  biased_ = rows.size();
  std::ranges::stable_sort(rows, std::ranges::greater(), &Row::excess);
  rows.resize(std::min(rows.size(), kBiasListed));
  ReportColumn newest = share_column("newest_share", "newest entries");
  ReportColumn inside = share_column("other_share", "other entries");
  ReportColumn code = name_column("branch");
  ReportColumn to_code = text_column("to_code", "to");
  for (const Row& row : rows) {
    newest.numbers.push_back(row.newest);
    inside.numbers.push_back(row.inside);
    code.text.push_back(code_at(stacks_.edges()[row.edge].from));
    to_code.text.push_back(code_at(stacks_.edges()[row.edge].to));
  }
  Table table;
  append(table, {&newest, &inside, &code, &to_code});
  return table;
}

Table FlowReport::unbalanced_table() const {
  std::map<PositionId, std::pair<uint64_t, uint64_t>> by_target;
  for (size_t row = 0; row < counts_.edges.size(); ++row) {
    const EdgeCost& edge = counts_.edges[row];
    if (edge.entered != edge.left) {
      auto& [entered, left] = by_target[stacks_.edges()[FlowEdgeId::from_index(row)].to];
      entered += edge.entered;
      left += edge.left;
    }
  }
  std::vector<std::pair<PositionId, std::pair<uint64_t, uint64_t>>> rows(by_target.begin(),
                                                                         by_target.end());
  std::ranges::stable_sort(rows, [](const auto& a, const auto& b) {
    return a.second.first - a.second.second > b.second.first - b.second.second;
  });
  ReportColumn entered = count_column("entered", "entered");
  ReportColumn left = count_column("left", "left");
  ReportColumn code = name_column("code");
  ReportColumn begin = extra(text_column("begin", "address", ColumnRole::kAddress));
  for (const auto& [target, counts] : rows) {
    entered.numbers.push_back(number(counts.first));
    left.numbers.push_back(number(counts.second));
    code.text.push_back(code_at(target));
    begin.text.push_back(address_of(target));
  }
  Table table;
  append(table, {&entered, &left, &code, &begin});
  return table;
}

Table FlowReport::dropped_table() const {
  ReportColumn count = count_column("count", "dropped");
  ReportColumn code = name_column("branch");
  ReportColumn to_code = text_column("to_code", "to");
  ReportColumn from = extra(text_column("from", "from", ColumnRole::kAddress));
  ReportColumn to = extra(text_column("to", "to", ColumnRole::kTarget));
  for (size_t row = 0; row < counts_.edges.size(); ++row) {
    if (counts_.edges[row].dropped > 0) {
      const FlowEdge& edge = stacks_.edges()[FlowEdgeId::from_index(row)];
      count.numbers.push_back(number(counts_.edges[row].dropped));
      code.text.push_back(code_at(edge.from));
      to_code.text.push_back(code_at(edge.to));
      from.text.push_back(address_of(edge.from));
      to.text.push_back(address_of(edge.to));
    }
  }
  Table table;
  append(table, {&count, &code, &to_code, &from, &to});
  return table;
}

}  // namespace wick::flow_parts
