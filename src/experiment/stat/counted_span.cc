// SPDX-License-Identifier: Apache-2.0
// Counts for a span of time: opens counters, starts the command, waits, and reads everything again.
//
//     target       totals                                      besides
//     program      counters from execve on, with its children  rusage
//     processes    counters of each thread, inherited          CPU time and switches from /proc
//     machine      counters on each CPU                        CPU time from /proc/stat
//
// With --per-thread, ThreadCounters counts each thread once more. Its counters miss some
// microseconds of each new thread; a last row, without a name, has the remainder.
//
// Invariant: the rows of the threads and the remainder add up to the total. If the separate
// counters of the threads have counted more than the total, the remainder is 0.
#include "experiment/stat/counted_span.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <poll.h>

#include "base/parse_number.h"
#include "base/statistics.h"
#include "record/machine.h"
#include "record/processes.h"
#include "report/columns.h"

namespace wick {
namespace {

constexpr int kLookMilliseconds = 100;

double seconds(int64_t nanoseconds) {
  return 1e-9 * static_cast<double>(nanoseconds);
}

// The number after a name in /proc/PID/status.
uint64_t status_number(std::string_view status, std::string_view name) {
  size_t at = status.find(name);
  if (at == std::string_view::npos) {
    return 0;
  }
  std::string_view rest = status.substr(at + name.size());
  rest.remove_prefix(std::min(rest.size(), rest.find_first_of("0123456789")));
  return parse_number<uint64_t>(rest.substr(0, rest.find_first_not_of("0123456789"))).value_or(0);
}

// ---- The kernel's accounting of processes -------------------------------------------------------

// Reads the accounts of processes repeatedly. A process that has ended no longer has an account;
// its last values remain.
class ProcessAccounts {
 public:
  explicit ProcessAccounts(const std::vector<int32_t>& pids) {
    for (int32_t pid : pids) {
      processes_[pid] = {};
    }
    look();
    for (auto& [pid, process] : processes_) {
      process.before = process.now;
    }
    for (auto& [tid, thread] : threads_) {
      thread.before = thread.now;
    }
  }

  void look() {
    any_alive_ = false;
    for (auto& [pid, process] : processes_) {
      std::optional<record::CpuTime> time = record::cpu_time_of(pid);
      if (!time) {
        continue;
      }
      any_alive_ = any_alive_ || record::is_alive(pid);
      process.now = *time;
      std::string status = read_text(fmt::format("/proc/{}/status", pid));
      peak_bytes_ = std::max(peak_bytes_, 1024 * status_number(status, "\nVmHWM:"));
      for (int32_t tid : record::threads_of(pid)) {
        std::string of_thread = read_text(fmt::format("/proc/{}/task/{}/status", pid, tid));
        if (!of_thread.empty()) {
          threads_[tid].now = {status_number(of_thread, "\nvoluntary_ctxt_switches:"),
                               status_number(of_thread, "\nnonvoluntary_ctxt_switches:")};
        }
      }
    }
  }
  bool any_alive() const { return any_alive_; }

  void add_metrics(std::vector<RunMetric>& metrics) const {
    record::CpuTime time;
    for (const auto& [pid, process] : processes_) {
      record::CpuTime spent = process.now - process.before;
      time.user_ns += spent.user_ns;
      time.system_ns += spent.system_ns;
    }
    Switches switches;
    for (const auto& [tid, thread] : threads_) {
      switches.voluntary += thread.now.voluntary - thread.before.voluntary;
      switches.involuntary += thread.now.involuntary - thread.before.involuntary;
    }
    metrics.push_back({"user", "seconds", seconds(time.user_ns)});
    metrics.push_back({"sys", "seconds", seconds(time.system_ns)});
    metrics.push_back({"voluntary-switches", "", static_cast<double>(switches.voluntary)});
    metrics.push_back({"involuntary-switches", "", static_cast<double>(switches.involuntary)});
    metrics.push_back({"peak-memory", "bytes", static_cast<double>(peak_bytes_)});
  }

