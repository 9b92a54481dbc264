// SPDX-License-Identifier: Apache-2.0
// Makes one run of one point.
//
//     1. start    servers in the order of the plan, each until it is ready; then all clients
//     2. wait     until every client has ended, or something goes wrong
//     3. stop     clients that still run (SIGTERM); then the servers in reverse order, with the
//                 command or signal of the plan; then SIGKILL
//     4. result   metrics and checks from the output and the costs of all processes
//
// Any problem calls give_up(), which stores the first reason; later ones are consequences. Every
// path leads to the stop. Invariant: when run() returns, no process of the run exists, except one
// that SIGKILL could not end within 10 s because it waits in the kernel.
#include "experiment/sweep/point_run.h"

#include <algorithm>
#include <csignal>

#include <fcntl.h>
#include <poll.h>

#include "base/descriptor.h"
#include "base/parse_number.h"
#include "experiment/sweep/instance.h"
#include "experiment/sweep/readiness.h"
#include "record/machine.h"
#include "record/steal_time.h"

namespace wick {
namespace {

constexpr int kProbeMilliseconds = 10;
constexpr int kTickMilliseconds = 100;
constexpr double kClientGraceSeconds = 2;
constexpr double kKilledSeconds = 10;  // until wick no longer waits for a killed process

double now_seconds() {
  return 1e-9 * static_cast<double>(record::monotonic_ns());
}

class PointRun {
 public:
  PointRun(const Plan& plan,
           const Point& point,
           const RunSetting& setting,
           record::HeldSignals& signals,
           const std::function<void()>& tick)
      : plan_(plan), point_(point), setting_(setting), signals_(signals), tick_(tick) {}

  RunOutcome run() {
    record::StealTime steal;
    steal.start();
    double start = now_seconds();
    if (Result<> done = start_and_wait(); !done) {
      give_up(RunStatus::kFailed, done.error().message);
    }
    stop_all();
    outcome_.seconds = now_seconds() - start;
    outcome_.stolen_seconds = steal.seconds();
    if (outcome_.status == RunStatus::kOk) {
      take_results();
    }
    return std::move(outcome_);
  }

 private:
  // ---- Starting ---------------------------------------------------------------------------------

  Result<> start_and_wait() {
    placeholders_.emplace(TRY(RunPlaceholders::of(plan_, point_, setting_)));
    TRY(placeholders_->take_ports());
    for (size_t role = 0; role < plan_.roles.size(); ++role) {
      if (plan_.roles[role].is_server) {
        TRY(start_server(role));
      }
      if (is_over()) {
        return {};
      }
    }
    clients_started_ = now_seconds();
    for (size_t role = 0; role < plan_.roles.size(); ++role) {
      if (!plan_.roles[role].is_server) {
        TRY(start_role(role));
      }
    }
    wait_for_clients();
    return {};
  }

  bool is_over() const { return outcome_.status != RunStatus::kOk || outcome_.stopped_by != 0; }

  Result<> start_server(size_t role) {
    size_t first = instances_.size();
    TRY(start_role(role));
    for (size_t i = first; i < instances_.size() && !is_over(); ++i) {
      TRY(wait_until_ready(instances_[i]));
    }
    return {};
  }

  Result<> start_role(size_t role) {
    for (uint64_t i = 0; i < placeholders_->instances(role) && outcome_.stopped_by == 0; ++i) {
      instances_.push_back(
          TRY(start_instance(plan_, role, i, *placeholders_, setting_, signals_.old_mask())));
    }
    return {};
  }

  PlaceholderWords words_for(const Instance& instance) {
    return placeholders_->words(instance.role, instance.number);
  }

  // ---- Waiting ----------------------------------------------------------------------------------

  Result<> wait_until_ready(Instance& instance) {
    const Role& role = plan_.roles[instance.role];
    if (!role.ready.any()) {
      return {};
    }
    ReadinessProbe probe(
        TRY(ready_when(instance)), instance.output, instance.errors, signals_.old_mask());
    double start = now_seconds();
    while (outcome_.stopped_by == 0) {
      bool ready = TRY(probe.is_ready());
      if (instance.end) {  // even if another process answers at its port
        give_up(RunStatus::kFailed,
                fmt::format("The server {} {} before it was ready{}",
                            instance.name,
                            end_text(*instance.end),
                            instance.last_words()));
        return {};
      }
      if (ready) {
        return {};
      }
      if (now_seconds() - start > role.ready.timeout_seconds) {
        give_up(RunStatus::kFailed,
                fmt::format("The server {} was not ready after {:g} s of waiting for {}{}",
                            instance.name,
                            role.ready.timeout_seconds,
                            probe.what(),
                            instance.last_words()));
        return {};
      }
      wait_a_moment(kProbeMilliseconds);
    }
    return {};
  }

