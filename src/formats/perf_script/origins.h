// SPDX-License-Identifier: Apache-2.0
// The threads, processes and events of a text.
//
// Event lines repeat the same few thread texts ("COMM PID/TID"), so each text is parsed once and
// its thread cached by the hash of the text. The name of a process is that of its main thread,
// which may come late or change: name_processes() sets it at the end.
#pragma once

#include <string>
#include <string_view>
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
  ThreadId thread(std::string_view who) {
    if (who != last_who_) {
      last_who_ = who;
      last_thread_ = find_thread(who);
    }
    return last_thread_;
  }
  CountedEvent event(std::string_view name, bool has_period);

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

  ThreadId find_thread(std::string_view who);
  ThreadId add_thread(std::string_view text);
  CountedEvent add_event(std::string_view name, bool has_period);

  ProfileBuilder& builder_;
  std::string last_who_;  // neighbouring samples are often of one thread
  ThreadId last_thread_;
  LineCache<ThreadId> threads_;      // by the text that names them
  std::vector<NamedProcess> names_;  // by process
  std::vector<KnownEvent> events_;
};

}  // namespace wick::perf_script