 private:
  struct Process {
    record::CpuTime before;
    record::CpuTime now;
  };
  struct Switches {
    uint64_t voluntary = 0;
    uint64_t involuntary = 0;
  };
  struct Thread {
    Switches before;
    Switches now;
  };
  std::map<int32_t, Process> processes_;
  std::map<int32_t, Thread> threads_;
  uint64_t peak_bytes_ = 0;
  bool any_alive_ = false;
};

// ---- The kernel's accounting of the machine -----------------------------------------------------

struct MachineTicks {
  double user = 0;
  double system = 0;
  double idle = 0;
};

// "cpu  user nice system idle iowait irq softirq ...", in seconds.
MachineTicks machine_ticks() {
  std::string line = record::read_line("/proc/stat").value_or("");
  std::array<double, 7> fields = {};
  std::string_view rest = line;
  rest.remove_prefix(std::min(rest.size(), rest.find(' ')));
  for (double& field : fields) {
    rest.remove_prefix(std::min(rest.size(), rest.find_first_not_of(' ')));
    std::string_view word = rest.substr(0, rest.find(' '));
    field = parse_number<double>(word).value_or(0) / static_cast<double>(::sysconf(_SC_CLK_TCK));
    rest.remove_prefix(word.size());
  }
  return {fields[0] + fields[1], fields[2] + fields[5] + fields[6], fields[3] + fields[4]};
}

// ---- The span -----------------------------------------------------------------------------------

class SpanCounter {
 public:
  SpanCounter(const SpanRequest& request,
              record::HeldSignals& signals,
              const std::function<void()>& tick)
      : request_(request), signals_(signals), tick_(tick) {}

  Result<CountedSpan> run() {
    record::raise_descriptor_limit();
    open();
    TRY(check_allowed());
    TRY(begin());
    record::Scheduling usual = record::current_scheduling();
    if (threads_) {
      record::raise_priority(record::kDrainPriority);  // to notice new threads in time
    }
    wait();
    record::set_scheduling(usual);
    finish();
    return std::move(result_);
  }

 private:
  using Of = SpanRequest::Of;

  void open() {
    if (request_.of == Of::kMachine) {
      for (int cpu : record::online_cpus()) {
        counters_.push_back(Counters::open(request_.counters, {.cpu = cpu, .inherit = false}));
      }
      ticks_before_ = machine_ticks();
    } else if (request_.of == Of::kProcesses) {
      pids_ = record::with_descendants(request_.pids);
      open_threads();
      accounts_.emplace(pids_);
    }
  }

  // Time, counters and command start together, because a short command may have ended before wick
  // first looks at it. wick starts nothing before it knows that it can count it.
  Result<> begin() {
    if (request_.command) {
      RunRequest command = *request_.command;
      bool is_target = request_.of == Of::kProgram;
      command.counters = is_target ? request_.counters : std::vector<CounterRequest>();
      auto before_exec = [&](int32_t pid) {
        if (is_target && request_.per_thread) {
          threads_ = ThreadCounters::of_child(request_.counters, pid);
        }
        enable();
      };
      process_ = TRY(MeasuredProcess::start(command, signals_.old_mask(), before_exec));
      ending_.emplace(*process_, request_.duration_seconds);
    } else {
      enable();
    }
    return {};
  }

  void enable() {
    start_ns_ = record::monotonic_ns();
    for (const Counters& counters : counters_) {
      counters.enable();
    }
  }

  void open_threads() {
    for (int32_t pid : pids_) {
      for (int32_t tid : record::threads_of(pid)) {
        counters_.push_back(Counters::open(request_.counters, {.pid = tid, .inherit = true}));
      }
    }
    if (request_.per_thread) {
      threads_ = ThreadCounters::of_processes(request_.counters, pids_);
    }
  }

  // If nothing at all may be counted, this is an error.
  Result<> check_allowed() const {
    if (request_.of == Of::kProgram) {
      return {};
    }
    std::string why;
    for (const Counters& counters : counters_) {
      for (const CounterReading& reading : counters.read()) {
        if (reading.missing.empty()) {
          return {};
        }
        why = why.empty() ? reading.missing : why;
      }
    }
    if (why.empty()) {  // no thread was listed
      why = std::ranges::any_of(pids_, record::is_alive)
                ? "too many files are open; ulimit -n 65536"
                : "they have ended";
    }
    return fail("Cannot count {}: {}.",
                request_.of == Of::kMachine ? "the whole machine" : "these processes",
                why);
  }