  Result<ReadyWhen> ready_when(const Instance& instance) {
    const Role& role = plan_.roles[instance.role];
    const Readiness& ready = role.ready;
    PlaceholderWords words = words_for(instance);
    ReadyWhen when;
    when.host = TRY(fill_text(ready.host.text, words));
    when.directory = TRY(directory_of(plan_, role, words));
    if (!ready.port.text.empty()) {
      std::string text = TRY(fill_text(ready.port.text, words));
      when.port = parse_number<uint16_t>(text);
      when.port_is_ours = ready.port.text == "{port}";
      if (!when.port) {
        return fail(
            "`ready` of the role {} waits for port \"{}\", which is not a port.", role.name, text);
      }
    }
    if (!ready.output.text.empty()) {
      std::string pattern = TRY(fill_text(ready.output.text, words));
      when.output = TRY(Pattern::compile(pattern));
    }
    if (!ready.test.words.empty()) {
      when.test = TRY(fill_command(ready.test, words));
    }
    return when;
  }

  void wait_for_clients() {
    double deadline = clients_started_ + plan_.timeout_seconds;
    while (!is_over() && any_client_runs()) {
      double left = deadline - now_seconds();
      if (left <= 0) {
        give_up(RunStatus::kTimeout,
                fmt::format("It did not finish within {:g} s, the timeout of the plan.",
                            plan_.timeout_seconds));
        return;
      }
      wait_a_moment(static_cast<int>(std::min(1e3 * left + 1, double{kTickMilliseconds})));
      look_at_ends();
    }
    clients_seconds_ = last_client_end_ - clients_started_;
  }

  bool any_client_runs() const {
    return std::ranges::any_of(instances_, [&](const Instance& instance) {
      return instance.runs() && !plan_.roles[instance.role].is_server;
    });
  }

  // Checks for a client that failed, or a server that ended too early.
  void look_at_ends() {
    for (const Instance& instance : instances_) {
      if (!instance.end || is_over()) {
        continue;
      }
      if (plan_.roles[instance.role].is_server) {
        give_up(RunStatus::kFailed,
                fmt::format("The server {} {} while clients ran{}",
                            instance.name,
                            end_text(*instance.end),
                            instance.last_words()));
      } else if (instance.end->status != 0) {
        give_up(RunStatus::kFailed,
                fmt::format("The client {} {}{}",
                            instance.name,
                            end_text(*instance.end),
                            instance.last_words()));
      }
    }
  }

  // Waits until a process ends, a signal arrives, or the time is over.
  void wait_a_moment(int milliseconds) {
    std::vector<pollfd> waits = {{signals_.descriptor(), POLLIN, 0}};
    for (const Instance& instance : instances_) {
      if (instance.runs()) {
        waits.push_back({instance.process->descriptor(), POLLIN, 0});
      }
    }
    ::poll(waits.data(), waits.size(), milliseconds);
    for (Instance& instance : instances_) {
      if (instance.runs()) {
        note_end(instance);
      }
    }
    while (std::optional<record::HeldSignals::Received> received = signals_.next()) {
      if (received->asks_to_end()) {
        take_stop(received->number);
      }
    }
    if (tick_) {
      tick_();
    }
  }

  void take_stop(int signal) {
    stops_fast_ = outcome_.stopped_by != 0;
    outcome_.stopped_by = signal;
  }

  void note_end(Instance& instance) {
    double begin = now_seconds() - instance.process->seconds_so_far();
    instance.end = instance.process->poll();
    if (instance.end && !plan_.roles[instance.role].is_server) {
      last_client_end_ = std::max(last_client_end_, begin + instance.end->wall_seconds);
    }
  }

  // ---- Stopping ---------------------------------------------------------------------------------

  void stop_all() {
    for (Instance& instance : instances_) {
      if (!plan_.roles[instance.role].is_server && instance.runs()) {
        instance.stopped_by_us = true;
        instance.process->signal(SIGTERM);
      }
    }
    wait_until(now_seconds() + kClientGraceSeconds, [&] { return !any_client_runs(); });
    for (size_t role = plan_.roles.size(); role > 0; --role) {
      stop_role(role - 1);
    }
  }

  void stop_role(size_t role) {
    const Role& plan = plan_.roles[role];
    for (Instance& instance : instances_) {
      if (instance.role == role && instance.runs() && plan.is_server) {
        instance.stopped_by_us = true;
        ask_to_stop(plan, instance);
      }
    }
    auto is_done = [&] {
      return std::ranges::none_of(
          instances_, [&](const Instance& each) { return each.role == role && each.runs(); });
    };
    wait_until(now_seconds() + (plan.is_server ? plan.stop_timeout_seconds : 0), is_done);
    for (Instance& instance : instances_) {
      if (instance.role == role) {
        finish_stop(plan, instance);
      }
    }
  }

