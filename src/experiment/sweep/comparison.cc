// SPDX-License-Identifier: Apache-2.0
// Both comparisons test runs against runs (change_of_runs), and correct with Holm over all tests of
// one question: one metric's extreme against all other points, or all rows of two sweeps.
//
// For one sweep the winner is not tested against a fixed value but is itself chosen by its median.
// So the mark means "cannot be distinguished from the best", and several points may have it.
//
// For two sweeps, points are matched by the names of their axis values, sorted, so that the plans
// may list axes in another order. A row needs at least three runs on both sides together, because
// two single runs have no spread.
#include "experiment/sweep/comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analyze/diff/machine_notes.h"
#include "base/statistics.h"
#include "base/verdict.h"
#include "experiment/run_change.h"
#include "experiment/sweep/axis_columns.h"

namespace wick {
namespace {

bool are_counts(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double v) { return v >= 0 && v == std::floor(v); });
}

// Three runs of a ratio may all be 1. A metric is a count only if all its values are whole numbers.
bool counts_things(const Sweep& sweep, size_t metric) {
  return std::ranges::all_of(sweep.points, [&](const SweepPoint& point) {
    return !point.metrics[metric] || are_counts(point.metrics[metric]->values);
  });
}

// ---- Points of one sweep ------------------------------------------------------------------------

// The points whose runs cannot be distinguished from those of the point with the best (or worst)
// median.
std::set<size_t> alike_with_extreme(const Sweep& sweep,
                                    size_t metric,
                                    const std::vector<size_t>& points,
                                    bool largest) {
  bool counts = counts_things(sweep, metric);
  auto number = [&](size_t point) -> const SweepNumber& {
    return *sweep.points[point].metrics[metric];
  };
  auto by_median = [&](size_t point) { return number(point).median.value; };
  size_t extreme =
      largest ? std::ranges::max(points, {}, by_median) : std::ranges::min(points, {}, by_median);
  std::vector<size_t> others;
  std::vector<double> probabilities;
  for (size_t point : points) {
    if (point != extreme) {
      others.push_back(point);
      probabilities.push_back(
          change_of_runs(number(extreme).values, number(point).values, counts).probability);
    }
  }
  std::vector<double> corrected = holm(probabilities);
  std::set<size_t> alike = {extreme};
  for (size_t i = 0; i < others.size(); ++i) {
    if (!(corrected[i] < kLevel)) {
      alike.insert(others[i]);
    }
  }
  return alike;
}

// A point that fails a check cannot be the best. It can be the worst.
void mark_metric(Sweep& sweep, size_t metric) {
  std::vector<size_t> measured;
  std::vector<size_t> well;
  for (size_t i = 0; i < sweep.points.size(); ++i) {
    const SweepPoint& point = sweep.points[i];
    if (point.status == "ok" && point.metrics[metric]) {
      measured.push_back(i);
      if (point.failed_checks.empty()) {
        well.push_back(i);
      }
    }
  }
  if (measured.empty()) {
    return;
  }
  bool more = sweep.metrics[metric].more_is_better;
  std::set<size_t> best;
  if (!well.empty()) {
    best = alike_with_extreme(sweep, metric, well, more);
  }
  std::set<size_t> worst = alike_with_extreme(sweep, metric, measured, !more);
  for (size_t point : measured) {
    PointMark& mark = sweep.points[point].metrics[metric]->mark;
    if (best.contains(point) != worst.contains(point)) {
      mark = best.contains(point) ? PointMark::kBest : PointMark::kWorst;
    }
  }
}

// ---- Two sweeps ---------------------------------------------------------------------------------

using ValueNames = std::vector<std::string>;

ValueNames value_names(const Sweep& sweep, const SweepPoint& point) {
  ValueNames names;
  for (size_t i = 0; i < sweep.axes.size(); ++i) {
    names.push_back(sweep.axes[i].name + "=" + sweep.axes[i].values[point.values[i]]);
  }
  std::ranges::sort(names);
  return names;
}

// A row of the comparison.
struct ComparedPoint {
  size_t point = 0;   // position in the first sweep
  size_t other = 0;   // and in the second
  size_t metric = 0;  // of the first
  RunChange change;
};

std::vector<ComparedPoint> compare_points(const Sweep& before, const Sweep& after) {
  std::map<ValueNames, size_t> others;
  for (size_t i = 0; i < after.points.size(); ++i) {
    others[value_names(after, after.points[i])] = i;
  }
  std::vector<ComparedPoint> rows;
  for (size_t i = 0; i < before.points.size(); ++i) {
    auto other = others.find(value_names(before, before.points[i]));
    for (size_t metric = 0; other != others.end() && metric < before.metrics.size(); ++metric) {
      auto same = std::ranges::find(after.metrics, before.metrics[metric].name, &SweepMetric::name);
      if (same == after.metrics.end()) {
        continue;
      }
      const auto& first = before.points[i].metrics[metric];
      auto other_metric = static_cast<size_t>(same - after.metrics.begin());
      const auto& second = after.points[other->second].metrics[other_metric];
      bool comparable = first && second && first->values.size() + second->values.size() > 2;
      if (comparable) {
        rows.push_back({.point = i,
                        .other = other->second,
                        .metric = metric,
                        .change = change_of_runs(
                            first->values,
                            second->values,
                            counts_things(before, metric) && counts_things(after, other_metric))});
      }
    }
  }
  return rows;
}

