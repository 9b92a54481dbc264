// SPDX-License-Identifier: Apache-2.0
// A program run once and measured: time, what the kernel counted about it, and counters.
//
// Its children are included: in what the kernel says once they were waited for, in counters as soon
// as they run. What the forked process used before it became the program (waiting until the
// counters were open) is subtracted. Two things cannot be separated and are told: peak memory
// starts at what wick itself had when it forked (`peak_is_bound`), and a child that nobody waits
// for is in the counters only.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <signal.h>
#include <unistd.h>

#include "base/result.h"
#include "experiment/counters.h"
#include "record/held_signals.h"
#include "record/launch.h"

namespace wick {

struct RunRequest {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> environment = {};  // additions
  std::string directory = {};                                         // empty for where we are
  std::vector<int> cpus = {};                                         // empty for all
  double timeout_seconds = 0;                                         // 0 for none
  int input = STDIN_FILENO;
  std::array<int, 2> outputs = {STDOUT_FILENO, STDERR_FILENO};
  std::vector<CounterRequest> counters = software_counters();
  bool own_group = false;     // signals go to all of its processes, and none from the terminal
  bool dies_with_us = false;  // also when wick is killed; nobody whom it starts outlives it
};

struct MeasuredRun {
  double wall_seconds = 0;
  double user_seconds = 0;
  double system_seconds = 0;
  uint64_t voluntary_switches = 0;
  uint64_t involuntary_switches = 0;
  uint64_t minor_faults = 0;
  uint64_t major_faults = 0;
  uint64_t peak_bytes = 0;
  bool peak_is_bound = false;          // the peak is this or less
  std::optional<uint64_t> migrations;  // nothing where the kernel does not let us count them
  std::vector<CounterReading> counters;

  int status = 0;  // as a shell gives it: 128 + n for a signal
  bool signalled = false;
  bool timed_out = false;
  int stopped_by = 0;  // the signal that wick got meanwhile, or 0

  bool succeeded() const { return status == 0 && !timed_out && stopped_by == 0; }
};

// A run by its name for programs and people, such as {"user", "seconds"}: what a plan, a table and
// a check may ask for. Counters come under their event's name, ratios under theirs ("ipc").
struct RunMetric {
  std::string name;
  std::string unit;  // "seconds", "bytes", or empty for a count
  double value = 0;
};
// Only those that there are: never a zero for what was not counted.
std::vector<RunMetric> metrics_of(const MeasuredRun& run);
// Whether every run has a metric of this name, whatever counters it was run with; "cpu", the sum of
// user and sys, is one for plans.
bool is_counted_name(std::string_view name);
// Counters and ratios that `metrics` does not have yet.
void add_counter_metrics(std::span<const CounterReading> counters, std::vector<RunMetric>& metrics);

// A program that runs, with counters. For those who wait for several at once.
class MeasuredProcess {
 public:
  // `mask` is its signal mask. An Error when it cannot be executed, or asks for a CPU or a
  // directory that is not there.
  // `before_exec` is called with its number while it waits to become the program.
  static Result<MeasuredProcess> start(const RunRequest& request,
                                       const sigset_t& mask,
                                       const std::function<void(pid_t)>& before_exec = {});

  pid_t pid() const { return child_.pid(); }
  // Readable when it has ended.
  int descriptor() const { return child_.descriptor(); }
  void signal(int number) const { child_.signal(number); }
  double seconds_so_far() const;
  // What it took, once it has ended.
  std::optional<MeasuredRun> poll();
  // What was counted so far.
  std::vector<CounterReading> read_counters() const { return counters_.read(); }

 private:
  MeasuredProcess(record::Child child, Counters counters)
      : child_(std::move(child)), counters_(std::move(counters)) {}

  record::Child child_;
  Counters counters_;
};

// Ends a program that must not go on: asked when its time is over (SIGTERM), killed two seconds
// later when it does not listen.
class ProcessEnding {
 public:
  // No timeout: 0.
  ProcessEnding(const MeasuredProcess& process, double timeout_seconds)
      : process_(process), timeout_(timeout_seconds) {}

  // Does what is due; to be called again and again.
  void check();
  // Somebody else has asked it.
  void was_asked();
  bool timed_out() const { return timed_out_; }
  // Until check() has something to do; -1 for never.
  int wait_milliseconds() const;

 private:
  const MeasuredProcess& process_;
  double timeout_;
  std::optional<double> asked_at_;
  bool timed_out_ = false;
  bool killed_ = false;
};

// Runs it to its end; its timeout is that of ProcessEnding. A signal that comes through `signals`
// is passed on unless the terminal has sent it to both. A group of its own that is asked to end and
// does not listen is killed.
// `tick` is called now and then meanwhile.
Result<MeasuredRun> measure_run(const RunRequest& request,
                                record::HeldSignals& signals,
                                const std::function<void()>& tick = {});

}  // namespace wick
