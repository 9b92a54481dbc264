// SPDX-License-Identifier: Apache-2.0
// Turns measured runs into the report of `wick stat`.
//
//     1. all_metrics      every metric that some run has, by name
//     2. one command      median, interval and spread of each metric
//        two commands     runs of the same turn are a pair; compare_metric() tests the pairs, and
//                         Holm's method corrects the verdicts for the number of rows
//     3. notes            missing counters and why, counters that ran for a part of the time
//     4. sections         histogram, threads, and for programs every run and the machine
//
// Invariant: a metric counts only the runs that have it. A missing counter is never a zero, and a
// row and its note use the same test.
#include "experiment/stat/stat_report.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/statistics.h"
#include "base/verdict.h"
#include "experiment/disturbed_runs.h"
#include "experiment/paired_runs.h"
#include "experiment/run_change.h"
#include "report/columns.h"

namespace wick {
namespace {

constexpr size_t kLeastForHistogram = 6;
constexpr size_t kWidestBar = 50;

const RunMetric* find(const StatRun& run, std::string_view name) {
  auto found = std::ranges::find(run.metrics, name, &RunMetric::name);
  return found == run.metrics.end() ? nullptr : &*found;
}

std::vector<double> values_of(std::span<const StatRun* const> runs, std::string_view name) {
  std::vector<double> values;
  for (const StatRun* run : runs) {
    if (const RunMetric* metric = find(*run, name)) {
      values.push_back(metric->value);
    }
  }
  return values;
}

// Every metric that some run has, in the order of the first run that has it.
std::vector<RunMetric> all_metrics(std::span<const StatSide> sides, const StatOptions& options) {
  std::vector<RunMetric> metrics;
  for (const StatSide& side : sides) {
    for (const StatRun& run : side.runs) {
      for (const RunMetric& metric : run.metrics) {
        bool hidden = std::ranges::find(options.hidden, metric.name) != options.hidden.end();
        if (!hidden && std::ranges::find(metrics, metric.name, &RunMetric::name) == metrics.end()) {
          metrics.push_back(metric);
        }
      }
    }
  }
  return metrics;
}

// The unit that is printed with the numbers; other units ("per cycle") are in words next to them.
std::string shown_unit(const RunMetric& metric) {
  return metric.unit == "seconds" || metric.unit == "bytes" ? metric.unit : "";
}

// ---- Remarks ------------------------------------------------------------------------------------

// The mean part of the time during which a counter ran; 1 for metrics that are not counters.
double share_counted(std::span<const StatRun* const> runs, std::string_view name) {
  double sum = 0;
  size_t count = 0;
  for (const StatRun* run : runs) {
    auto counter = std::ranges::find_if(run->counters, [&](const CounterReading& one) {
      return one.name == name && one.has_value();
    });
    if (counter != run->counters.end()) {
      sum += counter->share();
      ++count;
    }
  }
  return count == 0 ? 1 : sum / static_cast<double>(count);
}

std::string cpus_busy(std::span<const StatRun* const> runs, std::string_view name) {
  std::vector<double> busy;
  for (const StatRun* run : runs) {
    const RunMetric* wall = find(*run, "wall");
    const RunMetric* clock = find(*run, name);
    if (wall != nullptr && clock != nullptr && wall->value > 0) {
      busy.push_back(clock->value / wall->value);
    }
  }
  return busy.empty() ? "" : fmt::format("{:.2f} CPUs busy", median(std::move(busy)));
}

bool is_user_only(std::span<const StatRun* const> runs, std::string_view name) {
  return std::ranges::any_of(runs, [&](const StatRun* run) {
    auto counter = std::ranges::find(run->counters, name, &CounterReading::name);
    return counter != run->counters.end() && counter->user_only;
  });
}

std::string remark_on(const RunMetric& metric, std::span<const StatRun* const> runs) {
  if (!shown_unit(metric).empty() || metric.unit.empty()) {
    if (metric.name == "task-clock" || metric.name == "cpu-clock") {
      return cpus_busy(runs, metric.name);
    }
    bool bound = metric.name == "peak-memory" && std::ranges::any_of(runs, &StatRun::peak_is_bound);
    if (bound) {
      return "upper bound (wick's)";
    }
    std::string remark;
    double share = share_counted(runs, metric.name);
    if (share < 1) {
      remark = fmt::format("counted {:.0f} % of the time, scaled", 100 * share);
    }
    if (is_user_only(runs, metric.name)) {
      remark += remark.empty() ? "" : "; ";
      remark += "without the kernel";
    }
    return remark;
  }
  return metric.unit;
}

// ---- One command --------------------------------------------------------------------------------

Table table_of_one(const StatSide& side, const StatOptions& options) {
  std::vector<const StatRun*> runs = runs_that_count(side);
  bool several = runs.size() > 1;
  ReportColumn value = weight_column(several ? "median" : "value", several ? "median" : "");
  ReportColumn spread = share_column("spread", "+- %");
  ReportColumn least = weight_column("least", "least");
  ReportColumn most = weight_column("most", "most");
  least.for_programs = most.for_programs = true;
  ReportColumn count = for_programs(count_column("runs", "runs"));
  ReportColumn name = name_column("metric");
  ReportColumn unit = for_programs(text_column("unit", "unit", ColumnRole::kUnit));
  ReportColumn counted = for_programs(share_column("counted_share", "counted"));
  ReportColumn remark = text_column("remark", "");
  for (const RunMetric& metric : all_metrics(std::span(&side, 1), options)) {
    std::vector<double> values = values_of(runs, metric.name);
    if (values.empty()) {
      continue;
    }
    RunSummary summary = summarise_runs(values);
    value.numbers.push_back(summary.median);
    value.units.push_back(shown_unit(metric));
    if (several) {
      value.low.push_back(summary.low);
      value.high.push_back(summary.high);
    }
    bool has_spread = summary.median > 0 && values.size() > 1;
    spread.numbers.push_back(has_spread ? summary.deviation / summary.median : kNoNumber);
    least.numbers.push_back(summary.least);
    least.units.push_back(shown_unit(metric));
    most.numbers.push_back(summary.most);
    most.units.push_back(shown_unit(metric));
    count.numbers.push_back(static_cast<double>(values.size()));
    name.text.push_back(metric.name);
    unit.text.push_back(unit_for_programs(metric.unit));
    counted.numbers.push_back(share_counted(runs, metric.name));
    remark.text.push_back(remark_on(metric, runs));
  }
  Table table;
  table.columns.push_back(std::move(value));
  if (several) {
    table.columns.push_back(std::move(spread));
    table.columns.push_back(std::move(least));
    table.columns.push_back(std::move(most));
  }
  for (ReportColumn* column : {&count, &name, &unit, &counted, &remark}) {
    table.columns.push_back(std::move(*column));
  }
  return table;
}

// ---- Two commands -------------------------------------------------------------------------------

struct ComparedMetric {
  RunMetric metric;
  RunChange change;
};

// The runs that form a pair: both are of the same turn, and both count.
struct PairedRuns {
  std::vector<const StatRun*> before;
  std::vector<const StatRun*> after;
};

PairedRuns pairs_of(std::span<const StatSide> sides) {
  std::vector<const StatRun*> first = runs_that_count(sides[0]);
  std::vector<const StatRun*> second = runs_that_count(sides[1]);
  auto counts = [](const std::vector<const StatRun*>& runs, const StatRun& run) {
    return std::ranges::find(runs, &run) != runs.end();
  };
  PairedRuns pairs;
  size_t turns = std::min(sides[0].runs.size(), sides[1].runs.size());
  for (size_t i = 0; i < turns; ++i) {
    if (counts(first, sides[0].runs[i]) && counts(second, sides[1].runs[i])) {
      pairs.before.push_back(&sides[0].runs[i]);
      pairs.after.push_back(&sides[1].runs[i]);
    }
  }
  return pairs;
}

// Uses the pairs whose runs both have the metric; nothing if there is no such pair.
std::optional<ComparedMetric> compare_metric(const RunMetric& metric, const PairedRuns& pairs) {
  std::vector<double> before;
  std::vector<double> after;
  for (size_t i = 0; i < pairs.before.size(); ++i) {
    const RunMetric* first = find(*pairs.before[i], metric.name);
    const RunMetric* second = find(*pairs.after[i], metric.name);
    if (first != nullptr && second != nullptr) {
      before.push_back(first->value);
      after.push_back(second->value);
    }
  }
  if (before.empty()) {
    return std::nullopt;
  }
  return ComparedMetric{.metric = metric,
                        .change = change_of_pairs(before, after, metric.unit.empty())};
}

std::vector<ComparedMetric> compare_metrics(std::span<const StatSide> sides,
                                            const StatOptions& options) {
  PairedRuns pairs = pairs_of(sides);
  std::vector<ComparedMetric> all;
  for (const RunMetric& metric : all_metrics(sides, options)) {
    if (std::optional<ComparedMetric> compared = compare_metric(metric, pairs)) {
      all.push_back(std::move(*compared));
    }
  }
  return all;
}

void add_verdict(const ComparedMetric& compared, double corrected, ReportColumn& verdict) {
  if (corrected >= kLevel || compared.change.value == 0) {
    verdict.judge(kNoEvidenceText, Tone::kNeutral);
    return;
  }
  bool less = compared.change.after < compared.change.before;
  bool is_time = compared.metric.unit == "seconds";
  Tone tone = !is_time ? Tone::kNeutral : less ? Tone::kGood : Tone::kBad;
  verdict.judge(verdict_text(less ? Verdict::kLess : Verdict::kMore,
                             is_time ? VerdictOn::kTime : VerdictOn::kShare),
                tone);
}

Table table_of_two(std::span<const StatSide> sides, const StatOptions& options) {
  std::vector<ComparedMetric> all = compare_metrics(sides, options);
  std::vector<double> probabilities;
  for (const ComparedMetric& compared : all) {
    probabilities.push_back(compared.change.probability);
  }
  std::vector<double> corrected = holm(probabilities);
  ReportColumn before = weight_column("before", "before", ColumnRole::kBefore);
  ReportColumn after = weight_column("after", "after", ColumnRole::kAfter);
  ReportColumn change = difference(share_column("relative", "change %", ColumnRole::kChange));
  ReportColumn verdict = verdict_column();
  ReportColumn probability = for_programs(number_column("probability", "probability"));
  ReportColumn unit = for_programs(text_column("unit", "unit", ColumnRole::kUnit));
  ReportColumn name = name_column("metric");
  for (size_t i = 0; i < all.size(); ++i) {
    const ComparedMetric& one = all[i];
    before.numbers.push_back(one.change.before);
    after.numbers.push_back(one.change.after);
    before.units.push_back(shown_unit(one.metric));
    after.units.push_back(shown_unit(one.metric));
    change.numbers.push_back(one.change.value);
    change.low.push_back(one.change.low);
    change.high.push_back(one.change.high);
    add_verdict(one, corrected[i], verdict);
    probability.numbers.push_back(corrected[i]);
    unit.text.push_back(unit_for_programs(one.metric.unit));
    name.text.push_back(one.metric.name);
  }
  Table table;
  for (ReportColumn* column : {&before, &after, &change, &verdict, &probability, &unit, &name}) {
    table.columns.push_back(std::move(*column));
  }
  return table;
}

// ---- Notes --------------------------------------------------------------------------------------

// The counters that no run could read, in one sentence per reason.
void add_missing(const StatSide& side,
                 const StatOptions& options,
                 std::vector<std::string>& notes) {
  if (side.runs.empty() || side.runs[0].counters.size() != options.requests.size()) {
    return;
  }
  const std::vector<CounterReading>& readings = side.runs[0].counters;
  std::optional<std::string> no_hardware = why_no_hardware(options.requests, readings);
  if (no_hardware) {
    notes.push_back(*no_hardware);
  }
  std::map<std::string, std::vector<std::string>> by_reason;
  for (size_t i = 0; i < readings.size(); ++i) {
    // A number that the kernel's accounting has as well is not missing.
    bool reported = (no_hardware && is_hardware(options.requests[i].event)) ||
                    find(side.runs[0], readings[i].name) != nullptr ||
                    (readings[i].name == "context-switches" &&
                     std::ranges::find(options.hidden, readings[i].name) != options.hidden.end());
    std::string why = readings[i].missing;
    if (why.empty() && !readings[i].has_value()) {
      why = "it never got a turn on the processor; count fewer at once (-e)";
    }
    if (!why.empty() && !reported) {
      std::vector<std::string>& names = by_reason[why];
      if (std::ranges::find(names, readings[i].name) == names.end()) {
        names.push_back(readings[i].name);
      }
    }
  }
  for (const auto& [why, names] : by_reason) {
    notes.push_back(fmt::format("Not available: {} ({}).", fmt::join(names, ", "), why));
  }
}

void add_shared_counters(const StatSide& side, std::vector<std::string>& notes) {
  bool shared = std::ranges::any_of(side.runs, [](const StatRun& run) {
    return std::ranges::any_of(run.counters, [](const CounterReading& counter) {
      return counter.has_value() && counter.share() < 1;
    });
  });
  if (shared) {
    notes.push_back(
        "The processor cannot count all events at once, so groups took turns; counts from a part "
        "of the time are scaled to the whole, which is an estimate. -e chooses fewer.");
  }
}

// A row may seem significant although its corrected verdict is not.
void add_correction(const Table& two, std::vector<std::string>& notes) {
  const ReportColumn& change = *two.find("relative");
  const ReportColumn& verdict = *two.find("verdict");
  for (size_t row = 0; row < change.low.size(); ++row) {
    bool without_zero = change.low[row] > 0 || change.high[row] < 0;
    if (without_zero && verdict.text[row] == kNoEvidenceText) {
      notes.push_back(
          fmt::format("Each interval is for its row alone; verdicts are corrected for all {} rows, "
                      "so one may say \"no evidence\" next to an interval without 0. More runs "
                      "(-r) or fewer rows (-e) could decide.",
                      change.low.size()));
      return;
    }
  }
}

std::string end_text(int status) {
  constexpr int kSignals = 128;
  const char* name = status > kSignals ? ::sigabbrev_np(status - kSignals) : nullptr;
  return name == nullptr ? fmt::format("with status {}", status)
                         : fmt::format("with status {} (SIG{})", status, name);
}

void add_failures(const StatSide& side, std::vector<std::string>& notes) {
  auto failed =
      std::ranges::count_if(side.runs, [](const StatRun& run) { return run.status != 0; });
  if (failed == 0) {
    return;
  }
  auto first = std::ranges::find_if(side.runs, [](const StatRun& run) { return run.status != 0; });
  bool all = static_cast<size_t>(failed) == side.runs.size();
  std::string end = end_text(first->status);
  if (side.runs.size() == 1) {
    notes.push_back(fmt::format("{} ended {}.", side.name, end));
    return;
  }
  notes.push_back(
      fmt::format("{} of {} runs of {} ended {}; {}.",
                  failed,
                  side.runs.size(),
                  side.name,
                  end,
                  all ? "they still count, because none succeeded" : "they are left out"));
}

// Runs whose time or CPU time is far from the others of their side, and what was different in them.
void add_disturbed(std::span<const StatSide> sides, size_t side, std::vector<std::string>& notes) {
  std::vector<const StatRun*> runs = runs_that_count(sides[side]);
  std::vector<RunFacts> facts;
  for (const StatRun* run : runs) {
    facts.push_back(facts_of(*run));
  }
  for (size_t i : disturbed_runs(facts)) {
    notes.push_back(disturbed_text(run_name(sides, side, *runs[i]), facts, i));
  }
}

// ---- Further sections ---------------------------------------------------------------------------

Table histogram_table(const Histogram& histogram) {
  ReportColumn from = in_unit("seconds", weight_column("from", "from"));
  ReportColumn to = in_unit("seconds", weight_column("to", "to"));
  ReportColumn count = count_column("count", "runs");
  ReportColumn bar = text_column("bar", "");
  size_t highest = std::ranges::max(histogram.counts);
  for (size_t bin = 0; bin < histogram.counts.size(); ++bin) {
    double start = histogram.least + static_cast<double>(bin) * histogram.width;
    from.numbers.push_back(start);
    to.numbers.push_back(start + histogram.width);
    count.numbers.push_back(static_cast<double>(histogram.counts[bin]));
    size_t wide =
        highest > kWidestBar ? histogram.counts[bin] * kWidestBar / highest : histogram.counts[bin];
    bar.text.push_back(std::string(wide, '#'));
  }
  return {.columns = {std::move(from), std::move(to), std::move(count), std::move(bar)}};
}

void add_histogram(const StatSide& side, std::string name, bool named, Report& report) {
  std::vector<double> walls = values_of(runs_that_count(side), "wall");
  if (walls.size() < kLeastForHistogram) {
    return;
  }
  report.sections.push_back(
      {.name = std::move(name),
       .title = named ? fmt::format("Times of {}", side.name) : "Times of the runs",
       .body = histogram_table(histogram_of(walls))});
}

void add_runs(std::span<const StatSide> sides, const StatOptions& options, Report& report) {
  ReportColumn command = text_column("command", "command");
  ReportColumn number = count_column("run", "run");
  ReportColumn status = count_column("status", "status");
  std::vector<ReportColumn> columns;
  for (const RunMetric& metric : all_metrics(sides, options)) {
    columns.push_back(in_unit(metric.unit, weight_column(metric.name, metric.name)));
  }
  for (const StatSide& side : sides) {
    for (size_t run = 0; run < side.runs.size(); ++run) {
      command.text.push_back(side.name);
      number.numbers.push_back(static_cast<double>(run + 1));
      status.numbers.push_back(side.runs[run].status);
      for (ReportColumn& column : columns) {
        const RunMetric* metric = find(side.runs[run], column.name);
        column.numbers.push_back(metric == nullptr ? kNoNumber : metric->value);
      }
    }
  }
  Table table{.columns = {std::move(command), std::move(number), std::move(status)}};
  std::ranges::move(columns, std::back_inserter(table.columns));
  report.sections.push_back({.name = "runs", .title = "Runs", .body = std::move(table)});
}

std::string runs_text(const StatSide& side) {
  size_t runs = side.runs.size();
  return runs == 1 ? "" : fmt::format(", {} runs", runs);
}

std::vector<Pair> time_pairs(std::span<const StatSide> sides) {
  PairedRuns pairs = pairs_of(sides);
  std::vector<Pair> times;
  for (size_t i = 0; i < pairs.before.size(); ++i) {
    times.push_back({find(*pairs.before[i], "wall")->value, find(*pairs.after[i], "wall")->value});
  }
  return times;
}

}  // namespace

StatRun stat_run(const MeasuredRun& run) {
  return {.metrics = metrics_of(run),
          .counters = run.counters,
          .peak_is_bound = run.peak_is_bound,
          .status = run.status,
          .stolen_seconds = run.stolen_seconds};
}

RunFacts facts_of(const StatRun& run) {
  auto number = [&](std::string_view name) {
    const RunMetric* metric = find(run, name);
    return metric == nullptr ? kNoNumber : metric->value;
  };
  return {.wall_seconds = number("wall"),
          .cpu_seconds = number("user") + number("sys"),
          .voluntary_switches = number("voluntary-switches"),
          .involuntary_switches = number("involuntary-switches"),
          .minor_faults = number("minor-faults"),
          .major_faults = number("major-faults"),
          .stolen_seconds = run.stolen_seconds.value_or(kNoNumber)};
}

std::string run_name(std::span<const StatSide> sides, size_t side, const StatRun& run) {
  std::string name = fmt::format("Run {}", &run - sides[side].runs.data() + 1);
  return sides.size() < 2 ? name : name + (side == 0 ? " before" : " after");
}

std::vector<const StatRun*> runs_that_count(const StatSide& side) {
  std::vector<const StatRun*> runs;
  for (const StatRun& run : side.runs) {
    if (run.status == 0) {
      runs.push_back(&run);
    }
  }
  if (runs.empty()) {
    for (const StatRun& run : side.runs) {
      runs.push_back(&run);
    }
  }
  return runs;
}

Histogram histogram_of(std::span<const double> values) {
  auto [least, most] = std::ranges::minmax(values);
  // Sturges' rule: one more bin each time the number of runs doubles.
  auto bins = static_cast<size_t>(std::ceil(std::log2(static_cast<double>(values.size())))) + 1;
  Histogram histogram{.least = least, .width = (most - least) / static_cast<double>(bins)};
  if (!(histogram.width > 0)) {
    return {.least = least, .width = 0, .counts = {values.size()}};
  }
  histogram.counts.resize(bins);
  for (double value : values) {
    auto bin = static_cast<size_t>((value - least) / histogram.width);
    ++histogram.counts[std::min(bin, bins - 1)];
  }
  return histogram;
}

Report stat_report(std::span<const StatSide> sides, const StatOptions& options) {
  Report report{.verb = "stat"};
  bool two = sides.size() == 2;
  report.title = two ? fmt::format("Before: {}. After: {}. Alternating{}",
                                   sides[0].name,
                                   sides[1].name,
                                   runs_text(sides[0]))
                     : sides[0].name + runs_text(sides[0]);
  Table table = two ? table_of_two(sides, options) : table_of_one(sides[0], options);
  if (two) {
    add_correction(table, report.notes);
    std::vector<Pair> pairs = time_pairs(sides);
    if (!pairs.empty()) {
      report.notes.push_back(time_text(pairs));
    }
  }
  report.sections.push_back({.name = "metrics", .title = "", .body = std::move(table)});
  for (const StatSide& side : sides) {
    add_histogram(side, &side == &sides[0] ? "histogram" : "histogram_after", two, report);
    add_failures(side, report.notes);
  }
  std::vector<std::string> disturbed;
  for (size_t side = 0; side < sides.size(); ++side) {
    add_disturbed(sides, side, disturbed);
  }
  if (!disturbed.empty()) {
    disturbed.push_back(rerun_advice(two));
    report.notes.insert(report.notes.end(), disturbed.begin(), disturbed.end());
  }
  add_missing(sides[0], options, report.notes);
  add_shared_counters(sides[0], report.notes);
  if (options.for_programs) {
    add_runs(sides, options, report);
  }
  return report;
}

void add_machine(const record::MachineFacts& machine, const StatOptions& options, Report& report) {
  for (const record::Finding& finding : machine.findings()) {
    report.notes.push_back(record::finding_text(finding));
  }
  if (!options.for_programs) {
    return;
  }
  ReportColumn what = text_column("what", "finding");
  ReportColumn why = text_column("why", "why");
  ReportColumn advice = text_column("advice", "what would help");
  for (const record::Finding& finding : machine.findings()) {
    what.text.push_back(finding.what);
    why.text.push_back(finding.state);
    advice.text.push_back(finding.remedy);
  }
  report.sections.push_back(
      {.name = "findings",
       .title = "Findings",
       .body = Table{.columns = {std::move(what), std::move(why), std::move(advice)}},
       .is_whole = true});
  ReportColumn name = name_column("fact");
  ReportColumn value = text_column("value", "value");
  for (const record::MachineFacts::Fact& fact : machine.facts) {
    name.text.push_back(fact.name);
    value.text.push_back(fact.value);
  }
  report.sections.push_back({.name = "machine",
                             .title = "Machine",
                             .body = Table{.columns = {std::move(name), std::move(value)}},
                             .is_whole = true});
}

}  // namespace wick