void add_verdict(const ComparedPoint& row,
                 double probability,
                 bool more_is_better,
                 ReportColumn& verdict) {
  bool is_better = (row.change.value > 0) == more_is_better;
  if (!(probability < kLevel)) {
    verdict.judge(kNoEvidenceText, Tone::kNeutral);
  } else {
    verdict.judge(is_better ? "better" : "worse", is_better ? Tone::kGood : Tone::kBad);
  }
}

Table comparison_table(const Sweep& before,
                       const std::vector<ComparedPoint>& rows,
                       const std::vector<double>& probabilities) {
  Table table;
  for (const SweepAxis& axis : before.axes) {
    table.columns.push_back(axis_column(axis));
  }
  ReportColumn metric = text_column("metric", "metric", ColumnRole::kName);
  ReportColumn was = number_column("before", "before", ColumnRole::kBefore);
  ReportColumn is = number_column("after", "after", ColumnRole::kAfter);
  ReportColumn change = difference(number_column("change", "change %", ColumnRole::kChange));
  ReportColumn verdict = verdict_column();
  ReportColumn probability = for_programs(number_column("probability", "p"));
  for (size_t i = 0; i < rows.size(); ++i) {
    const ComparedPoint& row = rows[i];
    const SweepMetric& of = before.metrics[row.metric];
    for (size_t axis = 0; axis < before.axes.size(); ++axis) {
      push_axis(table.columns[axis], before.axes[axis], before.points[row.point].values[axis]);
    }
    metric.text.push_back(with_unit(of.name, of.unit));
    was.numbers.push_back(row.change.before);
    is.numbers.push_back(row.change.after);
    change.numbers.push_back(100 * row.change.value);
    change.low.push_back(100 * row.change.low);
    change.high.push_back(100 * row.change.high);
    add_verdict(row, probabilities[i], of.more_is_better, verdict);
    probability.numbers.push_back(probabilities[i]);
  }
  for (ReportColumn* column : {&metric, &was, &is, &change, &verdict, &probability}) {
    table.columns.push_back(std::move(*column));
  }
  return table;
}

// Notes how many points of one side are in no row.
void report_left_out(const Sweep& of,
                     const Sweep& other,
                     const std::set<size_t>& compared,
                     std::vector<std::string>& notes) {
  if (size_t left_out = of.points.size() - compared.size(); left_out > 0) {
    notes.push_back(
        fmt::format("{} of {} points of {} {} left out: {} has no such point, or too few runs "
                    "succeeded.",
                    left_out,
                    of.points.size(),
                    of.directory,
                    left_out == 1 ? "is" : "are",
                    other.directory));
  }
}

std::string_view mitigations_of(const Sweep& sweep) {
  for (const auto& [name, value] : sweep.machine_facts) {
    if (name == "mitigations") {
      return value;
    }
  }
  return {};
}

}  // namespace

void mark_extremes(Sweep& sweep) {
  for (size_t metric = 0; metric < sweep.metrics.size(); ++metric) {
    mark_metric(sweep, metric);
  }
}

Result<Report> compare_sweeps(const Sweep& before, const Sweep& after) {
  std::vector<ComparedPoint> rows = compare_points(before, after);
  if (rows.empty()) {
    return fail("{} and {} have no point with a metric in common: they are from different plans.",
                before.directory,
                after.directory);
  }
  std::vector<double> probabilities;
  std::set<size_t> points;
  std::set<size_t> others;
  for (const ComparedPoint& row : rows) {
    probabilities.push_back(row.change.probability);
    points.insert(row.point);
    others.insert(row.other);
  }
  Report report{
      .title = fmt::format("{}: {} against {}", before.name, before.directory, after.directory)};
  report.sections.push_back(
      {"points", "Points", comparison_table(before, rows, holm(probabilities))});
  report_left_out(before, after, points, report.notes);
  report_left_out(after, before, others, report.notes);
  if (rows.size() > 1) {
    report.notes.push_back(
        fmt::format("The verdicts are corrected for all {} rows (Holm); each 95 % interval is for "
                    "its row alone.",
                    rows.size()));
  }
  if (std::string change = mitigation_change(mitigations_of(before), mitigations_of(after));
      !change.empty()) {
    report.notes.push_back(std::move(change));
  }
  for (const Sweep* sweep : {&before, &after}) {
    for (const MachineFinding& finding : sweep->machine_findings) {
      report.notes.push_back(
          fmt::format("Machine of {}: {}: {}.", sweep->directory, finding.what, finding.why));
    }
  }
  report.notes.emplace_back(
      "The two sweeps were not run in turns: their runs are compared as independent ones, not as "
      "pairs.");
  return report;
}

}  // namespace wick
