// SPDX-License-Identifier: Apache-2.0
// What `wick flow` shows, from FlowCounts and cycles: tables of what ran (flow_tables.cc), and checks
// of what the processor recorded (flow_checks.cc). With a function, only edges, blocks, loops and
// cycles that touch it are shown; shares remain those of all branches.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analyze/flow/cycles.h"
#include "analyze/flow/flow.h"
#include "analyze/flow_counts.h"
#include "base/statistics.h"
#include "profile/names.h"
#include "report/columns.h"

namespace wick::flow_parts {

inline double number(uint64_t count) {
  return static_cast<double>(count);
}
inline std::string counted(uint64_t count, std::string_view one, std::string_view several) {
  return fmt::format("{} {}", count, count == 1 ? one : several);
}
inline double ratio(double a, double b) {
  return b > 0 ? a / b : kNoNumber;
}

// Adds columns to a table once it has its rows.
inline void append(Table& table, std::initializer_list<ReportColumn*> columns) {
  for (ReportColumn* column : columns) {
    table.columns.push_back(std::move(*column));
  }
}

inline ReportColumn extra(ReportColumn column) {
  column.importance = Importance::kExtra;
  return column;
}
inline ReportColumn useful(ReportColumn column) {
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

}  // namespace wick::flow_parts
