// SPDX-License-Identifier: Apache-2.0
// Tables from FlowCounts and cycles. With a function, only edges, blocks, loops and cycles that
// touch it are shown; shares remain those of all branches.
#include "analyze/flow/flow.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "analyze/flow/cycles.h"
#include "analyze/flow_counts.h"
#include "analyze/summary.h"
#include "base/escape.h"
#include "base/statistics.h"
#include "profile/names.h"
#include "report/columns.h"

namespace wick {
namespace {

constexpr size_t kCyclesListed = 10;
constexpr size_t kBiasListed = 20;
constexpr size_t kGraphNodes = 300;
// A branch is called biased if chance gives that many newest entries less often than once in 10^6.
constexpr double kBiasDeviations = 5;
constexpr double kBiasRatio = 1.5;

constexpr std::array kFlowFlags = {
    Flag{"min-share",
         '\0',
         FlagKind::kNumber,
         "PERCENT",
         "0",
         "leave out branches and blocks below this share of all"},
};

double number(uint64_t count) {
  return static_cast<double>(count);
}
std::string counted(uint64_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}
double ratio(double a, double b) {
  return b > 0 ? a / b : kNoNumber;
}

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

// Adds columns to a table once it has its rows.
void append(Table& table, std::initializer_list<ReportColumn*> columns) {
  for (ReportColumn* column : columns) {
    table.columns.push_back(std::move(*column));
  }
}

ReportColumn extra(ReportColumn column) {
  column.importance = Importance::kExtra;
  return column;
}
ReportColumn useful(ReportColumn column) {
  column.importance = Importance::kUseful;
  return column;
}

class FlowReport {
 public:
  FlowReport(const Profile& profile, const FlowOptions& options)
      : profile_(profile), options_(options), stacks_(profile), counts_(stacks_) {
    wanted_.assign(stacks_.positions().size(), true);
  }

  Result<> choose(std::string_view function);
  Report run();

 private:
  const Position& position(PositionId id) const { return stacks_.positions()[id]; }
  bool is_wanted(FlowEdgeId id) const {
    const FlowEdge& edge = stacks_.edges()[id];
    return wanted_[edge.from.index()] || wanted_[edge.to.index()];
  }
  std::string function_of(PositionId id) const {
    const Frame& frame = profile_.frames[position(id).frame];
    return frame.function.valid() ? function_name(profile_, frame.function) : "";
  }
  // "leaf+0x12"
  std::string code_at(PositionId id) const {
    const Frame& frame = profile_.frames[position(id).frame];
    std::optional<uint64_t> offset = offset_in_function(profile_, frame);
    std::string name = frame_name(profile_, position(id).frame);
    return offset ? fmt::format("{}+{:#x}", name, *offset) : name;
  }
  std::string address_of(PositionId id) const { return fmt::format("{:#x}", position(id).address); }
  double share(uint64_t count, uint64_t total) const { return ratio(number(count), number(total)); }
  bool is_common(uint64_t count) const {
    return number(count) >= options_.min_share * number(counts_.entries);
  }

  void find_cycle();
  Table cycle_table() const;
  Table cycles_table() const;
  Table loop_table() const;
  Table edge_table() const;
  Table block_table() const;
  Graph graph() const;
  Table rounds_table();
  Table bias_table();
  Table unbalanced_table() const;
  Table dropped_table() const;
  void add_notes(Report& report) const;

  // Of a round of a cycle; not numbers if unknown.
  double cycles_of(const Cycle& cycle) const {
    return ratio(number(cycle.cycles), number(cycle.timed));
  }
  double instructions_of(const Cycle& cycle) const;
  FlowBlockId block_after(const Cycle& cycle, size_t edge) const {
    return stacks_.block(cycle.edges[edge], cycle.edges[(edge + 1) % cycle.edges.size()]);
  }

