// SPDX-License-Identifier: Apache-2.0
#include "experiment/sweep/texts.h"

#include <algorithm>

#include "base/command_text.h"
#include "base/escape.h"
#include "experiment/turns.h"

namespace wick {
namespace {

std::string duration_text(double seconds) {
  return seconds < 99     ? fmt::format("{:.0f} s", seconds)
         : seconds < 5400 ? fmt::format("{:.0f} min", seconds / 60)
                          : fmt::format("{:.1f} h", seconds / 3600);
}

// The command of each role, filled for the first point.
Result<std::string> role_lines(const Plan& plan, const Point& first) {
  RunPlaceholders placeholders = TRY(RunPlaceholders::of(
      plan, first, {.directory = "DIR/scratch", .build_directory = "DIR/builds/1"}));
  TRY(placeholders.take_ports());
  std::string text;
  for (size_t role = 0; role < plan.roles.size(); ++role) {
    std::vector<std::string> words =
        TRY(fill_command(plan.roles[role].command, placeholders.words(role, 0)));
    uint64_t instances = placeholders.instances(role);
    text += fmt::format("{} at point 1{}: {}\n",
                        terminal_text(plan.roles[role].name),
                        instances == 1 ? "" : fmt::format(", the first of {}", instances),
                        terminal_text(shell_text(words)));
  }
  return text;
}

}  // namespace

Result<std::string> dry_run_text(const Plan& plan, const std::string& directory, bool retry) {
  std::vector<Point> points = points_of(plan);
  std::vector<RunRecord> made;
  if (is_results_directory(directory)) {
    made = TRY(read_results(directory)).runs;
  }
  std::vector<PlannedRun> runs = runs_to_make(plan, points, made, retry);
  std::ranges::copy(recordings_to_make(plan, points, made, retry), std::back_inserter(runs));
  std::string text = TRY(role_lines(plan, points[0]));
  for (size_t i = 0; i < runs.size(); ++i) {
    const Point& point = points[runs[i].point];
    text += fmt::format("{:5}  {:<7} {}  point {}  {}\n",
                        i + 1,
                        kind_name(runs[i].kind),
                        runs[i].repeat,
                        point.id,
                        terminal_text(point_name(plan, point)));
  }
  bool worst = plan.profiling.choice == ProfileChoice::kWorst && !plan.profiling.while_timing;
  std::optional<double> seconds = estimate_seconds(plan, points, made, runs);
  double most = static_cast<double>(runs.size()) * plan.timeout_seconds;
  return text + fmt::format("{} points, {} runs{}: {}\n",
                            points.size(),
                            runs.size(),
                            worst && made.empty() ? " and one recorded run of the worst point" : "",
                            seconds ? fmt::format("about {}.", duration_text(*seconds))
                                    : fmt::format("at most {} by their timeouts; `estimate = "
                                                  "SECONDS` in the plan sets the expected time of "
                                                  "a run.",
                                                  duration_text(most)));
}

std::string progress_text(const SweepProgress& progress) {
  return fmt::format(
      "{} of {} runs{}{}; {}",
      progress.done,
      progress.total,
      progress.failed == 0 ? "" : fmt::format(", {} failed", progress.failed),
      progress.seconds_left ? fmt::format(", {} left", duration_text(*progress.seconds_left)) : "",
      terminal_text(progress.what));
}

std::string end_text(const SweepEnd& end, const RunLog& log, const std::string& path) {
  auto failed = std::ranges::count_if(
      log.runs(), [](const RunRecord& run) { return run.status != RunStatus::kOk; });
  std::string again = shell_text({"wick", "sweep", path, "-o", log.directory()});
  if (end.stopped_by != 0) {
    return fmt::format("{}; {} finished runs are saved in {}, and `{}` continues.",
                       stop_text(end.stopped_by),
                       log.runs().size(),
                       log.directory(),
                       again);
  }
  if (failed > 0) {
    return fmt::format("{} of {} runs failed; fix the cause, then `{} --retry` repeats them.",
                       failed,
                       log.runs().size(),
                       again);
  }
  return end.made > 0 ? ""
                      : "All runs are already done; use another directory (-o) to repeat them.";
}

}  // namespace wick
