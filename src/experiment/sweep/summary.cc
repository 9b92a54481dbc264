#include "experiment/sweep/summary.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "base/parse_number.h"
#include "base/statistics.h"
#include "experiment/run_change.h"

namespace wick {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// ---- Runs to points -----------------------------------------------------------------------------

std::optional<SweepNumber> number_of(const std::vector<const RunRecord*>& runs,
                                     const std::string& metric) {
  SweepNumber number;
  for (const RunRecord* run : runs) {
    if (std::optional<double> value = find_value(run->metrics, metric)) {
      number.values.push_back(*value);
    }
  }
  if (number.values.empty()) {
    return std::nullopt;
  }
  RunSummary summary = summarise_runs(number.values);
  number.median = {summary.median, summary.low, summary.high};
  return number;
}

// Each with how often, when it was not always.
std::vector<std::string> failed_checks(const Plan& plan,
                                       const std::vector<const RunRecord*>& runs) {
  std::vector<std::string> names;
  for (const PlanCheck& check : plan.checks) {
    size_t judged = 0;
    size_t failed = 0;
    for (const RunRecord* run : runs) {
      for (const CheckOutcome& outcome : run->checks) {
        judged += outcome.name == check.name;
        failed += outcome.name == check.name && !outcome.holds;
      }
    }
    if (failed > 0) {
      names.push_back(failed == judged
                          ? check.name
                          : fmt::format("{} ({} of {} runs)", check.name, failed, judged));
    }
  }
  return names;
}

class PointSummary {
 public:
  PointSummary(const SweepResults& results, const Point& point) : results_(results), point_(point) {
    for (const RunRecord& run : results.runs) {
      if (run.point == point.id && run.kind == RunKind::kTiming) {
        (run.status == RunStatus::kOk ? good_ : bad_).push_back(&run);
      }
      bool has_profile = run.point == point.id && !run.profile.empty();
      if (has_profile && (profile_ == nullptr || run.profile.size() < profile_->profile.size())) {
        profile_ = &run;
      }
      if (run.point == point.id && run.kind != RunKind::kTiming && run.status != RunStatus::kOk) {
        besides_.push_back(&run);
      }
    }
  }

  SweepPoint make() const {
    SweepPoint result{.id = point_.id, .values = point_.values};
    for (const PlanMetric& metric : results_.plan.metrics) {
      result.metrics.push_back(number_of(good_, metric.name));
    }
    result.failed_checks = failed_checks(results_.plan, good_);
    tell_failures(result);
    if (profile_ != nullptr) {
      result.profile = profile_->profile;
      std::string page = std::filesystem::path(result.profile).replace_extension(".html").string();
      bool is_there = std::filesystem::exists(results_.directory + "/" + page);
      result.profile_page = is_there ? page : "";
    }
    return result;
  }

 private:
  void tell_failures(SweepPoint& result) const {
    size_t runs = good_.size() + bad_.size();
    if (!bad_.empty()) {
      result.status = status_name(bad_.back()->status);
      result.why = fmt::format("{} of {} runs failed: {}", bad_.size(), runs, bad_.back()->why);
    } else if (!besides_.empty()) {
      result.status = status_name(besides_.back()->status);
      result.why = fmt::format(
          "The {} run failed: {}", kind_name(besides_.back()->kind), besides_.back()->why);
    } else if (good_.empty()) {
      result.status = "not run";
    } else if (good_.size() < results_.plan.repeats) {
      result.why = fmt::format("{} of {} runs are made.", good_.size(), results_.plan.repeats);
    }
  }

