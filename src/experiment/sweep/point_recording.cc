// SPDX-License-Identifier: Apache-2.0
#include "experiment/sweep/point_recording.h"

#include <unistd.h>

#include "base/small_file.h"
#include "experiment/sweep/results.h"

namespace wick {
namespace {

constexpr size_t kMaxLine = size_t{16} << 20;

// Runs in the fork: makes the run and stores its line.
int run_and_store(const Plan& plan,
                  const Point& point,
                  const RunSetting& setting,
                  const std::string& scratch) {
  record::HeldSignals signals;
  RunOutcome outcome = run_point(plan, point, setting, signals, {});
  RunRecord record{.point = point.id,
                   .kind = RunKind::kProfile,
                   .repeat = setting.repeat,
                   .seconds = outcome.seconds,
                   .status = outcome.status,
                   .why = outcome.why,
                   .cut = outcome.cut,
                   .metrics = outcome.metrics,
                   .checks = outcome.checks};
  bool stored = write_small_file(scratch, run_line(plan, point, record) + "\n").has_value();
  return outcome.stopped_by != 0 ? record::shell_status(outcome.stopped_by) : stored ? 0 : 1;
}

Result<capture::Request> request_of(const Plan& plan, const std::string& profile) {
  // No program is executed: the words only describe the fork.
  capture::Request request = capture::request_to_run({"wick", "sweep", plan.path});
  capture::Frequency frequency =
      TRY(capture::parse_frequency(fmt::format("{}", plan.profiling.frequency)));
  capture::set_frequency(frequency.hertz, request.session.recorder.events);
  request.session.launch.dies_with_us = true;
  request.path = profile;
  return request;
}

}  // namespace

Result<RecordedOutcome> record_point(const Plan& plan,
                                     const Point& point,
                                     const RunSetting& setting,
                                     const std::string& profile,
                                     const std::string& scratch,
                                     const capture::Calls& calls,
                                     record::HeldSignals& signals) {
  capture::Request request = TRY(request_of(plan, profile));
  request.session.launch.body = [&] { return run_and_store(plan, point, setting, scratch); };
  capture::Recording recording = TRY(capture::run(request, calls, signals));
  std::string line = read_text(scratch, kMaxLine);
  ::unlink(scratch.c_str());
  if (recording.end.stopped_by != 0) {
    ::unlink(profile.c_str());
    return RecordedOutcome{.outcome = {.stopped_by = recording.end.stopped_by}};
  }
  RunRecord run = TRY(parse_run(line));
  RecordedOutcome result{.outcome = {.status = run.status,
                                     .why = run.why,
                                     .cut = run.cut,
                                     .seconds = run.seconds,
                                     .metrics = run.metrics,
                                     .checks = run.checks}};
  if (run.status == RunStatus::kOk) {
    result.profile = std::move(recording.profile);
  } else {
    ::unlink(profile.c_str());
  }
  return result;
}

}  // namespace wick
