// SPDX-License-Identifier: Apache-2.0
// How many samples a comparison needs to find a change. The samples of one side show how certain
// its rows are, and certainty grows with the square root of their number.
#include <algorithm>
#include <cmath>

#include "analyze/diff/diff.h"
#include "analyze/diff/inputs.h"
#include "base/escape.h"
#include "report/columns.h"

namespace wick {
namespace {

struct PlanRow {
  uint32_t row;
  double value;
};

// Rows with enough samples for a statement, heaviest first.
std::vector<PlanRow> planned_rows(const AlignedRuns& aligned,
                                  const Measuring& measuring,
                                  const DiffOptions& options) {
  const std::vector<AlignedRun>& runs = aligned.sides[0].runs;
  double all = 0;
  for (const AlignedRun& run : runs) {
    all += run.samples;
  }
  std::vector<PlanRow> rows;
  for (uint32_t row = 0; row < aligned.rows(); ++row) {
    double samples = measuring.samples(0, row_quantity(aligned, options.measure, row).costs[0]);
    if (samples >= kLeastSamples / 2 && samples / all >= options.min_share) {
      rows.push_back({row, measuring.typical(0, options.measure, row)});
    }
  }
  std::ranges::stable_sort(rows, std::ranges::greater(), &PlanRow::value);
  return rows;
}

// How many times as much data as was recorded each side needs.
double times_as_much(const Difference& equals, size_t runs, double change, const PlanFor& goal) {
  return runs == 1 ? times_as_long(equals, change, goal)
                   : runs_needed(equals, runs, change, goal) / static_cast<double>(runs);
}

Table plan_table(const AlignedRuns& aligned,
                 const Measuring& measuring,
                 const DiffOptions& options,
                 const std::vector<PlanRow>& rows) {
  const std::vector<AlignedRun>& recorded = aligned.sides[0].runs;
  double all_samples = 0;
  double all_seconds = 0;
  for (const AlignedRun& run : recorded) {
    all_samples += run.samples;
    all_seconds += run.seconds;
  }
  bool shares = options.as == DiffAs::kShare;
  std::string what = options.measure == Measured::kSelf ? "self" : "total";
  ColumnRole role = options.measure == Measured::kSelf ? ColumnRole::kSelf : ColumnRole::kTotal;
  ReportColumn value =
      shares ? share_column(what + "_share", what + " %", role) : weight_column(what, what, role);
  ReportColumn samples = count_column("samples_needed", "samples per side");
  ReportColumn duration = in_unit("seconds", weight_column("duration_needed", "time per side"));
  duration.for_programs = all_seconds <= 0;
  ReportColumn runs = count_column("runs_needed", "such runs per side");
  runs.for_programs = recorded.size() < 2;
  ReportColumn name = name_column(by_text(options));
  PlanFor goal{.comparisons = static_cast<double>(rows.size())};
  for (const PlanRow& row : rows) {
    Measuring::Quantity quantity = row_quantity(aligned, options.measure, row.row);
    double times = times_as_much(measuring.compare_with_itself(quantity, 0),
                                 recorded.size(),
                                 options.detect * row.value,
                                 goal);
    value.numbers.push_back(row.value);
    samples.numbers.push_back(std::ceil(times * all_samples));
    duration.numbers.push_back(times * all_seconds);
    runs.numbers.push_back(std::ceil(times * static_cast<double>(recorded.size()) - 1e-9));
    name.text.push_back(aligned.name(row.row));
  }
  return {.columns = {std::move(value),
                      std::move(samples),
                      std::move(duration),
                      std::move(runs),
                      std::move(name)}};
}

}  // namespace

Result<Report> plan(const Side& side, const DiffOptions& options) {
  std::span<const Side> sides(&side, 1);
  TRY(check_samples(sides));
  std::string title = fmt::format("Samples needed to find a change of {:g} % in {} by {}",
                                  100 * options.detect,
                                  options.measure == Measured::kSelf ? "self" : "total",
                                  by_text(options));
  Report report = start_comparison(sides, std::move(title));
  bool one_run = side.runs.size() == 1;
  AlignedRuns aligned = align(sides, align_options(options, one_run));
  TRY(check_seconds(aligned, options.as));
  Measuring measuring(options.as, per_side(options, 1), aligned);
  if (!measuring.knows_samples()) {
    return fail("{} does not say how many samples it has, so the number needed is unknown.",
                terminal_text(side.name));
  }
  std::vector<PlanRow> rows = planned_rows(aligned, measuring, options);
  report.sections.push_back({"plan", report.title, plan_table(aligned, measuring, options, rows)});
  report.notes.push_back(fmt::format(
      "With this many samples per side, a comparison of {} rows finds such a change four times in "
      "five.{}",
      rows.size(),
      one_run ? " One run does not show how much runs vary; that variation comes on top." : ""));
  return report;
}

}  // namespace wick
