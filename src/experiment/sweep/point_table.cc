// SPDX-License-Identifier: Apache-2.0
// The report of a sweep: one row per point, one row per fit, and notes about both.
//
// A sweep may have thousands of points, so notes are grouped: the same problem, or the same
// verdict, is one note that lists its points. Only the first few verdicts are listed; a note says
// how many more are on the page. Names of axes and values come from the plan and are foreign text;
// views escape them.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>

#include "base/statistics.h"
#include "experiment/sweep/axis_columns.h"
#include "experiment/sweep/summary.h"

namespace wick {
namespace {

constexpr std::string_view kMarkLegend =
    "\"best\" and \"worst\" are the point with the best (worst) median and all points that these "
    "runs cannot distinguish from it, compared as `wick diff` compares runs and corrected for the "
    "number of points.";

void add_metric(const Sweep& sweep, size_t metric, Table& table) {
  const SweepMetric& row = sweep.metrics[metric];
  ReportColumn column = in_unit(row.unit, number_column(row.name, with_unit(row.name, row.unit)));
  ReportColumn mark = verdict_column(row.name + "_mark", "");
  column.for_programs = row.hidden;
  mark.for_programs = row.hidden;
  for (const SweepPoint& point : sweep.points) {
    const std::optional<SweepNumber>& number = point.metrics[metric];
    column.numbers.push_back(number ? number->median.value : kNoNumber);
    column.low.push_back(number ? number->median.low : kNoNumber);
    column.high.push_back(number ? number->median.high : kNoNumber);
    PointMark of = number ? number->mark : PointMark::kNone;
    mark.judge(mark_name(of),
               of == PointMark::kBest    ? Tone::kGood
               : of == PointMark::kWorst ? Tone::kBad
                                         : Tone::kNeutral);
  }
  table.columns.push_back(std::move(column));
  table.columns.push_back(std::move(mark));
}

std::string trouble_of(const SweepPoint& point) {
  std::string text = point.status == "ok" ? "" : point.status;
  auto add = [&](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  for (const std::string& check : point.failed_checks) {
    add("check failed: " + check);
  }
  if (!point.cut.empty()) {
    add("output cut");
  }
  return text;
}

size_t runs_of(const SweepPoint& point) {
  size_t runs = 0;
  for (const std::optional<SweepNumber>& number : point.metrics) {
    runs = std::max(runs, number ? number->values.size() : 0);
  }
  return runs;
}

Table points_table(const Sweep& sweep) {
  Table table;
  table.columns.push_back(count_column("point", "point"));
  for (const SweepAxis& axis : sweep.axes) {
    table.columns.push_back(axis_column(axis));
  }
  ReportColumn runs = count_column("runs", "runs");
  ReportColumn status = for_programs(text_column("status", "status"));
  ReportColumn trouble = text_column("trouble", "trouble");
  ReportColumn profile = for_programs(text_column("profile", "profile"));
  for (const SweepPoint& point : sweep.points) {
    table.columns[0].numbers.push_back(point.id);
    for (size_t i = 0; i < sweep.axes.size(); ++i) {
      push_axis(table.columns[i + 1], sweep.axes[i], point.values[i]);
    }
    runs.numbers.push_back(static_cast<double>(runs_of(point)));
    status.text.push_back(point.status);
    trouble.text.push_back(trouble_of(point));
    profile.text.push_back(point.profile);
  }
  for (size_t metric = 0; metric < sweep.metrics.size(); ++metric) {
    add_metric(sweep, metric, table);
  }
  bool any_trouble = std::ranges::any_of(
      sweep.points, [](const SweepPoint& point) { return !trouble_of(point).empty(); });
  trouble.for_programs = !any_trouble;
  for (ReportColumn* column : {&runs, &status, &trouble, &profile}) {
    table.columns.push_back(std::move(*column));
  }
  return table;
}

// "engine=v2 payload=64", without the axis that is fitted along.
std::string line_name(const Sweep& sweep, const SweepFit& fit) {
  std::string name;
  for (size_t i = 0; i < sweep.axes.size(); ++i) {
    if (i != fit.of.axis) {
      name +=
          (name.empty() ? "" : " ") + sweep.axes[i].name + "=" + sweep.axes[i].values[fit.rest[i]];
    }
  }
  return name;
}

Table scaling_table(const Sweep& sweep) {
  Table table;
  for (const char* name : {"metric", "along", "where"}) {
    table.columns.push_back(text_column(name, name));
  }
  for (const char* name : {"sigma", "kappa", "knee"}) {
    table.columns.push_back(number_column(name, name));
  }
  table.columns.push_back(text_column("verdict", ""));
  table.columns.push_back(for_programs(text_column("summary", "")));
  for (const SweepFit& fit : sweep.fits) {
    table.columns[0].text.push_back(sweep.metrics[fit.of.metric].name);
    table.columns[1].text.push_back(sweep.axes[fit.of.axis].name);
    table.columns[2].text.push_back(line_name(sweep, fit));
    std::array numbers = {fit.fit.sigma, fit.fit.kappa, fit.fit.knee};
    for (size_t i = 0; i < numbers.size(); ++i) {
      ReportColumn& column = table.columns[i + 3];
      column.numbers.push_back(numbers[i] ? numbers[i]->value : kNoNumber);
      column.low.push_back(numbers[i] ? numbers[i]->low : kNoNumber);
      column.high.push_back(numbers[i] ? numbers[i]->high : kNoNumber);
    }
    table.columns[6].text.push_back(verdict_name(fit.fit.verdict));
    table.columns[7].text.push_back(fit.fit.summary);
  }
  return table;
}

// Each problem once, with the points that have it.
void report_troubles(const Sweep& sweep, std::vector<std::string>& notes) {
  constexpr size_t kMaxNamed = 12;
  std::vector<std::pair<std::string, std::vector<uint32_t>>> troubles;
  auto add = [&](const std::string& why, uint32_t point) {
    auto same = std::ranges::find(troubles, why, [](const auto& row) { return row.first; });
    if (same == troubles.end()) {
      same = troubles.insert(troubles.end(), {why, {}});
    }
    same->second.push_back(point);
  };
  for (const SweepPoint& point : sweep.points) {
    for (const std::string* why : {&point.why, &point.cut}) {
      if (!why->empty()) {
        add(*why, point.id);
      }
    }
  }
  for (const auto& [why, points] : troubles) {
    size_t named = std::min(points.size(), kMaxNamed);
    notes.push_back(
        fmt::format("Point{} {}{}: {}",
                    points.size() == 1 ? "" : "s",
                    fmt::join(std::span(points).first(named), ", "),
                    points.size() > named ? fmt::format(" and {} more", points.size() - named) : "",
                    why));
  }
}

// The fits in words. Fits with the same text are joined, and only the first few are listed.
void report_fits(const Sweep& sweep, std::vector<std::string>& notes) {
  constexpr size_t kMaxReported = 6;
  struct SharedFit {
    std::string of;
    std::string summary;
    std::vector<std::string> where;
  };
  std::vector<SharedFit> reported;
  std::map<std::string, size_t> lines;  // by metric and axis
  for (const SweepFit& fit : sweep.fits) {
    std::string of =
        fmt::format("{} along {}", sweep.metrics[fit.of.metric].name, sweep.axes[fit.of.axis].name);
    ++lines[of];
    auto same = std::ranges::find_if(reported, [&](const SharedFit& other) {
      return other.of == of && other.summary == fit.fit.summary;
    });
    if (same == reported.end()) {
      same = reported.insert(reported.end(), {of, fit.fit.summary, {}});
    }
    if (std::string where = line_name(sweep, fit); !where.empty()) {
      same->where.push_back(where);
    }
  }
  for (const SharedFit& one : std::span(reported).first(std::min(kMaxReported, reported.size()))) {
    bool all = one.where.size() > 2 && one.where.size() == lines[one.of];
    std::string where = all ? fmt::format("all {} lines", one.where.size())
                            : fmt::format("{}", fmt::join(one.where, "; "));
    notes.push_back(fmt::format(
        "{}{}: {}", one.of, where.empty() ? "" : fmt::format(" ({})", where), one.summary));
  }
  std::set<std::string> remarks;  // mostly the same for many lines
  for (const SweepFit& fit : sweep.fits) {
    for (const std::string& remark : fit.fit.notes) {
      if (remarks.size() < kMaxReported && remarks.insert(remark).second) {
        notes.push_back("Scaling: " + remark);
      }
    }
  }
  if (reported.size() > kMaxReported) {
    size_t more = reported.size() - kMaxReported;
    notes.push_back(
        fmt::format("{} more {} on the page.", more, more == 1 ? "finding is" : "findings are"));
  }
  auto fitted = std::ranges::count_if(sweep.fits, [](const SweepFit& fit) {
    return fit.fit.verdict != ScalingVerdict::kNotFitted;
  });
  if (fitted > 1) {
    notes.push_back(
        fmt::format("{} lines of points were fitted; their verdicts are corrected for that (Holm), "
                    "and each 95 % interval is for its fit alone.",
                    fitted));
  }
}

// The points that scale worst, in one sentence. One sentence per line of points would be too many.
std::string ranking_note(const Sweep& sweep) {
  std::string text;
  std::set<uint32_t> reported;  // a point may be on several lines
  for (const SweepRank& rank : sweep.ranking) {
    if (reported.size() == 3 || rank.efficiency.value >= 1) {
      break;
    }
    if (reported.insert(rank.point).second) {
      text += fmt::format("{}point {} ({:.0f} %)",
                          text.empty() ? "" : ", ",
                          rank.point,
                          100 * rank.efficiency.value);
    }
  }
  return text.empty() ? text
                      : fmt::format("Furthest from linear scaling: {} of the linear value.", text);
}

// One row a run and metric.
Table values_table(const Sweep& sweep) {
  ReportColumn ids = count_column("point", "point");
  ReportColumn names = text_column("metric", "metric", ColumnRole::kName);
  ReportColumn units = text_column("unit", "unit", ColumnRole::kUnit);
  ReportColumn runs = count_column("run", "run");
  ReportColumn values = number_column("value", "value");
  for (const SweepPoint& point : sweep.points) {
    for (size_t metric = 0; metric < point.metrics.size(); ++metric) {
      const std::optional<SweepNumber>& number = point.metrics[metric];
      for (size_t run = 0; number && run < number->values.size(); ++run) {
        ids.numbers.push_back(point.id);
        names.text.push_back(sweep.metrics[metric].name);
        units.text.push_back(sweep.metrics[metric].unit);
        runs.numbers.push_back(static_cast<double>(run + 1));
        values.numbers.push_back(number->values[run]);
      }
    }
  }
  return {
      .columns = {
          std::move(ids), std::move(names), std::move(units), std::move(runs), std::move(values)}};
}

// The share of each area, of the points that have a profile.
Table areas_table(const Sweep& sweep) {
  ReportColumn ids = count_column("point", "point");
  ReportColumn names = name_column("area");
  ReportColumn shares = share_column("total_share", "total %", ColumnRole::kTotal);
  for (const SweepPoint& point : sweep.points) {
    size_t areas = point.cost ? std::min(point.cost->areas.size(), sweep.areas.size()) : 0;
    for (size_t area = 0; area < areas; ++area) {
      ids.numbers.push_back(point.id);
      names.text.push_back(sweep.areas[area]);
      shares.numbers.push_back(point.cost->areas[area].value);
      shares.low.push_back(point.cost->areas[area].low);
      shares.high.push_back(point.cost->areas[area].high);
    }
  }
  return {.columns = {std::move(ids), std::move(names), std::move(shares)}};
}

}  // namespace

void add_details(const Sweep& sweep, Report& report) {
  report.sections.push_back({"values", "Values of the runs", values_table(sweep)});
  if (!sweep.areas.empty()) {
    report.sections.push_back(whole_section("areas", "Areas", areas_table(sweep)));
  }
}

Report sweep_report(const Sweep& sweep) {
  Report report{.title = sweep.name};
  report.cautions = sweep.cautions;
  report.warnings = sweep.warnings;
  report.sections.push_back({"points", "Points", points_table(sweep)});
  if (!sweep.fits.empty()) {
    report.sections.push_back(whole_section("scaling", "Scaling", scaling_table(sweep)));
  }
  bool any_mark = std::ranges::any_of(sweep.points, [](const SweepPoint& point) {
    return std::ranges::any_of(point.metrics, [](const std::optional<SweepNumber>& number) {
      return number && number->mark != PointMark::kNone;
    });
  });
  if (any_mark) {
    report.notes.emplace_back(kMarkLegend);
  }
  report_troubles(sweep, report.notes);
  report_fits(sweep, report.notes);
  if (std::string note = ranking_note(sweep); !note.empty()) {
    report.notes.push_back(std::move(note));
  }
  for (const MachineFinding& finding : sweep.machine_findings) {
    report.notes.push_back(fmt::format("Machine: {}: {}.", finding.what, finding.why));
  }
  report.notes.insert(report.notes.end(), sweep.notes.begin(), sweep.notes.end());
  return report;
}

}  // namespace wick
