// SPDX-License-Identifier: Apache-2.0
#include "experiment/measured_run.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <poll.h>
#include <sys/wait.h>

#include "base/escape.h"
#include "record/machine.h"

namespace wick {
namespace {

constexpr double kGraceSeconds = 2;
constexpr int kTickMilliseconds = 100;
// The kernel counts memory in batches on each CPU, so two readings of the same memory may differ by
// this much.
constexpr long kPeakSlackKilobytes = 1024;

constexpr std::array<std::string_view, 11> kCounted = {"wall",
                                                       "user",
                                                       "sys",
                                                       "cpu",
                                                       "voluntary-switches",
                                                       "involuntary-switches",
                                                       "migrations",
                                                       "minor-faults",
                                                       "major-faults",
                                                       "peak-memory",
                                                       "task-clock"};

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

uint64_t more_than(long now, long before) {
  return static_cast<uint64_t>(std::max(0L, now - before));
}

Result<> check_cpus(const std::vector<int>& cpus) {
  std::vector<int> online = record::online_cpus();
  for (int cpu : cpus) {
    if (std::ranges::find(online, cpu) == online.end()) {
      return fail_usage(
          "This machine has no CPU {}; its CPUs are {} to {}.", cpu, online.front(), online.back());
    }
  }
  return {};
}

std::unexpected<Error> cannot_run(const RunRequest& request, int error) {
  std::string what = terminal_text(request.command[0]);
  if (!request.directory.empty() && ::access(request.directory.c_str(), X_OK) != 0) {
    return fail(
        "Cannot run {} in {}: {}.", what, terminal_text(request.directory), std::strerror(errno));
  }
  if (request.on_exec_error) {
    request.on_exec_error(error);
  }
  return fail("Cannot run {}: {}.", what, std::strerror(error));
}

// A counter is more exact than the kernel's accounting (rusage), which includes the faults of
// execve, and includes children only after their parent has waited for them.
double counted(const MeasuredRun& run, std::string_view name, double otherwise) {
  auto counter = std::ranges::find(run.counters, name, &CounterReading::name);
  return counter != run.counters.end() && counter->has_value() ? counter->estimate() : otherwise;
}

}  // namespace

std::vector<RunMetric> metrics_of(const MeasuredRun& run) {
  std::vector<RunMetric> metrics = {
      {"wall", "seconds", run.wall_seconds},
      {"user", "seconds", run.user_seconds},
      {"sys", "seconds", run.system_seconds},
      {"voluntary-switches", "", static_cast<double>(run.voluntary_switches)},
      {"involuntary-switches", "", static_cast<double>(run.involuntary_switches)},
  };
  if (run.migrations) {
    metrics.push_back({"migrations", "", static_cast<double>(*run.migrations)});
  }
  metrics.push_back(
      {"minor-faults", "", counted(run, "minor-faults", static_cast<double>(run.minor_faults))});
  metrics.push_back(
      {"major-faults", "", counted(run, "major-faults", static_cast<double>(run.major_faults))});
  metrics.push_back({"peak-memory", "bytes", static_cast<double>(run.peak_bytes)});
  add_counter_metrics(run.counters, metrics);
  return metrics;
}

bool is_counted_name(std::string_view name) {
  return std::ranges::find(kCounted, name) != kCounted.end();
}

void add_counter_metrics(std::span<const CounterReading> counters,
                         std::vector<RunMetric>& metrics) {
  for (const CounterReading& counter : counters) {
    bool known = std::ranges::find(metrics, counter.name, &RunMetric::name) != metrics.end();
    if (counter.has_value() && !known) {
      bool is_clock = counter.name == "task-clock" || counter.name == "cpu-clock";
      metrics.push_back({counter.name,
                         is_clock ? "seconds" : "",
                         is_clock ? 1e-9 * counter.estimate() : counter.estimate()});
    }
  }
  for (const Metric& metric : derived_metrics(counters)) {
    metrics.push_back({metric.name, metric.unit, metric.value});
  }
}

Result<MeasuredProcess> MeasuredProcess::start(const RunRequest& request,
                                               const sigset_t& mask,
                                               const std::function<void(pid_t)>& before_exec) {
  TRY(check_cpus(request.cpus));
  record::LaunchRequest launch{.command = request.command,
                               .pin = request.cpus,
                               .environment = request.environment,
                               .directory = request.directory,
                               .input = request.input,
                               .outputs = request.outputs,
                               .scheduling = record::current_scheduling(),
                               .own_group = request.own_group,
                               .dies_with_us = request.dies_with_us,
                               .leaves_processes = request.leaves_processes};
  record::Child child = TRY(record::Child::launch(launch, mask));
  Counters counters = Counters::open(
      request.counters, {.pid = child.pid(), .from = Counters::From::kExec, .inherit = true});
  if (before_exec) {
    before_exec(child.pid());
  }
  if (int error = child.release(); error != 0) {
    while (!child.poll()) {  // it ends at once, and does not stay a zombie
      ::usleep(100);
    }
    return cannot_run(request, error);
  }
  return MeasuredProcess(std::move(child), std::move(counters));
}

double MeasuredProcess::seconds_so_far() const {
  return 1e-9 * static_cast<double>(record::monotonic_ns() - child_.start().monotonic_ns);
}

std::optional<MeasuredRun> MeasuredProcess::poll() {
  std::optional<record::Child::End> end = child_.poll();
  if (!end) {
    return {};
  }
  const rusage& before = child_.start().usage;
  const rusage& after = end->usage;
  MeasuredRun run{
      .wall_seconds = 1e-9 * static_cast<double>(end->monotonic_ns - child_.start().monotonic_ns),
      .user_seconds = std::max(0.0, seconds_of(after.ru_utime) - seconds_of(before.ru_utime)),
      .system_seconds = std::max(0.0, seconds_of(after.ru_stime) - seconds_of(before.ru_stime)),
      .voluntary_switches = more_than(after.ru_nvcsw, before.ru_nvcsw),
      .involuntary_switches = more_than(after.ru_nivcsw, before.ru_nivcsw),
      .minor_faults = more_than(after.ru_minflt, before.ru_minflt),
      .major_faults = more_than(after.ru_majflt, before.ru_majflt),
      .peak_bytes = static_cast<uint64_t>(after.ru_maxrss) * 1024,
      .peak_is_bound = after.ru_maxrss <= before.ru_maxrss + kPeakSlackKilobytes,
      .stolen_seconds = child_.stolen_seconds(),
      .counters = counters_.read(),
      .status = end->status,
      .signalled = end->signalled,
  };
  auto migrations = std::ranges::find(run.counters, "cpu-migrations", &CounterReading::name);
  if (migrations != run.counters.end() && migrations->has_value()) {
    run.migrations = migrations->value;
  }
  return run;
}

void ProcessEnding::check() {
  double now = process_.seconds_so_far();
  if (timeout_ > 0 && now >= timeout_ && !asked_at_) {
    asked_at_ = now;
    timed_out_ = true;
    process_.signal(SIGTERM);
    process_.signal(SIGCONT);
  } else if (asked_at_ && now >= *asked_at_ + kGraceSeconds && !killed_) {
    killed_ = true;
    process_.signal(SIGKILL);
  }
}

void ProcessEnding::was_asked() {
  asked_at_ = asked_at_.value_or(process_.seconds_so_far());
}

int ProcessEnding::wait_milliseconds() const {
  if ((timeout_ <= 0 && !asked_at_) || killed_) {
    return -1;
  }
  double until = asked_at_ ? *asked_at_ + kGraceSeconds : timeout_;
  return static_cast<int>(std::clamp(1e3 * (until - process_.seconds_so_far()) + 1, 0.0, 1e6));
}

Result<MeasuredRun> measure_run(const RunRequest& request,
                                record::HeldSignals& signals,
                                const std::function<void()>& tick) {
  MeasuredProcess process = TRY(MeasuredProcess::start(request, signals.old_mask()));
  ProcessEnding ending(process, request.timeout_seconds);
  int stopped_by = 0;
  while (true) {
    if (std::optional<MeasuredRun> run = process.poll()) {
      run->timed_out = ending.timed_out();
      run->stopped_by = stopped_by;
      return *std::move(run);
    }
    ending.check();
    std::array<pollfd, 2> waits = {pollfd{process.descriptor(), POLLIN, 0},
                                   pollfd{signals.descriptor(), POLLIN, 0}};
    int wait = ending.wait_milliseconds();
    if (tick || process.descriptor() < 0) {
      wait = wait < 0 ? kTickMilliseconds : std::min(wait, kTickMilliseconds);
    }
    ::poll(waits.data(), waits.size(), wait);
    while (std::optional<record::HeldSignals::Received> received = signals.next()) {
      if (received->number == SIGCHLD || received->number == SIGPIPE) {
        continue;
      }
      if (!received->from_terminal || request.own_group) {
        process.signal(received->number);
      }
      if (received->asks_to_end()) {
        stopped_by = received->number;
      }
      if (received->asks_to_end() && request.own_group) {
        ending.was_asked();
      }
    }
    if (tick) {
      tick();
    }
  }
}

}  // namespace wick
