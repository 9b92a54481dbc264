// SPDX-License-Identifier: Apache-2.0
#include "experiment/disturbed_runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

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

// Counts that are clearly larger than usual: "812 involuntary context switches (median 3)".
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

RunFacts facts_of(double wall_seconds, double cpu_seconds, const rusage& usage) {
  return {.wall_seconds = wall_seconds,
          .cpu_seconds = cpu_seconds,
          .voluntary_switches = static_cast<double>(usage.ru_nvcsw),
          .involuntary_switches = static_cast<double>(usage.ru_nivcsw),
          .minor_faults = static_cast<double>(usage.ru_minflt),
          .major_faults = static_cast<double>(usage.ru_majflt)};
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
  std::string text =
      fmt::format("{} took {:.3f} s, {:.2g} times the median of its side ({:.3f} s).",
                  name,
                  run.wall_seconds,
                  run.wall_seconds / usual,
                  usual);
  if (std::isnan(run.cpu_seconds) || std::isnan(usual_cpu)) {
    return text;
  }
  double longer = run.wall_seconds - usual;
  double more_cpu = run.cpu_seconds - usual_cpu;
  text += fmt::format(" Its CPU time was {:.3f} s (median {:.3f} s)", run.cpu_seconds, usual_cpu);
  if (longer <= 0) {
    return text + ".";
  }
  std::vector<std::string> counts = unusual_counts(runs, number);
  if (more_cpu < longer / 2) {
    text += ", so most of the difference is waiting";
    return text + (counts.empty() ? "; switches and page faults do not explain it."
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