  void ask_to_stop(const Role& plan, Instance& instance) {
    if (plan.stop.words.empty()) {
      instance.process->signal(plan.stop_signal);
      instance.process->signal(SIGCONT);
      return;
    }
    PlaceholderWords words = words_for(instance);
    Result<std::vector<std::string>> command = fill_command(plan.stop, words);
    Result<std::string> directory = directory_of(plan_, plan, words);
    if (!command || !directory) {
      stop_failed(instance, (!command ? command.error() : directory.error()).message);
      return;
    }
    Descriptor nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
    Result<MeasuredRun> stopped = measure_run({.command = *command,
                                               .directory = *directory,
                                               .timeout_seconds = plan.stop_timeout_seconds,
                                               .input = nowhere.get(),
                                               .outputs = {nowhere.get(), nowhere.get()},
                                               .counters = {},
                                               .own_group = true,
                                               .dies_with_us = true},
                                              signals_);
    if (stopped && stopped->stopped_by != 0) {
      take_stop(stopped->stopped_by);
      instance.process->signal(SIGTERM);
    } else if (!stopped || !stopped->succeeded()) {
      stop_failed(instance,
                  !stopped             ? stopped.error().message
                  : stopped->timed_out ? "it did not end in time."
                                       : fmt::format("it {}.", end_text(*stopped)));
    }
  }

  void stop_failed(Instance& instance, const std::string& why) {
    give_up(RunStatus::kFailed,
            fmt::format("The command that stops {} failed: {}", instance.name, why));
    instance.process->signal(SIGTERM);
  }

  // Kills an instance that still runs, and checks how a server ended.
  void finish_stop(const Role& plan, Instance& instance) {
    if (instance.runs()) {
      instance.process->signal(SIGKILL);
      wait_until(now_seconds() + kKilledSeconds, [&] { return !instance.runs(); }, false);
      if (instance.runs()) {
        give_up(RunStatus::kFailed,
                fmt::format("{} was killed and did not end within {:g} s: it is waiting in the "
                            "kernel.",
                            instance.name,
                            kKilledSeconds));
      } else if (plan.is_server && plan.stop_signal != SIGKILL) {
        give_up(RunStatus::kFailed,
                fmt::format("The server {} did not stop within {:g} s and was killed.",
                            instance.name,
                            plan.stop_timeout_seconds));
      }
      return;
    }
    bool orderly = !instance.end || instance.end->status == 0 ||
                   (instance.stopped_by_us && instance.end->signalled &&
                    instance.end->status == record::shell_status(plan.stop_signal));
    if (plan.is_server && !orderly) {
      give_up(RunStatus::kFailed,
              fmt::format("The server {} {}{}{}",
                          instance.name,
                          end_text(*instance.end),
                          instance.stopped_by_us ? " when it was stopped" : "",
                          instance.last_words()));
    }
  }

  void wait_until(double deadline, const std::function<bool()>& done, bool may_speed_up = true) {
    while (!done() && now_seconds() < deadline && !(may_speed_up && stops_fast_)) {
      wait_a_moment(kProbeMilliseconds);
    }
  }

  // ---- The result -------------------------------------------------------------------------------

  // The first reason counts; later ones are consequences.
  void give_up(RunStatus status, std::string why) {
    if (outcome_.status == RunStatus::kOk) {
      outcome_.status = status;
      outcome_.why = std::move(why);
    }
  }

  void take_results() {
    std::vector<RoleResult> results(plan_.roles.size());
    for (const Instance& instance : instances_) {
      results[instance.role].push_back(result_of(plan_, instance, outcome_.cut));
    }
    TakenMetrics taken = take_metrics(plan_, point_, results, clients_seconds_);
    outcome_.metrics = std::move(taken.values);
    if (!taken.missing.empty()) {
      give_up(RunStatus::kFailed, taken.missing);
      return;
    }
    outcome_.checks = judge_checks(plan_, point_, outcome_.metrics);
  }

  const Plan& plan_;
  const Point& point_;
  const RunSetting& setting_;
  record::HeldSignals& signals_;
  const std::function<void()>& tick_;
  std::optional<RunPlaceholders> placeholders_;
  std::vector<Instance> instances_;
  RunOutcome outcome_;
  double clients_started_ = 0;
  double last_client_end_ = 0;
  double clients_seconds_ = 0;
  bool stops_fast_ = false;  // a second signal has asked wick to end
};

}  // namespace

std::string_view status_name(RunStatus status) {
  return status == RunStatus::kOk ? "ok" : status == RunStatus::kFailed ? "failed" : "timeout";
}

RunOutcome run_point(const Plan& plan,
                     const Point& point,
                     const RunSetting& setting,
                     record::HeldSignals& signals,
                     const std::function<void()>& tick) {
  return PointRun(plan, point, setting, signals, tick).run();
}

}  // namespace wick
