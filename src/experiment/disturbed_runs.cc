// SPDX-License-Identifier: Apache-2.0
#include "experiment/disturbed_runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/amounts.h"

namespace wick {
namespace {

std::vector<double> column(std::span<const RunFacts> runs, double RunFacts::* field) {
  std::vector<double> values;
  for (const RunFacts& run : runs) {
    values.push_back(run.*field);
  }
  return values;
}

std::vector<size_t> far_runs(std::span<const RunFacts> runs, double RunFacts::* field) {
  std::vector<bool> far = far_from_others(column(runs, field));
  std::vector<size_t> numbers;
  for (size_t i = 0; i < far.size(); ++i) {
    if (far[i]) {
      numbers.push_back(i);
    }
  }
  return numbers;
}

// What is clearly larger than usual: "812 involuntary context switches (median 3)".
std::vector<std::string> unusual_counts(std::span<const RunFacts> runs, size_t number) {
  struct Count {
    double RunFacts::* field;
    std::string_view name;
    double least;  // more than the median
  };
  constexpr std::array kCounts = {
      Count{&RunFacts::involuntary_switches, "involuntary context switches", 5},
      Count{&RunFacts::major_faults, "page faults that read a file", 5},
      Count{&RunFacts::voluntary_switches, "voluntary context switches", 20},
      Count{&RunFacts::minor_faults, "page faults without reading", 1000},
  };
  std::vector<std::string> texts;
  if (is_disturbed_by_host(runs, number)) {
    texts.push_back(fmt::format(
        "{:.2f} s of steal time, in which the host ran something else (median {:.2f} s)",
        runs[number].stolen_seconds,
        median(column(runs, &RunFacts::stolen_seconds))));
  }
  for (const Count& count : kCounts) {
    double usual = median(column(runs, count.field));
    double value = runs[number].*count.field;
    if (value > usual + count.least && value > 1.5 * usual) {
      texts.push_back(fmt::format("{:.0f} {} (median {:.0f})", value, count.name, usual));
    }
  }
  return texts;
}

}  // namespace

RunFacts facts_of(const record::SessionEnd& end) {
  RunFacts facts{.wall_seconds = end.child_seconds,
                 .stolen_seconds = end.stolen_seconds.value_or(kNoNumber)};
  if (end.child) {
    const rusage& usage = end.child->usage;
    facts.cpu_seconds = static_cast<double>(end.child->user_ns + end.child->system_ns) / 1e9;
    facts.voluntary_switches = static_cast<double>(usage.ru_nvcsw);
    facts.involuntary_switches = static_cast<double>(usage.ru_nivcsw);
    facts.minor_faults = static_cast<double>(usage.ru_minflt);
    facts.major_faults = static_cast<double>(usage.ru_majflt);
  }
  return facts;
}

bool is_disturbed_by_host(std::span<const RunFacts> runs, size_t number) {
  constexpr double kTwoTicks = 0.02;  // the kernel counts in ticks of 10 ms
  constexpr double kLeastPart = 0.1;  // of the additional time
  std::vector<double> stolen = column(runs, &RunFacts::stolen_seconds);
  if (std::ranges::any_of(stolen, [](double seconds) { return std::isnan(seconds); })) {
    return false;
  }
  double longer = runs[number].wall_seconds - median(column(runs, &RunFacts::wall_seconds));
  double more = stolen[number] - median(stolen);
  return longer > 0 && more >= kTwoTicks && more >= kLeastPart * longer;
}

std::vector<size_t> disturbed_runs(std::span<const RunFacts> runs) {
  std::vector<size_t> far = far_runs(runs, &RunFacts::wall_seconds);
  std::ranges::copy(runs_with_other_cpu_time(runs), std::back_inserter(far));
  std::ranges::sort(far);
  auto [again, end] = std::ranges::unique(far);
  far.erase(again, end);
  return far;
}

std::vector<size_t> runs_with_other_cpu_time(std::span<const RunFacts> runs) {
  return far_runs(runs, &RunFacts::cpu_seconds);
}

std::string disturbed_text(std::string_view name, std::span<const RunFacts> runs, size_t number) {
  double usual = median(column(runs, &RunFacts::wall_seconds));
  double usual_cpu = median(column(runs, &RunFacts::cpu_seconds));
  const RunFacts& run = runs[number];
  TimesText times(std::max(run.wall_seconds, usual));
  double factor = run.wall_seconds / usual;
  std::string factor_text =
      factor < 10 ? fmt::format("{:.2g}", factor) : fmt::format("{:.0f}", factor);
  std::string text = fmt::format("{} took {}, {} times the median of such runs ({}).",
                                 name,
                                 times.of(run.wall_seconds),
                                 factor_text,
                                 times.of(usual));
  std::vector<std::string> counts = unusual_counts(runs, number);
  if (std::isnan(run.cpu_seconds) || std::isnan(usual_cpu)) {
    return text + (counts.empty() ? "" : fmt::format(" It had {}.", fmt::join(counts, ", ")));
  }
  double longer = run.wall_seconds - usual;
  double more_cpu = run.cpu_seconds - usual_cpu;
  text += fmt::format(
      " Its CPU time was {} (median {})", times.of(run.cpu_seconds), times.of(usual_cpu));
  if (longer <= 0) {
    return text + ".";
  }
  if (more_cpu < longer / 2) {
    text += ", so most of the difference is waiting";
    return text + (counts.empty() ? "; switches, page faults and steal time do not explain it."
                                  : fmt::format(": {}.", fmt::join(counts, ", ")));
  }
  text += ", so it did more work, or the CPU was slower";
  return text + (counts.empty() ? "." : fmt::format(": {}.", fmt::join(counts, ", ")));
}

std::string rerun_advice(bool pairs) {
  return pairs ? "The comparison of times leaves out the largest and the smallest fifth of five "
                 "pairs "
                 "or more; --rerun N repeats up to N pairs with such a run."
               : "--rerun N repeats up to N such runs.";
}

}  // namespace wick