  const SweepResults& results_;
  const Point& point_;
  std::vector<const RunRecord*> good_;
  std::vector<const RunRecord*> bad_;
  std::vector<const RunRecord*> besides_;  // warm-ups and recorded runs that failed
  const RunRecord* profile_ = nullptr;
};

void take_machine(const Json& machine, Sweep& sweep) {
  if (const Json* facts = machine.find("facts")) {
    for (const Json& fact : facts->items) {
      sweep.machine_facts.emplace_back(fact.text_at("name"), fact.text_at("value"));
      if (fact.text_at("name") == "usable CPUs") {  // a quota or an affinity may leave fewer
        sweep.cpus = parse_number<double>(fact.text_at("value")).value_or(0);
      }
    }
  }
  if (const Json* findings = machine.find("findings")) {
    for (const Json& finding : findings->items) {
      sweep.machine_findings.push_back({.what = std::string(finding.text_at("what")),
                                        .why = std::string(finding.text_at("why")),
                                        .advice = std::string(finding.text_at("advice"))});
    }
  }
}

SweepAxis axis_of(const Axis& axis) {
  SweepAxis result{.name = axis.name, .unit = axis.unit, .log = axis.log};
  for (const AxisValue& value : axis.values) {
    result.values.push_back(value.name);
    if (axis.is_numeric()) {
      result.numbers.push_back(*value.number);
    }
  }
  return result;
}

// ---- Points to a table --------------------------------------------------------------------------

std::string with_unit(const std::string& name, const std::string& unit) {
  return unit.empty() ? name : fmt::format("{} ({})", name, unit);
}

ReportColumn axis_column(const SweepAxis& axis) {
  bool numeric = !axis.numbers.empty();
  return {.name = axis.name,
          .title = with_unit(axis.name, axis.unit),
          .kind = numeric ? ColumnKind::kNumber : ColumnKind::kText};
}

void push_axis(ReportColumn& column, const SweepAxis& axis, size_t value) {
  if (axis.numbers.empty()) {
    column.text.push_back(axis.values[value]);
  } else {
    column.numbers.push_back(axis.numbers[value]);
  }
}

// Positions of the best and the worst point of a metric; nothing where they are one.
struct Extremes {
  std::optional<size_t> best;
  std::optional<size_t> worst;
};

Extremes extremes_of(const Sweep& sweep, size_t metric) {
  Extremes extremes;
  auto value = [&](size_t point) { return sweep.points[point].metrics[metric]->median.value; };
  for (size_t i = 0; i < sweep.points.size(); ++i) {
    if (!sweep.points[i].metrics[metric]) {
      continue;
    }
    bool more = sweep.metrics[metric].more_is_better;
    auto better = [&](size_t a, size_t b) {
      return more ? value(a) > value(b) : value(a) < value(b);
    };
    extremes.best = !extremes.best || better(i, *extremes.best) ? i : extremes.best;
    extremes.worst = !extremes.worst || better(*extremes.worst, i) ? i : extremes.worst;
  }
  bool all_equal = extremes.best && value(*extremes.best) == value(*extremes.worst);
  return all_equal ? Extremes() : extremes;
}

void add_metric(const Sweep& sweep, size_t metric, Table& table) {
  const SweepMetric& row = sweep.metrics[metric];
  ReportColumn column{
      .name = row.name, .title = with_unit(row.name, row.unit), .kind = ColumnKind::kNumber};
  ReportColumn mark{.name = row.name + "_mark", .title = "", .kind = ColumnKind::kText};
  column.for_programs = row.hidden;
  mark.for_programs = row.hidden;
  Extremes extremes = extremes_of(sweep, metric);
  for (size_t i = 0; i < sweep.points.size(); ++i) {
    const std::optional<SweepNumber>& number = sweep.points[i].metrics[metric];
    column.numbers.push_back(number ? number->median.value : kUnknown);
    column.low.push_back(number ? number->median.low : kUnknown);
    column.high.push_back(number ? number->median.high : kUnknown);
    mark.text.push_back(extremes.best == i ? "best" : extremes.worst == i ? "worst" : "");
  }
  table.columns.push_back(std::move(column));
  table.columns.push_back(std::move(mark));
}

std::string trouble_of(const SweepPoint& point) {
  std::string text = point.status == "ok" ? "" : point.status;
  for (const std::string& check : point.failed_checks) {
    text += (text.empty() ? "check failed: " : "; check failed: ") + check;
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
  table.columns.push_back({.name = "point", .title = "point", .kind = ColumnKind::kCount});
  for (const SweepAxis& axis : sweep.axes) {
    table.columns.push_back(axis_column(axis));
  }
  ReportColumn runs{.name = "runs", .title = "runs", .kind = ColumnKind::kCount};
  ReportColumn status{
      .name = "status", .title = "status", .kind = ColumnKind::kText, .for_programs = true};
  ReportColumn trouble{.name = "trouble", .title = "trouble", .kind = ColumnKind::kText};
  ReportColumn profile{
      .name = "profile", .title = "profile", .kind = ColumnKind::kText, .for_programs = true};
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
    table.columns.push_back({.name = name, .title = name, .kind = ColumnKind::kText});
  }
  for (const char* name : {"sigma", "kappa", "knee"}) {
    table.columns.push_back({.name = name, .title = name, .kind = ColumnKind::kNumber});
  }
  table.columns.push_back({.name = "verdict", .title = "", .kind = ColumnKind::kText});
  table.columns.push_back({.name = "summary", .kind = ColumnKind::kText, .for_programs = true});
  for (const SweepFit& fit : sweep.fits) {
    table.columns[0].text.push_back(sweep.metrics[fit.of.metric].name);
    table.columns[1].text.push_back(sweep.axes[fit.of.axis].name);
    table.columns[2].text.push_back(line_name(sweep, fit));
    bool fitted = fit.fit.verdict != ScalingVerdict::kNotFitted;
    std::optional<Estimate> none;
    std::array<std::optional<Estimate>, 3> numbers = {fitted ? std::optional(fit.fit.sigma) : none,
                                                      fitted ? std::optional(fit.fit.kappa) : none,
                                                      fit.fit.knee};
    for (size_t i = 0; i < numbers.size(); ++i) {
      ReportColumn& column = table.columns[i + 3];
      column.numbers.push_back(numbers[i] ? numbers[i]->value : kUnknown);
      column.low.push_back(numbers[i] ? numbers[i]->low : kUnknown);
      column.high.push_back(numbers[i] ? numbers[i]->high : kUnknown);
    }
    table.columns[6].text.push_back(verdict_name(fit.fit.verdict));
    table.columns[7].text.push_back(fit.fit.summary);
  }
  return table;
}

// Each trouble once, with the points that have it.
void tell_troubles(const Sweep& sweep, std::vector<std::string>& notes) {
  constexpr size_t kMostNamed = 12;
  std::vector<std::pair<std::string, std::vector<uint32_t>>> troubles;
  for (const SweepPoint& point : sweep.points) {
    if (!point.why.empty()) {
      auto same = std::ranges::find(troubles, point.why, [](const auto& row) { return row.first; });
      if (same == troubles.end()) {
        same = troubles.insert(troubles.end(), {point.why, {}});
      }
      same->second.push_back(point.id);
    }
  }
  for (const auto& [why, points] : troubles) {
    size_t named = std::min(points.size(), kMostNamed);
    notes.push_back(
        fmt::format("Point{} {}{}: {}",
                    points.size() == 1 ? "" : "s",
                    fmt::join(std::span(points).first(named), ", "),
                    points.size() > named ? fmt::format(" and {} more", points.size() - named) : "",
                    why));
  }
}

// The fits in words, unless there are too many to read.
void tell_fits(const Sweep& sweep, std::vector<std::string>& notes) {
  constexpr size_t kMostTold = 6;
  for (size_t i = 0; i < std::min(kMostTold, sweep.fits.size()); ++i) {
    const SweepFit& fit = sweep.fits[i];
    std::string where = line_name(sweep, fit);
    notes.push_back(fmt::format("{} along {}{}: {}",
                                sweep.metrics[fit.of.metric].name,
                                sweep.axes[fit.of.axis].name,
                                where.empty() ? "" : fmt::format(" ({})", where),
                                fit.fit.summary));
  }
  if (sweep.fits.size() > kMostTold) {
    notes.push_back(
        fmt::format("{} more fits are told on the page.", sweep.fits.size() - kMostTold));
  }
}

// The points that scale worst, as one sentence a line of points would be too many.
std::string ranking_note(const Sweep& sweep) {
  std::string text;
  std::set<uint32_t> told;  // a point may lie on several lines
  for (const SweepRank& rank : sweep.ranking) {
    if (told.size() == 3 || rank.efficiency.value >= 1) {
      break;
    }
    if (told.insert(rank.point).second) {
      text += fmt::format("{}point {} ({:.0f} %)",
                          text.empty() ? "" : ", ",
                          rank.point,
                          100 * rank.efficiency.value);
    }
  }
  return text.empty() ? text
                      : fmt::format("Furthest from linear scaling: {} of what it would be.", text);
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
struct Compared {
  size_t point = 0;  // position in the first sweep
  size_t metric = 0;
  double before = 0;
  double after = 0;
  RunChange change;
};

bool are_counts(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double v) { return v >= 0 && v == std::floor(v); });
}

