// SPDX-License-Identifier: Apache-2.0
// Runs a program once and measures it: time, the kernel's accounting (rusage), and counters.
//
// Child processes are included: in the accounting after their parent has waited for them, in
// counters as soon as they run. wick subtracts the cost of the forked process before it executed
// the program (it waits until the counters are open). Two effects cannot be separated, so wick
// reports them: peak memory starts at the size that wick itself had when it forked
// (`peak_is_bound`), and a child for which its parent never waits is in the counters only.
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
  std::vector<std::pair<std::string, std::string>> environment = {};  // variables to add
  std::string directory = {};                                         // empty for the current one
  std::vector<int> cpus = {};                                         // empty for all
  double timeout_seconds = 0;                                         // 0 for none
  int input = STDIN_FILENO;
  std::array<int, 2> outputs = {STDOUT_FILENO, STDERR_FILENO};
  std::vector<CounterRequest> counters = software_counters();
  bool own_group = false;     // signals go to all of its processes, and the terminal sends it none
  bool dies_with_us = false;  // also if wick is killed; its child processes end, too
  bool leaves_processes = false;  // with dies_with_us: what it leaves at its own end continues
  // Called with errno before the Error of a program that cannot be executed; may be empty.
  std::function<void(int error)> on_exec_error = {};
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
  bool peak_is_bound = false;            // the peak is this or less
  std::optional<uint64_t> migrations;    // nothing if the kernel does not let us count them
  std::optional<double> stolen_seconds;  // from its CPUs, by the host of this virtual machine
  std::vector<CounterReading> counters;

  int status = 0;  // as a shell reports it: 128 + n for a signal
  bool signalled = false;
  bool timed_out = false;
  int stopped_by = 0;  // the signal that wick received during the run, or 0

  bool succeeded() const { return status == 0 && !timed_out && stopped_by == 0; }
};

// A number of a run with its name, such as {"user", "seconds"}: plans, tables and checks use these
// names. Counters have the name of their event, ratios have theirs ("ipc").
struct RunMetric {
  std::string name;
  std::string unit;  // "seconds", "bytes", or empty for a count
  double value = 0;
};
// Only the numbers that exist: never a zero for an event that was not counted.
std::vector<RunMetric> metrics_of(const MeasuredRun& run);
// Whether every run has a metric of this name, with any counters. "cpu", the sum of user and sys,
// exists for plans.
bool is_counted_name(std::string_view name);
// Counters and ratios that `metrics` does not have yet.
void add_counter_metrics(std::span<const CounterReading> counters, std::vector<RunMetric>& metrics);

// A running program with counters, for callers that wait for several at once.
class MeasuredProcess {
 public:
  // `mask` is its signal mask. An Error if it cannot be executed, or if the CPU or the directory
  // does not exist. `before_exec` gets its pid while the child waits to execute the program.
  static Result<MeasuredProcess> start(const RunRequest& request,
                                       const sigset_t& mask,
                                       const std::function<void(pid_t)>& before_exec = {});

  pid_t pid() const { return child_.pid(); }
  // Readable when it has ended.
  int descriptor() const { return child_.descriptor(); }
  void signal(int number) const { child_.signal(number); }
  double seconds_so_far() const;
  // The measurements, once it has ended.
  std::optional<MeasuredRun> poll();
  // The counts so far.
  std::vector<CounterReading> read_counters() const { return counters_.read(); }

 private:
  MeasuredProcess(record::Child child, Counters counters)
      : child_(std::move(child)), counters_(std::move(counters)) {}

  record::Child child_;
  Counters counters_;
};

// Ends a program whose time is over: with SIGTERM, and with SIGKILL if it still runs two seconds
// later.
class ProcessEnding {
 public:
  // 0: no timeout.
  ProcessEnding(const MeasuredProcess& process, double timeout_seconds)
      : process_(process), timeout_(timeout_seconds) {}

  // Sends the signals that are due. Callers must call it repeatedly.
  void check();
  // Another part of wick has asked the program to end.
  void was_asked();
  bool timed_out() const { return timed_out_; }
  // Time until the next useful call of check(); -1 for never.
  int wait_milliseconds() const;

 private:
  const MeasuredProcess& process_;
  double timeout_;
  std::optional<double> asked_at_;
  bool timed_out_ = false;
  bool killed_ = false;
};

// Runs the program to its end, with the timeout of ProcessEnding. A signal that arrives through
// `signals` is passed on, unless the terminal has sent it to both. If the program has its own
// process group and does not end when asked, wick kills the group. During the run wick calls `tick`
// several times a second.
Result<MeasuredRun> measure_run(const RunRequest& request,
                                record::HeldSignals& signals,
                                const std::function<void()>& tick = {});

}  // namespace wick
