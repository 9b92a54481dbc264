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
  ThreadId thread(std::string_view who);
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

  ThreadId add_thread(std::string_view who);
  CountedEvent add_event(std::string_view name, bool has_period);

  ProfileBuilder& builder_;
  LineCache<ThreadId> threads_;      // by the text that names them
  std::vector<NamedProcess> names_;  // by process
  std::vector<KnownEvent> events_;
};

}  // namespace wick::perf_script
