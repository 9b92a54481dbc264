// SPDX-License-Identifier: Apache-2.0
// Runs a sweep.
//
//     1. runs_to_make()         runs of the plan that the log does not have, in the plan's order
//     2. make()                 build if necessary, run in an empty directory, append to the log
//     3. recordings_to_make()   after the timing runs, because the points to record depend on them
//     4. make()                 the same, recorded
//
// A failed run is a line of the log, too; its scratch directory moves to failed/. A point that
// fails several times in a row gets no more runs. Invariant: only the log decides which runs are
// left. So a sweep that was interrupted at any moment continues with the next call, and a run that
// a signal stopped is not in the log.
#include "experiment/sweep/sweep.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/escape.h"
#include "base/statistics.h"
#include "experiment/sweep/build_steps.h"
#include "experiment/sweep/point_recording.h"
#include "experiment/turns.h"
#include "record/cpu_frequency.h"
#include "record/machine.h"

namespace wick {
namespace {

bool is_made(const std::vector<RunRecord>& made,
             const Point& point,
             const PlannedRun& run,
             bool retry) {
  return std::ranges::any_of(made, [&](const RunRecord& record) {
    return record.point == point.id && record.kind == run.kind && record.repeat == run.repeat &&
           !(retry && record.status != RunStatus::kOk);
  });
}

std::string run_name(const Plan& plan, const Point& point, const PlannedRun& run) {
  std::string_view kind = run.kind == RunKind::kWarmup   ? "warm-up"
                          : run.kind == RunKind::kTiming ? "run"
                                                         : "recorded run";
  return fmt::format("{} {} of point {}, {}", kind, run.repeat, point.id, point_name(plan, point));
}

class SweepRunner {
 public:
  SweepRunner(const Plan& plan, RunLog& log, bool retry, const SweepCalls& calls)
      : plan_(plan),
        log_(log),
        retry_(retry),
        calls_(calls),
        points_(points_of(plan)),
        counters_(counters_for(plan)),
        directory_(std::filesystem::absolute(log.directory()).string()),
        builds_(plan, points_, directory_ + "/builds") {}

  Result<SweepEnd> run() {
    left_ = runs_to_make(plan_, points_, log_.runs(), retry_);
    while (!left_.empty() && end_.stopped_by == 0) {
      PlannedRun next = left_.front();
      left_.erase(left_.begin());
      if (!is_given_up(next)) {
        TRY(make(next));
      }
    }
    if (end_.stopped_by == 0) {
      TRY(record_points());
    }
    std::error_code ignored;
    std::filesystem::remove_all(directory_ + "/scratch", ignored);
    return end_;
  }

 private:
  // ---- One run ----------------------------------------------------------------------------------

  Result<> make(const PlannedRun& planned) {
    const Point& point = points_[planned.point];
    plan_progress(planned);
    report_progress();
    RunRecord record{.point = point.id,
                     .kind = planned.kind,
                     .repeat = planned.repeat,
                     .order = log_.next_order(),
                     .started = calendar_time()};
    std::string scratch = TRY(empty_scratch());
    RunOutcome outcome;
    if (Result<> built = builds_.prepare(point, signals_); !built) {
      outcome = {.status = RunStatus::kFailed,
                 .why = built.error().message,
                 .stopped_by = builds_.stopped_by()};
    } else {
      outcome = TRY(run_or_record(planned, scratch, record));
      record.clock_mhz = record::current_mhz({}, cpus_);
    }
    if (outcome.stopped_by != 0 || was_stopped()) {
      end_.stopped_by = outcome.stopped_by != 0 ? outcome.stopped_by : end_.stopped_by;
      return {};
    }
    record.seconds = outcome.seconds;
    record.stolen_seconds = outcome.stolen_seconds;
    record.status = outcome.status;
    record.why = outcome.why;
    record.cut = outcome.cut;
    record.metrics = std::move(outcome.metrics);
    record.checks = std::move(outcome.checks);
    if (record.status != RunStatus::kOk) {
      store_output(planned, record);
    }
    ++end_.made;
    return log_.append(plan_, point, std::move(record));
  }

  Result<RunOutcome> run_or_record(const PlannedRun& planned,
                                   const std::string& scratch,
                                   RunRecord& record) {
    const Point& point = points_[planned.point];
    RunSetting setting{.directory = scratch,
                       .build_directory = builds_.directory_for(point),
                       .repeat = planned.repeat,
                       .counters = counters_};
    bool while_timing = plan_.profiling.while_timing && planned.kind == RunKind::kTiming &&
                        plan_.profiling.choice != ProfileChoice::kNone;
    if (planned.kind != RunKind::kProfile && !while_timing) {
      return run_point(plan_, point, setting, signals_, [&] { report_progress(); });
    }
    std::error_code ignored;
    std::filesystem::create_directories(directory_ + "/profiles", ignored);
    record.profile = while_timing && planned.repeat > 1
                         ? fmt::format("profiles/point-{}-run-{}.wick", point.id, planned.repeat)
                         : fmt::format("profiles/point-{}.wick", point.id);
    return record_run(point, setting, record);
  }