  const Profile& profile_;
  const FlowOptions& options_;
  BranchStacks stacks_;
  FlowCounts counts_;
  std::vector<Cycle> cycles_;
  uint64_t cycles_not_counted_ = 0;
  uint64_t timed_cycles_ = 0;  // of all blocks
  std::vector<bool> wanted_;   // by position
  size_t biased_ = 0;
};

Result<> FlowReport::choose(std::string_view function) {
  if (function.empty()) {
    return {};
  }
  bool is_exact = false;
  for (size_t row = 0; row < wanted_.size(); ++row) {
    is_exact = is_exact || function_of(PositionId::from_index(row)) == function;
  }
  bool is_found = false;
  for (size_t row = 0; row < wanted_.size(); ++row) {
    std::string name = function_of(PositionId::from_index(row));
    wanted_[row] = is_exact ? name == function : name.contains(function);
    is_found = is_found || wanted_[row];
  }
  if (!is_found) {
    return fail(
        "No recorded branch is in a function named {}; `wick flow` without a function shows "
        "all branches.",
        terminal_text(function));
  }
  return {};
}

void FlowReport::find_cycle() {
  CycleFinder finder(stacks_);
  stacks_.visit(finder);
  cycles_not_counted_ = finder.not_counted();
  cycles_ = finder.take(counts_.has_cycles());
  std::erase_if(cycles_, [&](const Cycle& cycle) {
    return std::ranges::none_of(cycle.edges, [&](FlowEdgeId edge) { return is_wanted(edge); });
  });
  for (const BlockCost& block : counts_.blocks) {
    timed_cycles_ += block.cycles;
  }
}

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

void FlowReport::add_notes(Report& report) const {
  if (!counts_.has_cycles()) {
    report.notes.emplace_back(
        "The branches were recorded without cycles, so there is no IPC, and cycles are ranked by "
        "executions: processors of AMD and those of Intel before Skylake do not count them, and "
        "some recordings leave them out.");
  } else if (counts_.timed_entries < counts_.entries) {
    report.notes.push_back(fmt::format(
        "{:.1f} % of the branches have no cycles; IPC is that of the others.",
        100 * ratio(number(counts_.entries - counts_.timed_entries), number(counts_.entries))));
  }
  if (counts_.saturated > 0) {
    report.notes.push_back(
        fmt::format("{} 65535 cycles, the most that is recorded: they may have taken longer.",
                    counted(counts_.saturated, "branch has", "branches have")));
  }
  uint64_t unknown = 0;
  for (size_t row = 0; row < counts_.blocks.size(); ++row) {
    bool has_code = stacks_.blocks()[FlowBlockId::from_index(row)].instructions != 0;
    unknown += has_code ? 0 : counts_.blocks[row].count;
  }
  if (unknown > 0) {
    report.notes.push_back(fmt::format(
        "{:.1f} % of the executed blocks have no number of instructions: their code was not "
        "available, or is of another build. --symfs DIR names a directory with the recorded files.",
        100 * ratio(number(unknown), number(counts_.pairs))));
  }
  if (counts_.dropped > 0) {
    report.notes.push_back(fmt::format(
        "{} recorded twice, which the code does not allow: dropped from blocks and cycles, and "
        "listed.",
        counted(counts_.dropped, "newest branch was", "newest branches were")));
  }
  if (counts_.broken > 0) {
    report.notes.push_back(fmt::format(
        "{} not follow each other: entries are missing there (interrupts, lost entries, a filter "
        "of branches), and stacks are cut.",
        counted(counts_.broken, "pair of neighbours does", "pairs of neighbours do")));
  }
  if (biased_ > 0) {
    report.notes.push_back(
        fmt::format("{} in the newest entry more often than its flow allows (bias): numbers of "
                    "samples at these "
                    "addresses are too high.",
                    counted(biased_, "branch is", "branches are")));
  }
  if (cycles_.empty()) {
    report.notes.push_back(
        fmt::format("No path returns to its first branch within a stack of up to {} branches.",
                    counts_.deepest));
  }
  if (cycles_not_counted_ > 0) {
    report.notes.push_back(fmt::format("{} of rare cycles are not counted.",
                                       counted(cycles_not_counted_, "round", "rounds")));
  }
}

Report FlowReport::run() {
  find_cycle();
  StackCosts costs(profile_);
  Report report = start_report(profile_, costs, "Flow between branches");
  auto figure = [&](const char* name, double value) {
    report.figures.push_back({.name = name, .value = value, .for_programs = true});
  };
  figure("stacks", number(counts_.stack_count));
  figure("branches", number(counts_.entries));
  figure("dropped", number(counts_.dropped));
  figure("broken", number(counts_.broken));
  if (!cycles_.empty()) {
    const Cycle& cycle = cycles_[0];
    double coverage = counts_.has_cycles() ? share(cycle.covered_cycles, timed_cycles_)
                                           : share(cycle.covered, counts_.pairs);
    figure("cycle_coverage", coverage);
    figure("cycle_cycles", cycles_of(cycle));
    figure("cycle_instructions", instructions_of(cycle));
    report.headline = fmt::format("{:.1f} % of the {} are in one cycle of {}",
                                  100 * coverage,
                                  counts_.has_cycles() ? "recorded cycles" : "recorded branches",
                                  counted(cycle.edges.size(), "branch", "branches"));
    if (double each = cycles_of(cycle); !std::isnan(each)) {
      report.headline += fmt::format(", {:.1f} cycles an iteration", each);
      if (double ipc = ratio(instructions_of(cycle), each); !std::isnan(ipc)) {
        report.headline += fmt::format(", IPC {:.2f}", ipc);
      }
    }
    report.headline += ".";
  }
  auto add = [&](const char* name, const char* title, Table table) {
    if (table.rows() > 0) {
      report.sections.push_back({name, title, std::move(table)});
    }
  };
  report.sections.push_back({"edges", "Branches", edge_table()});
  add("cycle", "The dominant cycle", cycle_table());
  add("cycles", "Cycles that cover most (they may overlap)", cycles_table());
  add("loops", "Loops", loop_table());
  add("blocks", "Blocks between branches", block_table());
  add("rounds", "Distribution of cycles", rounds_table());
  add("bias", "More often in the newest entry than flow allows", bias_table());
  add("unbalanced", "Entered more often than left", unbalanced_table());
  add("dropped", "Recorded twice and dropped", dropped_table());
  if (Graph drawn = graph(); drawn.nodes.rows() > 0) {
    report.sections.push_back({"graph", "Blocks and what followed them", std::move(drawn)});
  }
  add_notes(report);
  return report;
}

}  // namespace

Result<Report> flow(const Profile& profile, std::string_view function, const FlowOptions& options) {
  if (profile.branch_sets.empty()) {
    return fail(
        "The recording has no branch stacks. `perf record -b` records them on processors that have "
        "them (Intel LBR, AMD BRS and LbrExtV2, Arm BRBE).");
  }
  FlowReport report(profile, options);
  TRY(report.choose(function));
  return report.run();
}

std::span<const Flag> flow_flags() {
  return kFlowFlags;
}

Result<Report> run_flow(const Profile& profile,
                        std::string_view argument,
                        const FlagValues& flags) {
  return flow(profile, argument, {.min_share = flags.number("min-share") / 100});
}

}  // namespace wick
