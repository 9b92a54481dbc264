// One event of the kernel, opened: the only place that calls perf_event_open(2).
//
// What all samples of a recording hold is the same for each of its events (SampleContents), so that
// every record of a ring is laid out alike. The first event of a ring also carries what is not a
// sample: maps, names, forks and exits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <linux/perf_event.h>

#include "base/descriptor.h"
#include "base/result.h"

namespace wick::record {

// What to count, and how often to take a sample of it.
struct EventRequest {
  std::string name;  // as the user wrote it
  uint32_t type = PERF_TYPE_SOFTWARE;
  uint64_t config = PERF_COUNT_SW_CPU_CLOCK;
  uint64_t config1 = 0;
  uint64_t config2 = 0;
  bool exclude_user = false;
  bool exclude_kernel = false;
  uint8_t precise = 0;
  uint64_t period = 0;     // a sample each time this many were counted; 0: by frequency
  uint64_t frequency = 0;  // samples a second

  // Tracepoints and probes, whose numbers are those of dynamic PMUs, run none on samples.
  bool runs_programs() const { return type <= PERF_TYPE_RAW && type != PERF_TYPE_TRACEPOINT; }
  bool is_clock() const {
    return type == PERF_TYPE_SOFTWARE &&
           (config == PERF_COUNT_SW_CPU_CLOCK || config == PERF_COUNT_SW_TASK_CLOCK);
  }
  // A clock that leaves the machine no time for anything else (-F max).
  bool is_hectic() const {
    constexpr uint64_t kShortestNs = 50'000;
    uint64_t interval = period != 0 || frequency == 0 ? period : 1'000'000'000 / frequency;
    return is_clock() && interval < kShortestNs;
  }
};

enum class StackSource : uint8_t { kNone, kFramePointer, kCopy, kBranches };

// The kernel's records are no larger than 65,535 bytes, and the rest of a sample must fit, too:
// registers and a kernel call chain of perf_event_max_stack (127) frames.
inline constexpr uint32_t kMostStackBytes = 62 * 1024;

struct SampleContents {
  StackSource stacks = StackSource::kCopy;
  uint32_t stack_bytes = kMostStackBytes;  // a multiple of 8; for kCopy
  bool raw = false;                        // a tracepoint's own fields

  uint64_t sample_type() const;
  // The registers that are needed to unwind, as bits of the kernel's perf_regs.h.
  static uint64_t user_registers();
};

struct OpenOptions {
  bool tracks = false;        // carries maps, names, forks, exits
  bool tracks_data = false;   // maps of what is not executable, too
  bool inherit = false;       // threads and children that come later count, too
  uint32_t wakeup_bytes = 0;  // poll() returns when the ring holds as much
};

// Events are opened disabled.
perf_event_attr make_attr(const EventRequest& request,
                          const SampleContents& contents,
                          const OpenOptions& options);

// For counting without samples.
struct CountingOptions {
  bool inherit = true;   // threads and children that come later count, too
  bool on_exec = false;  // counts from when the thread executes a program
  bool leads = true;     // else it is a member of a group, and counts when its leader does
};
perf_event_attr make_counting_attr(const EventRequest& request, const CountingOptions& options);

class PerfEvent {
 public:
  // Whom and where to count: a thread and its heirs, a cgroup (a descriptor of its directory), or
  // everybody on a CPU.
  struct Target {
    int pid = -1;
    int cpu = -1;
    bool is_cgroup = false;
    int leader = -1;  // descriptor of the event whose group it joins
  };

  // On failure gives errno. Kernels before 6.0 do not count what was lost and are not asked for it;
  // `attr` says what it was.
  static std::expected<PerfEvent, int> open(perf_event_attr& attr, const Target& target);

  int descriptor() const { return descriptor_.get(); }
  uint64_t id() const { return id_; }
  bool enable() const;
  void disable() const;
  // Its records go to the ring of another event of the same CPU.
  bool redirect_to(const PerfEvent& owner) const;
  bool attach_bpf(int program) const;

  struct Counts {
    uint64_t value = 0;
    uint64_t enabled_ns = 0;
    uint64_t running_ns = 0;  // less than enabled when the hardware had to be shared
    uint64_t lost = 0;
  };
  Counts read() const;

 private:
  PerfEvent() = default;

  Descriptor descriptor_;
  uint64_t id_ = 0;
  bool reads_lost_ = false;
};

}  // namespace wick::record
