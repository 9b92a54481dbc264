// SPDX-License-Identifier: Apache-2.0
// The directory of a sweep: the plan, the facts about the machine, and one line for each finished
// run.
//
//     plan.toml       the plan as it was
//     machine.json    facts and findings (machine-2.json: of the machine that continued the sweep)
//     runs.jsonl      one JSON object a run, appended and synced when the run ends
//     profiles/       point-3.wick, and point-3.html beside it
//     failed/         the output of failed runs
//     builds/         the results of the build step, and its output
//     index.html      the page
//
// If wick is killed at any moment, the directory has all runs that had ended: an unfinished line is
// dropped when the next one is written. If there are several lines for the same run, the last one
// counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "experiment/plan/plan.h"
#include "experiment/plan/points.h"
#include "experiment/sweep/point_run.h"
#include "experiment/sweep/stored_machine.h"

namespace wick {

struct RunRecord {
  uint32_t point = 0;  // its id
  RunKind kind = RunKind::kTiming;
  uint32_t repeat = 1;
  uint64_t order = 0;  // its position in the order of all runs
  std::string started;
  double seconds = 0;
  std::optional<double> stolen_seconds = {};  // by the host of this virtual machine
  std::optional<double> clock_mhz = {};       // of the fastest CPU right after the run
  RunStatus status = RunStatus::kOk;
  std::string why;
  std::string cut;  // a sentence if a role printed more than wick reads
  MetricValues metrics;
  std::vector<CheckOutcome> checks;
  std::string profile;  // relative to the directory; empty for none

  bool is_same_run(const RunRecord& other) const {
    return point == other.point && kind == other.kind && repeat == other.repeat;
  }
};

// One line, without its end.
std::string run_line(const Plan& plan, const Point& point, const RunRecord& run);
// An error if it is not a run.
Result<RunRecord> parse_run(std::string_view line);

struct StoredRuns {
  std::vector<RunRecord> runs;  // each run once
  size_t damaged = 0;           // lines that are not runs
  size_t whole_bytes = 0;       // up to the last finished line
};
StoredRuns parse_runs(std::string_view text);

// Results that exist already.
struct SweepResults {
  std::string directory;
  Plan plan;
  std::vector<Point> points;
  std::vector<RunRecord> runs;
  std::vector<StoredMachine> machines;
  std::vector<std::string> notes;
};
// `plan_path` is the original location of the plan, for callers that run it: its paths are relative
// to it.
Result<SweepResults> read_results(const std::string& directory, const std::string& plan_path = {});
// Whether it looks like a results directory: it has a plan.toml.
bool is_results_directory(const std::string& directory);

// The file of runs while a sweep appends to it. It is locked.
class RunLog {
 public:
  // Creates the directory and copies the plan into it. An error if it contains another plan.
  static Result<RunLog> open(const std::string& directory,
                             const Plan& plan,
                             std::string_view plan_text);

  const std::vector<RunRecord>& runs() const { return runs_; }
  const std::string& directory() const { return directory_; }
  // The number of the next run. A repeated run gets a new number, not that of the first time.
  uint64_t next_order() const;
  // On the disk when this returns.
  Result<> append(const Plan& plan, const Point& point, RunRecord run);

 private:
  RunLog(std::string directory, Descriptor file, StoredRuns stored)
      : directory_(std::move(directory)),
        file_(std::move(file)),
        runs_(std::move(stored.runs)),
        size_(stored.whole_bytes) {}

  std::string directory_;
  Descriptor file_;
  std::vector<RunRecord> runs_;
  size_t size_ = 0;
};

// Writes a small file as a whole.
Result<> write_small_file(const std::string& path, std::string_view text);

// "2026-01-31T10:00:00Z".
std::string calendar_time();

// The text of a plan, for read_plan() and RunLog::open().
Result<std::string> read_plan_text(const std::string& path);

}  // namespace wick
