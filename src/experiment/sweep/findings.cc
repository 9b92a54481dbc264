// SPDX-License-Identifier: Apache-2.0
// Two independent parts.
//
// Scaling: points that differ only in one axis form a line (lines_along). Each line is fitted
// twice. The first fit gives the probability that the line is linear; correct_levels() turns the
// probabilities of all lines into a level for each line (Holm), and the second fit uses that level
// for its verdict. Without requests in the plan, axes and metrics are guessed, and a guess is
// worded as one.
//
// Profiles: the cost of a point is reduced to the shares of areas and of the 200 largest functions
// by self and by total. least_self bounds the self of every function that was left out, so that a
// comparison of two points knows how large a missing function can be.
#include "experiment/sweep/findings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <map>

#include <fmt/format.h>

#include "analyze/group_costs.h"
#include "analyze/summary.h"
#include "base/statistics.h"
#include "profile/stack_costs.h"

namespace wick {
namespace {

// ---- Scaling -----------------------------------------------------------------------------------

bool has_three_numbers(const SweepAxis& axis) {
  return std::ranges::count_if(axis.numbers, [](double number) { return number >= 1; }) >= 3;
}

// "threads", "client_processes". A name such as `n` may mean anything.
bool names_workers(std::string name) {
  constexpr std::array kParts = {"thread",
                                 "worker",
                                 "client",
                                 "instance",
                                 "proc",
                                 "core",
                                 "cpu",
                                 "job",
                                 "pair",
                                 "connect",
                                 "user",
                                 "node",
                                 "replica",
                                 "shard",
                                 "concur",
                                 "parallel",
                                 "copies"};
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::any_of(
      kParts, [&](const char* part) { return name.find(part) != std::string::npos; });
}

std::vector<ScalingRequest> usual_scaling(const Sweep& sweep) {
  std::vector<ScalingRequest> asked;
  for (size_t axis = 0; axis < sweep.axes.size(); ++axis) {
    if (!has_three_numbers(sweep.axes[axis])) {
      continue;
    }
    bool is_guess = !names_workers(sweep.axes[axis].name);
    for (size_t metric = 0; metric < sweep.metrics.size(); ++metric) {
      if (sweep.metrics[metric].more_is_better) {
        asked.push_back({metric, axis, ThroughputAs::kValue, is_guess});
      }
    }
    if (std::ranges::none_of(sweep.metrics, &SweepMetric::more_is_better) &&
        !sweep.metrics.empty()) {
      asked.push_back({0, axis, ThroughputAs::kInverse, is_guess});
    }
  }
  return asked;
}

double throughput(double value, double n, ThroughputAs as) {
  switch (as) {
    case ThroughputAs::kValue:
      return value;
    case ThroughputAs::kInverse:
      return value > 0 ? 1 / value : 0;
    case ThroughputAs::kPerN:
      return value > 0 ? n / value : 0;
  }
  return 0;
}

// Points that differ only in their value of one axis.
using PointLine = std::vector<const SweepPoint*>;

std::map<std::vector<size_t>, PointLine> lines_along(const Sweep& sweep, size_t axis) {
  std::map<std::vector<size_t>, PointLine> lines;
  for (const SweepPoint& point : sweep.points) {
    std::vector<size_t> rest = point.values;
    rest[axis] = 0;
    lines[rest].push_back(&point);
  }
  return lines;
}

void note_what_is_known(const Sweep& sweep,
                        const ScalingRequest& of,
                        double largest,
                        ScalingFit& fit) {
  const SweepMetric& metric = sweep.metrics[of.metric];
  if (of.as == ThroughputAs::kInverse) {
    fit.notes.push_back(
        fmt::format("Throughput is 1 / {}: valid if every run does the same work.", metric.name));
  } else if (of.as == ThroughputAs::kPerN) {
    fit.notes.push_back(
        fmt::format("Throughput is {} / {}: valid if the work of a run grows with {}.",
                    sweep.axes[of.axis].name,
                    metric.name,
                    sweep.axes[of.axis].name));
  }
  bool full_at_cpus = fit.ceiling && fit.knee && fit.knee->low <= 1.1 * sweep.cpus &&
                      fit.knee->high >= 0.9 * sweep.cpus;
  if (sweep.cpus > 0 && full_at_cpus) {
    fit.notes.push_back(fmt::format("{} CPUs are usable here: they may be the limit.", sweep.cpus));
  } else if (sweep.cpus > 0 && largest > sweep.cpus && fit.verdict != ScalingVerdict::kNotFitted) {
    fit.notes.push_back(fmt::format(
        "{} goes up to {:.6g} on {} CPUs: if each needs a CPU, the machine causes flattening "
        "beyond {}.",
        sweep.axes[of.axis].name,
        largest,
        sweep.cpus,
        sweep.cpus));
  }
}

// If several workers do less than one alone, the axis is hardly a number of workers.
bool least_does_best(const Sweep& sweep, const ScalingRequest& of, const PointLine& line) {
  std::map<double, double> by_n;
  for (const SweepPoint* point : line) {
    double n = sweep.axes[of.axis].numbers[point->values[of.axis]];
    const std::optional<SweepNumber>& number = point->metrics[of.metric];
    if (number && point->status == "ok") {
      by_n[n] = throughput(number->median.value, n, of.as);
    }
  }
  auto best = std::ranges::max_element(by_n, {}, [](const auto& step) { return step.second; });
  return best == by_n.begin();
}

// A line of points to fit.
struct LineRuns {
  ScalingRequest of;
  std::vector<size_t> rest;
  PointLine line;
  std::vector<ScalingRun> runs;
  double largest = 0;
  double level = kLevel;
};

LineRuns runs_along(const Sweep& sweep,
                    const ScalingRequest& of,
                    const std::vector<size_t>& rest,
                    const PointLine& line) {
  LineRuns result{.of = of, .rest = rest, .line = line};
  for (const SweepPoint* point : line) {
    double n = sweep.axes[of.axis].numbers[point->values[of.axis]];
    const std::optional<SweepNumber>& number = point->metrics[of.metric];
    if (number && point->status == "ok") {
      result.largest = std::max(result.largest, n);
      for (double value : number->values) {
        result.runs.push_back({n, throughput(value, n, of.as)});
      }
    }
  }
  return result;
}

// Of many fits of linear lines, some look nonlinear by chance. The level of each is lowered so that
// all of them together are right 19 times in 20 (Holm). Lines with too few points are not fitted,
// and do not count.
void correct_levels(std::vector<LineRuns>& lines) {
  std::vector<LineRuns*> fitted;
  std::vector<double> probabilities;
  for (LineRuns& line : lines) {
    ScalingFit fit = fit_scaling(line.runs);
    if (fit.verdict != ScalingVerdict::kNotFitted) {
      fitted.push_back(&line);
      probabilities.push_back(fit.probability);
    }
  }
  std::vector<double> corrected = holm(probabilities);
  for (size_t i = 0; i < fitted.size(); ++i) {
    double times =
        probabilities[i] > 0 ? corrected[i] / probabilities[i] : static_cast<double>(fitted.size());
    fitted[i]->level = kLevel / std::max(times, 1.0);
  }
}

void fit_line(Sweep& sweep, const LineRuns& line) {
  SweepFit found{.of = line.of, .rest = line.rest, .fit = fit_scaling(line.runs, line.level)};
  note_what_is_known(sweep, line.of, line.largest, found.fit);
  if (line.of.is_guess && found.fit.verdict != ScalingVerdict::kNotFitted) {
    found.fit.summary = fmt::format(
        "If {} is a number of workers: {}", sweep.axes[line.of.axis].name, found.fit.summary);
  }
  for (const ScalingEfficiency& step : scaling_efficiency(line.runs)) {
    for (const SweepPoint* point : line.line) {
      if (sweep.axes[line.of.axis].numbers[point->values[line.of.axis]] == step.n) {
        sweep.ranking.push_back({sweep.fits.size(), point->id, step.efficiency});
      }
    }
  }
  sweep.fits.push_back(std::move(found));
}

// ---- Profiles ----------------------------------------------------------------------------------

constexpr size_t kMaxFunctions = 200;

// Marks the largest groups; returns the largest value of the others.
int64_t mark_largest(const std::vector<Cost>& of, std::vector<bool>& wanted) {
  std::vector<size_t> order;
  for (size_t group = 0; group < of.size(); ++group) {
    if (of[group].weight > 0) {
      order.push_back(group);
    }
  }
  std::ranges::stable_sort(order, std::greater(), [&](size_t group) { return of[group].weight; });
  for (size_t rank = 0; rank < std::min(order.size(), kMaxFunctions); ++rank) {
    wanted[order[rank]] = true;
  }
  return order.size() > kMaxFunctions ? of[order[kMaxFunctions]].weight : 0;
}

}  // namespace

std::string_view mark_name(PointMark mark) {
  return mark == PointMark::kBest ? "best" : mark == PointMark::kWorst ? "worst" : "";
}

void find_scaling(Sweep& sweep, std::span<const ScalingRequest> asked) {
  std::vector<ScalingRequest> usual;
  if (asked.empty()) {
    usual = usual_scaling(sweep);
    asked = usual;
  }
  std::vector<LineRuns> lines;
  for (const ScalingRequest& of : asked) {
    if (sweep.axes[of.axis].numbers.empty()) {
      continue;
    }
    for (const auto& [rest, line] : lines_along(sweep, of.axis)) {
      if (!of.is_guess || !least_does_best(sweep, of, line)) {
        lines.push_back(runs_along(sweep, of, rest, line));
      }
    }
  }
  correct_levels(lines);
  for (const LineRuns& line : lines) {
    fit_line(sweep, line);
  }
  std::ranges::stable_sort(
      sweep.ranking, {}, [](const SweepRank& rank) { return rank.efficiency.value; });
}

void link_profiles_from(const std::string& page, Sweep& sweep) {
  std::error_code problem;
  std::filesystem::path here = std::filesystem::absolute(page, problem).parent_path();
  std::filesystem::path there = std::filesystem::absolute(sweep.directory, problem);
  for (SweepPoint& point : sweep.points) {
    if (!point.profile_page.empty()) {
      point.profile_page = (there / point.profile_page).lexically_proximate(here).string();
    }
  }
}

SweepCost cost_of_profile(const Profile& profile, const std::vector<Area>& areas) {
  StackCosts costs(profile);
  Measure measure(profile, costs);
  Report head = start_report(profile, costs, "");
  SweepCost result{.samples = costs.effective_samples(),
                   .weight = measure.weight(costs.total().weight),
                   .unit = head.unit,
                   .cautions = head.cautions};
  AreaStacks stacks = area_stacks(profile, areas, AreaRule::kEvery);
  result.unmatched_areas = stacks.unmatched;
  for (const Cost& total : area_costs(costs, stacks).total) {
    Interval interval = measure.interval(total.weight);
    result.areas.push_back({measure.share(total.weight), interval.low, interval.high});
  }
  // As in `wick diff`, functions are identified by name.
  FrameGroups groups(profile, GroupBy::kFunction, [](Group&) {});
  GroupCosts of = group_costs(profile, costs, groups);
  std::vector<bool> wanted(groups.size());
  result.least_self = measure.share(mark_largest(of.self, wanted));
  mark_largest(of.total, wanted);
  for (size_t group = 0; group < groups.size(); ++group) {
    if (wanted[group]) {
      result.functions.push_back({groups[GroupId::from_index(group)].name,
                                  measure.share(of.self[group].weight),
                                  measure.share(of.total[group].weight)});
    }
  }
  std::ranges::stable_sort(result.functions, std::greater(), &SweepFunction::self);
  return result;
}

}  // namespace wick
