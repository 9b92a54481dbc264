// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_script/origins.h"

#include "formats/perf_script/header.h"

namespace wick::perf_script {

ThreadId Origins::find_thread(std::string_view who, int64_t time_ns) {
  if (who.empty()) {
    return {};
  }
  LineHash hash = hash_line(who);
  NamedThreadId known = texts_.find(hash);
  if (!known.valid()) {
    NamedThread named = add_thread(who, time_ns != kNoTime);
    if (!named.thread.valid()) {
      return {};
    }
    known = named_threads_.push_back(named);
    texts_.add(hash, known);
  }
  rename(named_threads_[known], time_ns);
  return named_threads_[known].thread;
}

Origins::NamedThread Origins::add_thread(std::string_view text, bool has_time) {
  Who who = parse_who(text);
  if (who.pid < 0 && who.tid == 0 && who.comm == kUnknownProcess) {
    return {};
  }
  StringId comm = builder_.string(who.comm);
  if (who.pid < 0) {
    // Only the name of the process is known, so threads with the same name belong to one process.
    ProcessId process = builder_.process({.pid = -1, .name = comm});
    return {builder_.thread({.tid = who.tid, .process = process, .name = comm}), comm};
  }
  ProcessId process = builder_.process({.pid = who.pid});
  if (names_.size() <= process.index()) {
    names_.resize(process.index() + 1);
  }
  NamedProcess& named = names_[process.index()];
  if (!named.process.valid() || who.tid == who.pid) {
    named = {process, comm};  // the main thread's latest name, as after an exec
  }
  if (who.tid == who.pid || !has_time) {
    return {builder_.thread({.tid = who.tid, .process = process, .name = comm}), comm};
  }
  auto [task, is_new] = tasks_.try_emplace({process, who.tid});
  if (is_new) {
    task->second = builder_.thread({.tid = who.tid, .process = process, .name = comm});
    latest_names_[task->second] = {.name = comm};
  }
  return {task->second, comm};
}

// A row for each name, if a thread has several.
void Origins::rename(const NamedThread& named, int64_t time_ns) {
  auto found = latest_names_.find(named.thread);
  if (found == latest_names_.end() || found->second.name == named.name) {
    return;
  }
  LatestName& latest = found->second;
  if (latest.is_first) {
    builder_.add_thread_name({.thread = named.thread, .time_ns = kNoTime, .name = latest.name});
  }
  latest = {.name = named.name, .is_first = false};
  builder_.add_thread_name({.thread = named.thread, .time_ns = time_ns, .name = named.name});
  builder_.update(named.thread, [&](Thread& thread) { thread.name = named.name; });
}

CountedEvent Origins::event(std::string_view name, bool has_period) {
  for (const KnownEvent& known : events_) {
    if (known.name == name && known.has_period == has_period) {
      return known.event;
    }
  }
  return add_event(name, has_period);
}

CountedEvent Origins::add_event(std::string_view name, bool has_period) {
  std::string_view nameless = has_period ? "period" : "samples";
  std::string_view shown = name.empty() ? nameless : name;
  auto known = units_.find(shown);
  std::string_view unit = known != units_.end() ? known->second : implied_unit(shown);
  unit = has_period ? unit : "samples";
  CountedEvent event{.counts_samples = unit == "samples"};
  event.id = builder_.event({.name = builder_.string(shown), .unit = builder_.string(unit)});
  events_.push_back({std::string(name), has_period, event});
  return event;
}

void Origins::set_unit(std::string_view event, std::string_view unit) {
  units_.emplace(event, unit);
}

void Origins::name_processes(Profile& profile) const {
  for (const NamedProcess& named : names_) {
    if (named.process.valid()) {
      profile.processes[named.process].name = named.name;
    }
  }
}

}  // namespace wick::perf_script
