// Who ran and what was counted: the threads, processes and events of a text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formats/perf_script/event_line.h"
#include "formats/perf_script/line_cache.h"
#include "profile/builder.h"

namespace wick::perf_script {

// What the period of an event counts.
struct CountedEvent {
  EventId id;
  bool counts_samples = false;  // the period is a number of samples
};

class Origins {
 public:
  explicit Origins(ProfileBuilder& builder) : builder_(builder) {}

  // None where the line names nobody.
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
  std::string last_who_;  // neighbouring samples often are of one thread
  ThreadId last_thread_;
  LineCache<ThreadId> threads_;      // by the text that names them
  std::vector<NamedProcess> names_;  // by process
  std::vector<KnownEvent> events_;
};

}  // namespace wick::perf_script
