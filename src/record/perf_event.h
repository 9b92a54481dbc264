// SPDX-License-Identifier: Apache-2.0
// One open event of the kernel; only this file calls perf_event_open(2).
//
// All events of a recording have the same sample contents (SampleContents), so that all records of
// a ring have the same layout. The first event of a ring also gets the records that are not
// samples: maps, names, forks and exits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <asm/perf_regs.h>
#include <linux/perf_event.h>

#include "base/descriptor.h"
#include "base/result.h"

namespace wick::record {

// An event to count, and how often to sample it.
struct EventRequest {
  std::string name;  // as the user wrote it
  uint32_t type = PERF_TYPE_SOFTWARE;
  uint64_t config = PERF_COUNT_SW_CPU_CLOCK;
  uint64_t config1 = 0;
  uint64_t config2 = 0;
  bool exclude_user = false;
  bool exclude_kernel = false;
  uint8_t precise = 0;
  uint64_t period = 0;     // one sample for this many counts; 0: by frequency
  uint64_t frequency = 0;  // samples a second

  // The kernel runs no program on samples of tracepoints and probes, whose types are those of
  // dynamic PMUs.
  bool runs_programs() const { return type <= PERF_TYPE_RAW && type != PERF_TYPE_TRACEPOINT; }
  bool is_clock() const {
    return type == PERF_TYPE_SOFTWARE &&
           (config == PERF_COUNT_SW_CPU_CLOCK || config == PERF_COUNT_SW_TASK_CLOCK);
  }
  // A clock so fast that the machine has no time for anything else (-F max).
  bool is_hectic() const {
    constexpr uint64_t kShortestNs = 50'000;
    uint64_t interval = period != 0 || frequency == 0 ? period : 1'000'000'000 / frequency;
    return is_clock() && interval < kShortestNs;
  }
};

enum class StackSource : uint8_t { kNone, kFramePointer, kCopy, kBranches };

// The kernel's records have at most 65,535 bytes, and the rest of a sample must fit, too: registers
// and a kernel call chain of perf_event_max_stack (127) frames.
inline constexpr uint32_t kMaxStackBytes = 62 * 1024;

// The kernel's numbers of two registers.
#if defined(__x86_64__)
inline constexpr int kStackPointerRegister = PERF_REG_X86_SP;
inline constexpr int kInstructionRegister = PERF_REG_X86_IP;
#else
inline constexpr int kStackPointerRegister = PERF_REG_ARM64_SP;
inline constexpr int kInstructionRegister = PERF_REG_ARM64_PC;
#endif

struct SampleContents {
  StackSource stacks = StackSource::kCopy;
  uint32_t stack_bytes = kMaxStackBytes;  // a multiple of 8; for kCopy
  bool raw = false;                       // a tracepoint's own fields
  uint64_t branches = 0;  // the last branches: the kernel's PERF_SAMPLE_BRANCH_ bits; 0: none

  uint64_t sample_type() const;
  // The registers that unwinding needs, as bits of the kernel's perf_regs.h.
  static uint64_t user_registers();
};

struct OpenOptions {
  bool tracks = false;        // carries maps, names, forks, exits
  bool tracks_data = false;   // also gets maps that are not executable
  bool inherit = false;       // also counts threads and children that start later
  uint32_t wakeup_bytes = 0;  // poll() returns when the ring has this many bytes
};

// The attribute of an event, which starts disabled.
perf_event_attr make_attr(const EventRequest& request,
                          const SampleContents& contents,
                          const OpenOptions& options);

// For counting without samples.
struct CountingOptions {
  bool inherit = true;   // also counts threads and children that start later
  bool on_exec = false;  // starts to count when the thread executes a program
  bool leads = true;     // otherwise a member of a group, which counts when its leader does
};
perf_event_attr make_counting_attr(const EventRequest& request, const CountingOptions& options);

class PerfEvent {
 public:
  // The target: a thread and its descendants, a cgroup (a descriptor of its directory), or all
  // processes on a CPU.
  struct Target {
    int pid = -1;
    int cpu = -1;
    bool is_cgroup = false;
    int leader = -1;  // descriptor of the event whose group it joins
  };

  // Returns errno on failure. Kernels before 6.0 do not count lost records, so they are not asked
  // for the number; `attr` is set accordingly.
  static std::expected<PerfEvent, int> open(perf_event_attr& attr, const Target& target);

  int descriptor() const { return descriptor_.get(); }
  uint64_t id() const { return id_; }
  bool enable() const;
  // From now on. The part of a period that has passed since the last sample is lost.
  bool set_period(uint64_t period) const;
  void disable() const;
  // Sends its records to the ring of another event of the same CPU.
  bool redirect_to(const PerfEvent& owner) const;
  bool attach_bpf(int program) const;

  struct Counts {
    uint64_t value = 0;
    uint64_t enabled_ns = 0;
    uint64_t running_ns = 0;  // less than enabled if the hardware was shared
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
