// SPDX-License-Identifier: Apache-2.0
// The cycles, loops, edges and blocks that ran, each with what it cost. A number that is not known
// (instructions without code, cycles that were not recorded) stays empty.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "analyze/flow/flow_report.h"

namespace wick::flow_parts {
namespace {

constexpr size_t kCyclesListed = 10;
constexpr size_t kGraphNodes = 300;

// How often each block followed another one.
struct Transitions {
  void entry(const Step&, uint64_t) {}
  void dropped(FlowEdgeId, uint64_t) {}
  void broken(FlowEdgeId, FlowEdgeId, uint64_t) {}
  void segment(std::span<const Step> steps, uint64_t count) {
    for (size_t i = 2; i < steps.size(); ++i) {
      counts[uint64_t{steps[i - 1].block.value} << 32 | steps[i].block.value] += count;
    }
  }
  void stack(uint64_t, uint64_t) {}

  std::unordered_map<uint64_t, uint64_t> counts;
};

}  // namespace

double FlowReport::instructions_of(const Cycle& cycle) const {
  double sum = 0;
  for (size_t i = 0; i < cycle.edges.size(); ++i) {
    uint32_t instructions = stacks_.blocks()[block_after(cycle, i)].instructions;
    sum += instructions == 0 ? kNoNumber : instructions;
  }
  return sum;
}

Table FlowReport::cycle_table() const {
  ReportColumn code = name_column("block");
  ReportColumn begin = extra(text_column("begin", "begin", ColumnRole::kAddress));
  ReportColumn end = extra(text_column("end", "end", ColumnRole::kEnd));
  ReportColumn instructions = count_column("instructions", "instructions");
  ReportColumn cycles = number_column("cycles", "cycles");
  ReportColumn ipc = number_column("ipc", "IPC");
  ReportColumn missed = share_column("mispredicted_share", "mispredicted");
  ReportColumn exit = text_column("exit", "left by", ColumnRole::kCategory);
  ReportColumn to = text_column("to_code", "to");
  if (!cycles_.empty()) {
    const Cycle& cycle = cycles_[0];
    for (size_t i = 0; i < cycle.edges.size(); ++i) {
      FlowBlockId id = block_after(cycle, i);
      const FlowBlock& block = stacks_.blocks()[id];
      const BlockCost& cost = counts_.blocks[id.index()];
      FlowEdgeId next = cycle.edges[(i + 1) % cycle.edges.size()];
      const EdgeCost& edge = counts_.edges[next.index()];
      double mean = ratio(number(cost.cycles), number(cost.timed));
      double count = block.instructions == 0 ? kNoNumber : block.instructions;
      code.text.push_back(code_at(block.begin));
      begin.text.push_back(address_of(block.begin));
      end.text.push_back(address_of(block.end));
      instructions.numbers.push_back(count);
      cycles.numbers.push_back(mean);
      ipc.numbers.push_back(ratio(count, mean));
      missed.numbers.push_back(share(edge.mispredicted, edge.count));
      exit.text.push_back(name_of(stacks_.edges()[next].kind));
      to.text.push_back(code_at(stacks_.edges()[next].to));
    }
  }
  Table table;
  append(table, {&instructions, &cycles, &ipc, &missed, &exit, &code, &to, &begin, &end});
  return table;
}

Table FlowReport::cycles_table() const {
  ReportColumn coverage = share_column("coverage", "covers");
  ReportColumn rounds = number_column("rounds", "rounds seen");
  ReportColumn branches = count_column("branches", "branches");
  ReportColumn instructions = number_column("instructions", "instructions");
  ReportColumn cycles = number_column("cycles", "cycles");
  ReportColumn ipc = number_column("ipc", "IPC");
  ReportColumn code = name_column("from");
  ReportColumn begin = extra(text_column("begin", "begin", ColumnRole::kAddress));
  for (const Cycle& cycle : std::span(cycles_).first(std::min(cycles_.size(), kCyclesListed))) {
    PositionId head = stacks_.edges()[cycle.edges[0]].to;
    bool timed = counts_.has_cycles();
    coverage.numbers.push_back(timed ? share(cycle.covered_cycles, timed_cycles_)
                                     : share(cycle.covered, counts_.pairs));
    rounds.numbers.push_back(cycle.rounds());
    branches.numbers.push_back(number(cycle.edges.size()));
    instructions.numbers.push_back(instructions_of(cycle));
    cycles.numbers.push_back(cycles_of(cycle));
    ipc.numbers.push_back(ratio(instructions_of(cycle), cycles_of(cycle)));
    code.text.push_back(code_at(head));
    begin.text.push_back(address_of(head));
  }
  Table table;
  append(table, {&coverage, &rounds, &branches, &instructions, &cycles, &ipc, &code, &begin});
  return table;
}

Table FlowReport::loop_table() const {
  ReportColumn trips = number_column("trips", "trips");
  ReportColumn executions = count_column("executions", "executions");
  ReportColumn entered = count_column("entered", "entered");
  ReportColumn code = name_column("head");
  ReportColumn head = extra(text_column("head", "address", ColumnRole::kAddress));
  for (const Loop& loop : counts_.loops) {
    if (wanted_[loop.head.index()] && is_common(loop.executions)) {
      trips.numbers.push_back(loop.trips());
      executions.numbers.push_back(number(loop.executions));
      entered.numbers.push_back(number(loop.executions - loop.back));
      code.text.push_back(code_at(loop.head));
      head.text.push_back(address_of(loop.head));
    }
  }
  Table table;
  append(table, {&trips, &executions, &entered, &code, &head});
  return table;
}

template <typename Id, typename Rows, typename Wanted>
std::vector<Id> sorted_by_count(const Rows& rows, Wanted wanted) {
  std::vector<Id> ids;
  for (size_t row = 0; row < rows.size(); ++row) {
    if (rows[row].count > 0 && wanted(Id::from_index(row))) {
      ids.push_back(Id::from_index(row));
    }
  }
  std::ranges::stable_sort(
      ids, [&](Id a, Id b) { return rows[a.index()].count > rows[b.index()].count; });
  return ids;
}

Table FlowReport::edge_table() const {
  ReportColumn from = extra(text_column("from", "from", ColumnRole::kAddress));
  ReportColumn to = extra(text_column("to", "to", ColumnRole::kTarget));
  ReportColumn count = count_column("count", "taken");
  ReportColumn cycles = useful(count_column("cycles", "cycles"));
  ReportColumn instructions = extra(count_column("instructions", "instructions"));
  ReportColumn mispredicted = count_column("mispredicted", "mispredicted");
  ReportColumn not_taken = count_column("not_taken", "not taken");
  ReportColumn kind = useful(text_column("kind", "kind", ColumnRole::kCategory));
  ReportColumn from_code = name_column("branch");
  ReportColumn to_code = text_column("to_code", "to");
  auto wanted = [&](FlowEdgeId id) {
    return is_wanted(id) && is_common(counts_.edges[id.index()].count);
  };
  for (FlowEdgeId id : sorted_by_count<FlowEdgeId>(counts_.edges, wanted)) {
    const FlowEdge& edge = stacks_.edges()[id];
    const EdgeCost& cost = counts_.edges[id.index()];
    bool has_code = cost.without_code == 0;
    from.text.push_back(address_of(edge.from));
    to.text.push_back(address_of(edge.to));
    count.numbers.push_back(number(cost.count));
    cycles.numbers.push_back(counts_.has_cycles() ? number(cost.cycles) : kNoNumber);
    instructions.numbers.push_back(has_code ? number(cost.instructions) : kNoNumber);
    mispredicted.numbers.push_back(number(cost.mispredicted));
    not_taken.numbers.push_back(number(cost.not_taken));
    kind.text.push_back(name_of(edge.kind));
    from_code.text.push_back(code_at(edge.from));
    to_code.text.push_back(code_at(edge.to));
  }
  Table table;
  append(table,
         {&count,
          &not_taken,
          &mispredicted,
          &cycles,
          &instructions,
          &kind,
          &from_code,
          &to_code,
          &from,
          &to});
  return table;
}

Table FlowReport::block_table() const {
  ReportColumn count = count_column("count", "executions");
  ReportColumn cycles = count_column("cycles", "cycles");
  ReportColumn mean = number_column("mean_cycles", "cycles each");
  ReportColumn least = extra(count_column("least_cycles", "least"));
  ReportColumn most = extra(count_column("most_cycles", "most"));
  ReportColumn instructions = count_column("instructions", "instructions");
  ReportColumn ipc = number_column("ipc", "IPC");
  ReportColumn code = name_column("block");
  ReportColumn end_code = useful(text_column("end_code", "end"));
  ReportColumn begin = extra(text_column("begin", "begin", ColumnRole::kAddress));
  ReportColumn end = extra(text_column("end", "end", ColumnRole::kEnd));
  auto wanted = [&](FlowBlockId id) {
    return wanted_[stacks_.blocks()[id].begin.index()] &&
           is_common(counts_.blocks[id.index()].count);
  };
  for (FlowBlockId id : sorted_by_count<FlowBlockId>(counts_.blocks, wanted)) {
    const FlowBlock& block = stacks_.blocks()[id];
    const BlockCost& cost = counts_.blocks[id.index()];
    double each = ratio(number(cost.cycles), number(cost.timed));
    double size = block.instructions == 0 ? kNoNumber : block.instructions;
    count.numbers.push_back(number(cost.count));
    cycles.numbers.push_back(cost.timed > 0 ? number(cost.cycles) : kNoNumber);
    mean.numbers.push_back(each);
    least.numbers.push_back(cost.timed > 0 ? cost.least : kNoNumber);
    most.numbers.push_back(cost.timed > 0 ? cost.most : kNoNumber);
    instructions.numbers.push_back(size);
    ipc.numbers.push_back(ratio(size, each));
    code.text.push_back(code_at(block.begin));
    end_code.text.push_back(code_at(block.end));
    begin.text.push_back(address_of(block.begin));
    end.text.push_back(address_of(block.end));
  }
  Table table;
  append(
      table,
      {&count, &mean, &instructions, &ipc, &cycles, &least, &most, &code, &end_code, &begin, &end});
  return table;
}

// The blocks with most executions, and the transitions between them.
Graph FlowReport::graph() const {
  auto wanted = [&](FlowBlockId id) {
    return wanted_[stacks_.blocks()[id].begin.index()] &&
           is_common(counts_.blocks[id.index()].count);
  };
  std::vector<FlowBlockId> nodes = sorted_by_count<FlowBlockId>(counts_.blocks, wanted);
  nodes.resize(std::min(nodes.size(), kGraphNodes));
  std::unordered_map<uint32_t, uint32_t> rows;
  ReportColumn name = name_column("block");
  ReportColumn count = count_column("count", "executions");
  ReportColumn begin = text_column("begin", "begin", ColumnRole::kAddress);
  ReportColumn end = text_column("end", "end", ColumnRole::kEnd);
  ReportColumn ipc = number_column("ipc", "IPC");
  for (FlowBlockId id : nodes) {
    const FlowBlock& block = stacks_.blocks()[id];
    const BlockCost& cost = counts_.blocks[id.index()];
    rows[id.value] = static_cast<uint32_t>(rows.size());
    name.text.push_back(code_at(block.begin));
    count.numbers.push_back(number(cost.count));
    begin.text.push_back(address_of(block.begin));
    end.text.push_back(address_of(block.end));
    double size = block.instructions == 0 ? kNoNumber : block.instructions;
    ipc.numbers.push_back(ratio(size, ratio(number(cost.cycles), number(cost.timed))));
  }
  Transitions transitions;
  stacks_.visit(transitions);
  std::vector<std::pair<std::pair<uint32_t, uint32_t>, uint64_t>> edges;
  for (const auto& [pair, executions] : transitions.counts) {
    auto from = rows.find(static_cast<uint32_t>(pair >> 32));
    auto to = rows.find(static_cast<uint32_t>(pair));
    if (from != rows.end() && to != rows.end()) {
      edges.push_back({{from->second, to->second}, executions});
    }
  }
  std::ranges::sort(edges, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  Graph graph;
  ReportColumn followed = count_column("count", "times");
  for (const auto& [ends, executions] : edges) {
    graph.edges.push_back(ends);
    followed.numbers.push_back(number(executions));
  }
  append(graph.nodes, {&name, &count, &ipc, &begin, &end});
  graph.edge_values.columns.push_back(std::move(followed));
  return graph;
}

}  // namespace wick::flow_parts