  Result<RunOutcome> record_run(const Point& point, const RunSetting& setting, RunRecord& record) {
    std::string path = directory_ + "/" + record.profile;
    Result<RecordedOutcome> recorded = record_point(plan_,
                                                    point,
                                                    setting,
                                                    path,
                                                    directory_ + "/scratch-run.json",
                                                    {.print = calls_.print},
                                                    signals_);
    if (!recorded) {
      return fail("Cannot record point {}: {}", point.id, recorded.error().message);
    }
    if (recorded->outcome.status != RunStatus::kOk) {
      record.profile.clear();
    } else if (recorded->outcome.stopped_by == 0) {
      TRY(calls_.recorded(recorded->profile, path));
    }
    return std::move(recorded->outcome);
  }

  // Whether a signal came between two runs.
  bool was_stopped() {
    int stopped = take_stop(signals_);
    end_.stopped_by = stopped != 0 ? stopped : end_.stopped_by;
    return end_.stopped_by != 0;
  }

  Result<std::string> empty_scratch() {
    std::string scratch = directory_ + "/scratch";
    std::error_code problem;
    std::filesystem::remove_all(scratch, problem);
    std::filesystem::create_directories(scratch, problem);
    if (problem) {
      return fail("Cannot create {}: {}.", terminal_text(scratch), problem.message());
    }
    return scratch;
  }

  // Moves the output of a failed run to failed/, so that users can see the reason.
  void store_output(const PlannedRun& planned, RunRecord& record) {
    std::string name =
        fmt::format("failed/point-{}-{}-{}", record.point, kind_name(planned.kind), planned.repeat);
    std::error_code problem;
    std::filesystem::create_directories(directory_ + "/failed", problem);
    std::filesystem::remove_all(directory_ + "/" + name, problem);
    std::filesystem::rename(directory_ + "/scratch", directory_ + "/" + name, problem);
    if (!printed_.insert({record.point, record.why}).second) {
      return;  // the same problem again; the table says how often
    }
    calls_.print(fmt::format("{}: {} The output of its roles is in {}/{}.",
                             run_name(plan_, points_[planned.point], planned),
                             record.why,
                             log_.directory(),
                             name));
  }

  // A point that fails several times in a row gets no more runs.
  bool is_given_up(const PlannedRun& planned) {
    uint32_t id = points_[planned.point].id;
    uint64_t failures = 0;
    for (const RunRecord& run : log_.runs()) {
      if (run.point == id && run.kind != RunKind::kProfile) {
        failures = run.status == RunStatus::kOk ? 0 : failures + 1;
      }
    }
    if (failures < plan_.give_up_after || retry_) {
      return false;
    }
    if (given_up_.insert(id).second) {
      calls_.print(fmt::format("Point {} ({}) failed {} times in a row; wick skips its other runs.",
                               id,
                               point_name(plan_, points_[planned.point]),
                               failures));
    }
    return true;
  }

  // ---- Recorded runs ----------------------------------------------------------------------------

  Result<> record_points() {
    left_ = recordings_to_make(plan_, points_, log_.runs(), retry_);
    while (!left_.empty() && end_.stopped_by == 0) {
      PlannedRun next = left_.front();
      left_.erase(left_.begin());
      TRY(make(next));
    }
    return {};
  }

  // ---- Progress ---------------------------------------------------------------------------------

  // Called once a run, before the run begins, so that wick computes nothing during the timing.
  void plan_progress(const PlannedRun& current) {
    std::vector<PlannedRun> left = left_;
    left.push_back(current);
    if (current.kind != RunKind::kProfile) {
      std::ranges::copy(recordings_to_make(plan_, points_, log_.runs(), retry_),
                        std::back_inserter(left));
    }
    // Runs that are repeated count as left, not as done.
    size_t again = static_cast<size_t>(std::ranges::count_if(left, [&](const PlannedRun& run) {
      return retry_ && is_made(log_.runs(), points_[run.point], run, false);
    }));
    progress_ = {.done = log_.runs().size() - again,
                 .total = log_.runs().size() - again + left.size(),
                 .what = run_name(plan_, points_[current.point], current),
                 .seconds_left = estimate_seconds(plan_, points_, log_.runs(), left)};
    for (const RunRecord& run : log_.runs()) {
      progress_.failed += run.status != RunStatus::kOk;
    }
    planned_at_ = record::monotonic_ns();
  }

  void report_progress() {
    SweepProgress progress = progress_;
    if (progress.seconds_left) {
      double passed = 1e-9 * static_cast<double>(record::monotonic_ns() - planned_at_);
      progress.seconds_left = std::max(0.0, *progress.seconds_left - passed);
    }
    calls_.progress(progress);
  }