std::vector<Compared> compare_points(const Sweep& before, const Sweep& after) {
  std::map<ValueNames, const SweepPoint*> others;
  for (const SweepPoint& point : after.points) {
    others[value_names(after, point)] = &point;
  }
  std::vector<Compared> rows;
  for (size_t i = 0; i < before.points.size(); ++i) {
    auto other = others.find(value_names(before, before.points[i]));
    for (size_t metric = 0; other != others.end() && metric < before.metrics.size(); ++metric) {
      auto same = std::ranges::find(after.metrics, before.metrics[metric].name, &SweepMetric::name);
      if (same == after.metrics.end()) {
        continue;
      }
      const auto& first = before.points[i].metrics[metric];
      const auto& second =
          other->second->metrics[static_cast<size_t>(same - after.metrics.begin())];
      bool comparable = first && second && first->values.size() + second->values.size() > 2;
      if (comparable) {
        rows.push_back(
            {.point = i,
             .metric = metric,
             .before = median(first->values),
             .after = median(second->values),
             .change = change_of_runs(first->values,
                                      second->values,
                                      are_counts(first->values) && are_counts(second->values))});
      }
    }
  }
  return rows;
}

std::string verdict_of(const Compared& row, double probability, bool more_is_better) {
  if (!(probability < 0.05)) {
    return "no evidence";
  }
  return (row.change.value > 0) == more_is_better ? "better" : "worse";
}

}  // namespace

