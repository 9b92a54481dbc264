#include "cli/sweep_recording.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fcntl.h>

#include "base/descriptor.h"
#include "base/parse_number.h"
#include "cli/page_code.h"
#include "cli/recording.h"
#include "cli/viewer_page.h"
#include "experiment/sweep/readiness.h"
#include "pipeline/code_reader.h"

namespace wick {
namespace {

constexpr size_t kMostLine = size_t{16} << 20;

Result<> write_profile_page(const Profile& profile, const std::string& path) {
  CodeReader reader({.files = default_file_search()}, {});
  std::vector<PageRun> runs;
  runs.push_back({.profile = profile,
                  .title = file_title(path),
                  .notes = {},
                  .code = hottest_code(profile, reader)});
  std::string page = std::filesystem::path(path).replace_extension(".html").string();
  return write_page_file(std::move(runs), file_title(path), page);
}

Result<RunOutcome> record_run(const Plan& plan,
                              const std::string& results,
                              const Point& point,
                              const RunSetting& setting,
                              const std::string& profile) {
  std::error_code ignored;
  std::string wick = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  Invocation call{.words = {wick,
                            "sweep-point",
                            results,
                            fmt::format("{}", point.id),
                            fmt::format("{}", setting.repeat),
                            setting.directory,
                            setting.build_directory,
                            plan.path}};
  call.flags.declare(recording_flags());
  call.flags.set("frequency", fmt::format("{}", plan.profiling.frequency));
  call.flags.set("quiet", "1");
  RecordingPlan recording = TRY(plan_recording(call));
  std::string line_path = results + "/scratch-run.json";
  Descriptor line(::open(line_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!line.valid()) {
    return fail("Cannot write {}: {}.", line_path, std::strerror(errno));
  }
  recording.session.launch.outputs[0] = line.get();
  recording.session.launch.dies_with_us = true;
  recording.output = profile;
  recording.output_given = true;
  recording.keep_profile = true;
  Recorded recorded = TRY(record_to_file(recording));
  std::string text = text_of_file(line_path, kMostLine);
  ::unlink(line_path.c_str());
  if (recorded.end.stopped_by != 0) {
    ::unlink(profile.c_str());
    return RunOutcome{.stopped_by = recorded.end.stopped_by};
  }
  RunRecord run = TRY(parse_run(text));
  if (run.status != RunStatus::kOk) {
    ::unlink(profile.c_str());
  } else if (recorded.has_profile) {
    TRY(write_profile_page(recorded.profile, profile));
  }
  return RunOutcome{.status = run.status,
                    .why = run.why,
                    .cut = run.cut,
                    .seconds = run.seconds,
                    .metrics = run.metrics,
                    .checks = run.checks};
}

Result<int> run_one(const Invocation& call) {
  if (call.words.size() != 6) {
    return fail_usage("Only `wick sweep` uses this verb.");
  }
  SweepResults results = TRY(read_results(call.words[0], call.words[5]));
  std::optional<uint32_t> id = parse_number<uint32_t>(call.words[1]);
  std::optional<uint32_t> repeat = parse_number<uint32_t>(call.words[2]);
  if (!id || *id == 0 || *id > results.points.size() || !repeat) {
    return fail_usage("The plan has no such point.");
  }
  const Point& point = results.points[*id - 1];
  RunSetting setting{.directory = call.words[3],
                     .build_directory = call.words[4],
                     .repeat = *repeat,
                     .counters = counters_for(results.plan)};
  record::HeldSignals signals;
  RunOutcome outcome = run_point(results.plan, point, setting, signals, {});
  RunRecord record{.point = point.id,
                   .kind = RunKind::kProfile,
                   .repeat = *repeat,
                   .seconds = outcome.seconds,
                   .status = outcome.status,
                   .why = outcome.why,
                   .cut = outcome.cut,
                   .metrics = outcome.metrics,
                   .checks = outcome.checks};
  std::fprintf(stdout, "%s\n", run_line(results.plan, point, record).c_str());
  return outcome.stopped_by == 0 ? kDone : 128 + outcome.stopped_by;
}

}  // namespace

RecordedOutcome record_sweep_run(const Plan& plan,
                                 const std::string& results,
                                 const Point& point,
                                 const RunSetting& setting,
                                 const std::string& profile) {
  Result<RunOutcome> outcome = record_run(plan, results, point, setting, profile);
  return outcome ? RecordedOutcome{.outcome = std::move(*outcome), .problem = {}}
                 : RecordedOutcome{.outcome = {}, .problem = outcome.error().message};
}

Command sweep_point_command() {
  return {.name = "sweep-point",
          .help = "one run of a sweep, for the recorder",
          .words = "RESULTS POINT REPEAT DIRECTORY BUILD PLAN",
          .examples = {"wick sweep threads.toml"},
          .run = run_one,
          .hidden = true};
}

}  // namespace wick
