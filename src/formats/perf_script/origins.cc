// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_script/origins.h"

#include "formats/perf_script/header.h"

namespace wick::perf_script {
namespace {

// "cpu-clock", "task-clock:ppp", "cpu-clock:uhH": their periods are nanoseconds.
bool is_clock(std::string_view event) {
  std::string_view base = event.substr(0, event.find(':'));
  return base == "cpu-clock" || base == "task-clock";
}

}  // namespace

ThreadId Origins::find_thread(std::string_view who) {
  if (who.empty()) {
    return {};
  }
  LineHash hash = hash_line(who);
  ThreadId thread = threads_.find(hash);
  if (!thread.valid()) {
    thread = add_thread(who);
    if (thread.valid()) {
      threads_.add(hash, thread);
    }
  }
  return thread;
}

ThreadId Origins::add_thread(std::string_view text) {
  Who who = parse_who(text);
  if (who.pid < 0 && who.tid == 0 && who.comm == kUnknownProcess) {
    return {};
  }
  StringId comm = builder_.string(who.comm);
  if (who.pid < 0) {
    // Only the name of the process is known, so threads with the same name belong to one process.
    ProcessId process = builder_.process({.pid = -1, .name = comm});
    return builder_.thread({.tid = who.tid, .process = process, .name = comm});
  }
  ProcessId process = builder_.process({.pid = who.pid});
  if (names_.size() <= process.index()) {
    names_.resize(process.index() + 1);
  }
  NamedProcess& named = names_[process.index()];
  if (!named.process.valid() || who.tid == who.pid) {
    named = {process, comm};  // the main thread's latest name, as after an exec
  }
  return builder_.thread({.tid = who.tid, .process = process, .name = comm});
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
  CountedEvent event{.counts_samples = !has_period || shown == "samples"};
  std::string_view unit = event.counts_samples ? "samples"
                          : is_clock(shown)    ? "nanoseconds"
                                               : shown;
  event.id = builder_.event({.name = builder_.string(shown), .unit = builder_.string(unit)});
  events_.push_back({std::string(name), has_period, event});
  return event;
}

void Origins::name_processes(Profile& profile) const {
  for (const NamedProcess& named : names_) {
    if (named.process.valid()) {
      profile.processes[named.process].name = named.name;
    }
  }
}

}  // namespace wick::perf_script