  // Some threads belong to other users and cannot be counted. Without a note the sum would be too
  // low.
  void report_uncounted(const std::vector<std::vector<CounterReading>>& all) {
    for (size_t i = 0; i < request_.counters.size(); ++i) {
      size_t missing = 0;
      std::string why;
      for (const std::vector<CounterReading>& readings : all) {
        bool is_missing = !readings[i].missing.empty();
        missing += is_missing ? 1 : 0;
        why = is_missing ? readings[i].missing : why;
      }
      if (missing > 0 && missing < all.size()) {
        result_.notes.push_back(
            fmt::format("{} of {} threads were not counted ({}), so counters are too low.",
                        missing,
                        all.size(),
                        why));
        return;
      }
    }
  }

  double so_far() const { return 1e-9 * static_cast<double>(record::monotonic_ns() - start_ns_); }

  void wait() {
    while (!is_over()) {
      std::vector<pollfd> waits = {{signals_.descriptor(), POLLIN, 0}};
      if (process_) {
        waits.push_back({process_->descriptor(), POLLIN, 0});
      }
      if (threads_) {
        for (int descriptor : threads_->descriptors()) {
          waits.push_back({descriptor, POLLIN, 0});
        }
      }
      ::poll(waits.data(), waits.size(), wait_milliseconds());
      if (threads_) {
        threads_->look();
      }
      if (accounts_) {
        accounts_->look();
      }
      take_signals();
      if (tick_) {
        tick_();
      }
    }
  }

  int wait_milliseconds() const {
    if (ending_) {
      int wait = ending_->wait_milliseconds();
      return wait < 0 ? kLookMilliseconds : std::min(wait, kLookMilliseconds);
    }
    if (request_.duration_seconds <= 0) {
      return kLookMilliseconds;
    }
    double left = 1e3 * (request_.duration_seconds - so_far());
    return static_cast<int>(std::clamp(left + 1, 0.0, double{kLookMilliseconds}));
  }

  void take_signals() {
    while (std::optional<record::HeldSignals::Received> received = signals_.next()) {
      if (received->number == SIGCHLD || received->number == SIGPIPE) {
        continue;
      }
      if (received->asks_to_end()) {
        result_.stopped_by = received->number;
      }
      if (process_ && !received->from_terminal) {
        process_->signal(received->number);
      }
    }
  }

  bool is_over() {
    if (process_) {
      ending_->check();
      result_.command = process_->poll();
      if (result_.command) {
        result_.command->timed_out = ending_->timed_out();
      }
      return result_.command.has_value();
    }
    bool time_is_over = request_.duration_seconds > 0 && so_far() >= request_.duration_seconds;
    bool all_ended = accounts_ && !accounts_->any_alive();
    return time_is_over || all_ended || result_.stopped_by != 0;
  }

  void finish() {
    wall_ = so_far();
    for (const Counters& counters : counters_) {
      counters.disable();
    }
    if (accounts_) {
      accounts_->look();
    }
    if (request_.of == Of::kProgram) {
      result_.run = stat_run(*result_.command);
    } else {
      std::vector<std::vector<CounterReading>> all;
      for (const Counters& counters : counters_) {
        all.push_back(counters.read());
        add_readings(result_.run.counters, all.back());
      }
      add_metrics();
      report_uncounted(all);
    }
    if (threads_) {
      threads_->look();
      result_.threads = threads_->read();
      result_.threads.push_back(
          {.counters = rest_of_threads(result_.run.counters, result_.threads)});
      if (!threads_->sees_new_threads()) {
        result_.notes.emplace_back(
            "The kernel does not report new threads here (kernel.perf_event_paranoid); they are in "
            "the last row.");
      }
    }
  }

