// SPDX-License-Identifier: Apache-2.0
// The report: the function that was asked for, the cycles, the order of the tables, and the notes.
#include "analyze/flow/flow.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "analyze/flow/flow_report.h"
#include "analyze/summary.h"
#include "base/escape.h"

namespace wick {
namespace flow_parts {

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

}  // namespace flow_parts

namespace {

constexpr std::array kFlowFlags = {
    Flag{"min-share",
         '\0',
         FlagKind::kNumber,
         "PERCENT",
         "0",
         "leave out branches and blocks below this share of all"},
};

}  // namespace

Result<Report> flow(const Profile& profile, std::string_view function, const FlowOptions& options) {
  if (profile.branch_sets.empty()) {
    return fail(
        "The recording has no branch stacks. `perf record -b` records them on processors that have "
        "them (Intel LBR, AMD BRS and LbrExtV2, Arm BRBE).");
  }
  flow_parts::FlowReport report(profile, options);
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
