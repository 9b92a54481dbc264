// SPDX-License-Identifier: Apache-2.0
// Groups the runs of a sweep by point, turns each metric into a number with an interval, and adds
// what a reader must know before the numbers: changes of the machine, failed runs, builds, and the
// frequency.
#include "experiment/sweep/summary.h"

#include <algorithm>
#include <filesystem>

#include "acquire/acquire.h"
#include "base/parse_number.h"
#include "base/statistics.h"
#include "experiment/disturbed_runs.h"
#include "experiment/sweep/comparison.h"
#include "profile/filter.h"
#include "record/cpu_frequency.h"

namespace wick {
namespace {

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

// Each check with how often it failed, unless it always failed.
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

  // Notes on the runs that took far longer than the others while the host took their CPUs.
  void report_steal(std::vector<std::string>& notes) const {
    std::vector<RunFacts> facts;
    for (const RunRecord* run : good_) {
      facts.push_back({.wall_seconds = run->seconds,
                       .stolen_seconds = run->stolen_seconds.value_or(kNoNumber)});
    }
    for (size_t i : disturbed_runs(facts)) {
      if (is_disturbed_by_host(facts, i)) {
        notes.push_back(disturbed_text(
            fmt::format("Run {} of point {}", good_[i]->repeat, point_.id), facts, i));
      }
    }
  }

  SweepPoint make() const {
    SweepPoint result{.id = point_.id, .values = point_.values};
    for (const PlanMetric& metric : results_.plan.metrics) {
      result.metrics.push_back(number_of(good_, metric.name));
    }
    result.failed_checks = failed_checks(results_.plan, good_);
    report_cuts(result);
    report_failures(result);
    if (profile_ != nullptr) {
      result.profile = profile_->profile;
      std::string page = std::filesystem::path(result.profile).replace_extension(".html").string();
      bool is_there = std::filesystem::exists(results_.directory + "/" + page);
      result.profile_page = is_there ? page : "";
    }
    return result;
  }

 private:
  void report_cuts(SweepPoint& result) const {
    size_t cut = 0;
    for (const RunRecord* run : good_) {
      cut += !run->cut.empty();
      result.cut = run->cut.empty() ? result.cut : run->cut;
    }
    if (cut > 0) {
      result.cut =
          fmt::format("In {} of {} runs wick skipped output: {}", cut, good_.size(), result.cut);
    }
  }

  void report_failures(SweepPoint& result) const {
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
      result.why = fmt::format("{} of {} runs are done.", good_.size(), results_.plan.repeats);
    }
  }

  const SweepResults& results_;
  const Point& point_;
  std::vector<const RunRecord*> good_;
  std::vector<const RunRecord*> bad_;
  std::vector<const RunRecord*> besides_;  // failed warm-ups and recorded runs
  const RunRecord* profile_ = nullptr;
};

void take_machine(const Json& machine, Sweep& sweep) {
  if (const Json* facts = machine.find("facts")) {
    for (const Json& fact : facts->items) {
      sweep.machine_facts.emplace_back(fact.text_at("name"), fact.text_at("value"));
      if (fact.text_at("name") == "usable CPUs") {  // a quota or an affinity may allow fewer
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

void report_changes(const std::vector<StoredMachine>& machines, std::vector<std::string>& notes) {
  for (size_t i = 1; i < machines.size(); ++i) {
    notes.push_back(
        fmt::format("From run {} on, the machine was a different one or had changed, so times "
                    "before and after are not comparable: {}.",
                    machines[i].first_run,
                    fmt::join(machine_changes(machines[i - 1].facts, machines[i].facts), ", ")));
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

// Of its first event.
Result<SweepCost> cost_in(const std::string& path, const std::vector<Area>& areas) {
  acquire::Acquired acquired = TRY(acquire::read({path}));
  Filter filter;
  filter.keep_events = KeepEvents::kFirst;
  Filtered filtered = TRY(apply_filter(std::move(acquired.profile), filter));
  return cost_of_profile(filtered.profile, areas);
}

// All points run the same program or a few of them, so checking the first point is enough.
void report_builds(Sweep& sweep) {
  const SweepPoint* first = nullptr;
  size_t others = 0;
  for (const SweepPoint& point : sweep.points) {
    if (point.cost && !point.cost->cautions.empty()) {
      others += first == nullptr ? 0U : 1U;
      first = first == nullptr ? &point : first;
    }
  }
  for (const std::string& caution :
       first == nullptr ? std::vector<std::string>() : first->cost->cautions) {
    sweep.cautions.push_back(
        fmt::format("Point {}{}: {}",
                    first->id,
                    others == 0 ? "" : fmt::format(", and {} more like it", others),
                    caution));
  }
}

// Names the areas that match nothing in any profile.
void report_unmatched(const std::vector<Area>& areas, Sweep& sweep) {
  bool has_profile = std::ranges::any_of(
      sweep.points, [](const SweepPoint& point) { return point.cost.has_value(); });
  for (size_t area = 0; has_profile && area < areas.size(); ++area) {
    bool is_unmatched = std::ranges::all_of(sweep.points, [&](const SweepPoint& point) {
      return !point.cost || point.cost->unmatched_areas[area];
    });
    if (is_unmatched) {
      sweep.warnings.push_back(unmatched_area_text(areas[area]));
    }
  }
}

// Whether the clock frequency held in the timed runs; empty if it is unknown.
std::string clock_text(const std::vector<RunRecord>& runs) {
  std::vector<double> mhz;
  for (const RunRecord& run : runs) {
    if (run.kind == RunKind::kTiming && run.status == RunStatus::kOk && run.clock_mhz) {
      mhz.push_back(*run.clock_mhz);
    }
  }
  return record::frequency_text(mhz);
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
  if (!results.machines.empty()) {
    take_machine(results.machines.front().facts, sweep);
    report_changes(results.machines, sweep.notes);
  }
  for (const Point& point : results.points) {
    PointSummary summary(results, point);
    sweep.points.push_back(summary.make());
    summary.report_steal(sweep.notes);
  }
  if (std::string text = clock_text(results.runs); !text.empty()) {
    sweep.notes.push_back(std::move(text));
  }
  mark_extremes(sweep);
  return sweep;
}

Result<std::vector<Area>> areas_of(const Plan& plan) {
  std::vector<Area> areas;
  for (const auto& [name, expression] : plan.areas) {
    areas.push_back({name, TRY(Pattern::compile(expression))});
  }
  return areas;
}

Result<Sweep> findings_of(const SweepResults& results,
                          const std::string& directory,
                          const std::vector<Area>& areas) {
  Sweep sweep = summarise_sweep(results);
  for (const Area& area : areas) {
    sweep.areas.push_back(area.name);
  }
  for (SweepPoint& point : sweep.points) {
    if (point.profile.empty()) {
      continue;
    }
    if (Result<SweepCost> cost = cost_in(directory + "/" + point.profile, areas)) {
      point.cost = std::move(*cost);
    } else {
      sweep.notes.push_back(
          fmt::format("The profile of point {} is left out: {}", point.id, cost.error().message));
    }
  }
  report_builds(sweep);
  report_unmatched(areas, sweep);
  if (!results.plan.fits_nothing) {
    find_scaling(sweep, results.plan.scaling);
  }
  return sweep;
}

}  // namespace wick