  void add_metrics() {
    std::vector<RunMetric>& metrics = result_.run.metrics;
    metrics.push_back({"wall", "seconds", wall_});
    if (accounts_) {
      accounts_->add_metrics(metrics);
      result_.notes.emplace_back("Peak memory is since the start of the process.");
    } else {
      MachineTicks now = machine_ticks();
      metrics.push_back({"user", "seconds", now.user - ticks_before_.user});
      metrics.push_back({"sys", "seconds", now.system - ticks_before_.system});
      metrics.push_back({"idle", "seconds", now.idle - ticks_before_.idle});
    }
    add_counter_metrics(result_.run.counters, metrics);
  }

  const SpanRequest& request_;
  record::HeldSignals& signals_;
  const std::function<void()>& tick_;
  std::vector<int32_t> pids_;
  std::vector<Counters> counters_;
  std::optional<ThreadCounters> threads_;
  std::optional<ProcessAccounts> accounts_;
  std::optional<MeasuredProcess> process_;
  std::optional<ProcessEnding> ending_;
  MachineTicks ticks_before_;
  uint64_t start_ns_ = 0;
  double wall_ = 0;
  CountedSpan result_;
};

}  // namespace

Result<CountedSpan> count_span(const SpanRequest& request,
                               record::HeldSignals& signals,
                               const std::function<void()>& tick) {
  return SpanCounter(request, signals, tick).run();
}

Section thread_section(const std::vector<ThreadReading>& threads, double wall_seconds) {
  std::vector<const ThreadReading*> order;
  for (const ThreadReading& thread : threads) {
    order.push_back(&thread);
  }
  // Nothing for a thread that had ended before wick could count it.
  auto clock_of = [](const ThreadReading* thread) {
    auto clock = std::ranges::find(thread->counters, "task-clock", &CounterReading::name);
    bool known = clock != thread->counters.end() && clock->has_value();
    return known ? 1e-9 * static_cast<double>(clock->value) : -1;
  };
  // The row with the remainder stays last.
  std::ranges::stable_sort(
      order.begin(), order.end() - (order.empty() ? 0 : 1), std::greater(), clock_of);
  std::vector<ReportColumn> columns;
  ReportColumn busy = share_column("cpus", "CPU %");
  ReportColumn tid = text_column("tid", "thread");
  ReportColumn pid = for_programs(text_column("pid", "process"));
  ReportColumn name = name_column("name");
  for (const ThreadReading* thread : order) {
    bool is_rest = thread->tid == 0;
    double clock = clock_of(thread);
    busy.numbers.push_back(wall_seconds > 0 && clock >= 0 ? clock / wall_seconds : kNoNumber);
    tid.text.push_back(is_rest ? "" : fmt::format("{}", thread->tid));
    pid.text.push_back(is_rest ? "" : fmt::format("{}", thread->pid));
    name.text.push_back(is_rest ? "(before wick opened their counters)" : thread->name);
    std::vector<RunMetric> metrics;
    add_counter_metrics(thread->counters, metrics);
    for (const RunMetric& metric : metrics) {
      if (std::ranges::find(columns, metric.name, &ReportColumn::name) == columns.end()) {
        bool timed = metric.unit == "seconds";
        columns.push_back(in_unit(metric.unit, weight_column(metric.name, metric.name)));
        columns.back().kind =
            timed || metric.unit.empty() ? ColumnKind::kWeight : ColumnKind::kNumber;
        columns.back().numbers.resize(busy.numbers.size() - 1, kNoNumber);
        // A narrow terminal has room for a few counters.
        columns.back().importance = columns.size() == 1 ? Importance::kKey : Importance::kUseful;
      }
    }
    for (ReportColumn& column : columns) {
      auto metric = std::ranges::find(metrics, column.name, &RunMetric::name);
      column.numbers.push_back(metric == metrics.end() ? kNoNumber : metric->value);
    }
  }
  Table table;
  table.columns.push_back(std::move(busy));
  std::ranges::move(columns, std::back_inserter(table.columns));
  table.columns.push_back(std::move(tid));
  table.columns.push_back(std::move(pid));
  table.columns.push_back(std::move(name));
  return {.name = "threads", .title = "Threads", .body = std::move(table)};
}

}  // namespace wick