  const Plan& plan_;
  RunLog& log_;
  bool retry_;
  const SweepCalls& calls_;
  std::vector<Point> points_;
  std::vector<CounterRequest> counters_;
  std::vector<int> cpus_ = record::online_cpus();
  std::string directory_;
  BuildSteps builds_;
  record::HeldSignals signals_;
  std::vector<PlannedRun> left_;
  SweepProgress progress_;
  uint64_t planned_at_ = 0;
  SweepEnd end_;
  std::set<uint32_t> given_up_;
  std::set<std::pair<uint32_t, std::string>> printed_;
};

// The median of a metric at a point; nothing without runs.
std::optional<double> typical(const std::vector<RunRecord>& runs,
                              uint32_t point,
                              std::string_view metric) {
  std::vector<double> values;
  for (const RunRecord& run : runs) {
    if (run.point == point && run.kind == RunKind::kTiming && run.status == RunStatus::kOk) {
      if (std::optional<double> value = find_value(run.metrics, metric)) {
        values.push_back(*value);
      }
    }
  }
  return values.empty() ? std::nullopt : std::optional(median(std::move(values)));
}

}  // namespace

Result<SweepEnd> run_sweep(const Plan& plan, RunLog& log, bool retry, const SweepCalls& calls) {
  return SweepRunner(plan, log, retry, calls).run();
}

std::vector<PlannedRun> runs_to_make(const Plan& plan,
                                     const std::vector<Point>& points,
                                     const std::vector<RunRecord>& made,
                                     bool retry) {
  std::vector<PlannedRun> runs = schedule(plan, points.size());
  std::erase_if(
      runs, [&](const PlannedRun& run) { return is_made(made, points[run.point], run, retry); });
  // Without timing runs, no warm-up is needed.
  bool any_timing =
      std::ranges::any_of(runs, [](const PlannedRun& run) { return run.kind == RunKind::kTiming; });
  return any_timing ? runs : std::vector<PlannedRun>();
}

std::vector<size_t> points_to_record(const Plan& plan,
                                     const std::vector<Point>& points,
                                     const std::vector<RunRecord>& runs) {
  const Profiling& profiling = plan.profiling;
  const PlanMetric& metric = plan.metrics[profiling.metric];
  std::vector<size_t> chosen;
  std::optional<double> worst;
  for (size_t i = 0; i < points.size() && !profiling.while_timing; ++i) {
    bool wanted = profiling.choice == ProfileChoice::kAll;
    if (profiling.choice == ProfileChoice::kChosen) {
      wanted = std::ranges::any_of(
          profiling.chosen, [&](const PointFilter& filter) { return matches(filter, points[i]); });
    }
    if (wanted) {
      chosen.push_back(i);
    }
    if (profiling.choice == ProfileChoice::kWorst) {
      std::optional<double> value = typical(runs, points[i].id, metric.name);
      bool is_worse =
          value && (!worst || (metric.more_is_better ? *value < *worst : *value > *worst));
      if (is_worse) {
        worst = value;
        chosen = {i};
      }
    }
  }
  return chosen;
}

std::vector<PlannedRun> recordings_to_make(const Plan& plan,
                                           const std::vector<Point>& points,
                                           const std::vector<RunRecord>& made,
                                           bool retry) {
  std::vector<PlannedRun> runs;
  for (size_t point : points_to_record(plan, points, made)) {
    PlannedRun run{.point = point, .kind = RunKind::kProfile};
    if (!is_made(made, points[point], run, retry)) {
      runs.push_back(run);
    }
  }
  return runs;
}

std::optional<double> estimate_seconds(const Plan& plan,
                                       const std::vector<Point>& points,
                                       const std::vector<RunRecord>& made,
                                       const std::vector<PlannedRun>& left) {
  std::map<uint32_t, std::pair<double, double>> by_point;
  double sum = 0;
  for (const RunRecord& run : made) {
    auto& [seconds, count] = by_point[run.point];
    seconds += run.seconds;
    ++count;
    sum += run.seconds;
  }
  if (made.empty() && plan.estimated_seconds == 0) {
    return std::nullopt;
  }
  double usual = made.empty() ? plan.estimated_seconds : sum / static_cast<double>(made.size());
  double estimate = 0;
  for (const PlannedRun& run : left) {
    auto known = by_point.find(points[run.point].id);
    estimate += known == by_point.end() ? usual : known->second.first / known->second.second;
  }
  return estimate;
}

bool is_anything_left(const Plan& plan, const RunLog& log, bool retry) {
  std::vector<Point> points = points_of(plan);
  return !runs_to_make(plan, points, log.runs(), retry).empty() ||
         !recordings_to_make(plan, points, log.runs(), retry).empty();
}

}  // namespace wick
