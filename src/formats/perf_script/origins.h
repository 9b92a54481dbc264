// SPDX-License-Identifier: Apache-2.0
// The threads, processes and events of a text.
//
// Event lines repeat the same few thread texts ("COMM PID/TID"), so each text is parsed once and
// its thread cached by the hash of the text. The name of a process is that of its main thread,
// which may come late or change: name_processes() sets it at the end.
//
// A thread with a new name is the same thread, and the profile gets both names with their times. A
// main thread with a new name is another thread: it may be another program (exec), which the text
// does not say. So is every thread with a new name in a text without times, because filters could
// not say when it had which name.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/perf_script/event_line.h"
#include "formats/perf_script/line_cache.h"
#include "profile/builder.h"

namespace wick::perf_script {

// The unit of an event's period.
struct CountedEvent {
  EventId id;
  bool counts_samples = false;  // the period is a number of samples
};

class Origins {
 public:
  explicit Origins(ProfileBuilder& builder) : builder_(builder) {}

  // None if the line does not name a thread.
  ThreadId thread(std::string_view who, int64_t time_ns) {
    if (who != last_who_) {
      last_who_ = who;
      last_thread_ = find_thread(who, time_ns);
    }
    return last_thread_;
  }
  CountedEvent event(std::string_view name, bool has_period);
  // The unit of the event's periods; before its first sample.
  void set_unit(std::string_view event, std::string_view unit);

  // Gives processes the name of their main thread, else of the first thread seen.
  void name_processes(Profile& profile) const;

 private:
  struct KnownEvent {
    std::string name;
    bool has_period;
    CountedEvent event;
  };
  struct NamedProcess {
    ProcessId process;
    StringId name;
  };

  // A text that names a thread: the thread, and its name there.
  using NamedThreadId = Id<struct NamedThreadTag>;
  struct NamedThread {
    ThreadId thread;
    StringId name;
  };
  struct LatestName {
    StringId name;
    bool is_first = true;
  };

  ThreadId find_thread(std::string_view who, int64_t time_ns);
  NamedThread add_thread(std::string_view text, bool has_time);
  void rename(const NamedThread& named, int64_t time_ns);
  CountedEvent add_event(std::string_view name, bool has_period);

  ProfileBuilder& builder_;
  std::string last_who_;  // neighbouring samples are often of one thread
  ThreadId last_thread_;
  LineCache<NamedThreadId> texts_;  // by the text that names a thread
  IdVector<NamedThreadId, NamedThread> named_threads_;
  std::map<std::pair<ProcessId, int64_t>, ThreadId> tasks_;  // by tid, except main threads
  std::map<ThreadId, LatestName> latest_names_;              // of these
  std::vector<NamedProcess> names_;                          // by process
  std::vector<KnownEvent> events_;
  std::map<std::string, std::string, std::less<>> units_;  // by event
};

}  // namespace wick::perf_script
