// SPDX-License-Identifier: Apache-2.0
// Turns measured runs into a report: one command with the costs of its runs, or two commands
// compared.
//
//     section     contents
//     rows        a row for each metric: median, interval, spread; or before, after and the change
//     histogram   times of the runs in bins, from six runs on
//     threads     with --per-thread: a row for each thread
//     runs        for programs: every run with all its metrics
//     findings    for programs: conditions of the machine that disturb, why, and what would help
//     machine     for programs: facts about the machine
//
// Some runs may lack a metric (a counter that never got its turn). Its row then uses the runs that
// have it, and the number of runs says how many those are.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "experiment/disturbed_runs.h"
#include "experiment/measured_run.h"
#include "record/machine_facts.h"
#include "report/report.h"

namespace wick {

// A run (or a span of time of a process or a machine) as numbers by name.
struct StatRun {
  std::vector<RunMetric> metrics;
  std::vector<CounterReading> counters;
  bool peak_is_bound = false;
  int status = 0;
  std::optional<double> stolen_seconds = {};  // as in MeasuredRun
};
StatRun stat_run(const MeasuredRun& run);

struct StatSide {
  std::string name;
  std::vector<StatRun> runs;
};

RunFacts facts_of(const StatRun& run);
// "Run 6", or of two sides "Run 6 before". The run must be one of that side.
std::string run_name(std::span<const StatSide> sides, size_t side, const StatRun& run);

// The runs that count: those that succeeded, or all if none did, since a program may always end
// with a status other than 0.
std::vector<const StatRun*> runs_that_count(const StatSide& side);

struct StatOptions {
  std::vector<CounterRequest> requests;  // of the counters of every run
  bool for_programs = false;             // with the sections that only programs read
  // Metrics to leave out because others have the same information.
  std::vector<std::string> hidden = {};
};

// One side, or two that ran in turns.
Report stat_report(std::span<const StatSide> sides, const StatOptions& options);
// The facts and findings, as a section and notes.
void add_machine(const record::MachineFacts& machine, const StatOptions& options, Report& report);

// Bins of equal width for the histogram; more runs have more bins.
struct Histogram {
  double least = 0;
  double width = 0;
  std::vector<size_t> counts;
};
Histogram histogram_of(std::span<const double> values);

}  // namespace wick