Sweep summarise_sweep(const SweepResults& results) {
  Sweep sweep{.name = results.plan.name, .directory = results.directory, .notes = results.notes};
  for (const Axis& axis : results.plan.axes) {
    sweep.axes.push_back(axis_of(axis));
  }
  for (const PlanMetric& metric : results.plan.metrics) {
    sweep.metrics.push_back({metric.name, metric.unit, metric.more_is_better, metric.hidden});
  }
  take_machine(results.machine, sweep);
  for (const Point& point : results.points) {
    sweep.points.push_back(PointSummary(results, point).make());
  }
  return sweep;
}

Report sweep_report(const Sweep& sweep) {
  Report report{.title = sweep.name};
  report.sections.push_back({"points", "Points", points_table(sweep)});
  if (!sweep.fits.empty()) {
    report.sections.push_back({"scaling", "Scaling", scaling_table(sweep)});
  }
  tell_troubles(sweep, report.notes);
  tell_fits(sweep, report.notes);
  if (std::string note = ranking_note(sweep); !note.empty()) {
    report.notes.push_back(std::move(note));
  }
  for (const MachineFinding& finding : sweep.machine_findings) {
    report.notes.push_back(fmt::format("Machine: {}: {}.", finding.what, finding.why));
  }
  report.notes.insert(report.notes.end(), sweep.notes.begin(), sweep.notes.end());
  return report;
}

Result<Report> compare_sweeps(const Sweep& before, const Sweep& after) {
  std::vector<Compared> rows = compare_points(before, after);
  if (rows.empty()) {
    return fail("{} and {} have no point with a metric in common: they are of different plans.",
                before.directory,
                after.directory);
  }
  std::vector<double> probabilities;
  for (const Compared& row : rows) {
    probabilities.push_back(row.change.probability);
  }
  probabilities = holm(probabilities);
  Table table;
  for (const SweepAxis& axis : before.axes) {
    table.columns.push_back(axis_column(axis));
  }
  size_t axes = before.axes.size();
  auto number = [](const char* name, const char* title) {
    return ReportColumn{.name = name, .title = title, .kind = ColumnKind::kNumber};
  };
  table.columns.push_back({.name = "metric", .title = "metric", .kind = ColumnKind::kText});
  table.columns.push_back(number("before", "before"));
  table.columns.push_back(number("after", "after"));
  table.columns.push_back(number("change", "change %"));
  table.columns.push_back({.name = "verdict", .title = "verdict", .kind = ColumnKind::kText});
  table.columns.push_back(number("probability", "p"));
  table.columns[axes + 3].is_difference = true;
  table.columns[axes + 5].for_programs = true;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Compared& row = rows[i];
    const SweepMetric& metric = before.metrics[row.metric];
    for (size_t axis = 0; axis < axes; ++axis) {
      push_axis(table.columns[axis], before.axes[axis], before.points[row.point].values[axis]);
    }
    table.columns[axes].text.push_back(with_unit(metric.name, metric.unit));
    table.columns[axes + 1].numbers.push_back(row.before);
    table.columns[axes + 2].numbers.push_back(row.after);
    ReportColumn& change = table.columns[axes + 3];
    change.numbers.push_back(100 * row.change.value);
    change.low.push_back(100 * row.change.low);
    change.high.push_back(100 * row.change.high);
    table.columns[axes + 4].text.push_back(
        verdict_of(row, probabilities[i], metric.more_is_better));
    table.columns[axes + 5].numbers.push_back(probabilities[i]);
  }
  Report report{
      .title = fmt::format("{}: {} against {}", before.name, before.directory, after.directory)};
  report.sections.push_back({"points", "Points", std::move(table)});
  return report;
}

}  // namespace wick
