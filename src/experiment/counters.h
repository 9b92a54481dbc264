// SPDX-License-Identifier: Apache-2.0
// Counters of the kernel and of the processor around a program, and the arithmetic that turns their
// readings into numbers.
//
// A processor counts few events at once. It counts the events of a group together or not at all. If
// there are more groups than slots, the groups take turns, and a counter runs for only a part of
// the time for which it is enabled. wick then estimates the full count as value * enabled /
// running, and reports the part. Ratios (instructions per cycle, misses) use two counters of one
// group, so both counted at the same time. If a counter did not run, there is no ratio, not a zero.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/perf_event.h"

namespace wick {

struct CounterRequest {
  record::EventRequest event;
  uint32_t group = 0;  // events with equal numbers are counted together
};

// One counter after a run.
struct CounterReading {
  std::string name;
  uint32_t group = 0;
  uint64_t value = 0;
  uint64_t enabled_ns = 0;
  uint64_t running_ns = 0;
  std::string missing;  // why this machine does not have the counter; empty if it has it
  bool user_only = false;

  // Whether there is a number at all.
  bool has_value() const { return missing.empty() && (running_ns > 0 || enabled_ns == 0); }
  // The part of the time during which it counted, 0 to 1.
  double share() const;
  // The estimated count for the whole time. Only if has_value().
  double estimate() const;
};

// Adds readings of the same counters, of other threads or CPUs. A counter is missing if it is
// missing in all of them.
void add_readings(std::vector<CounterReading>& sum, std::span<const CounterReading> more);

// A ratio of two counters of one group: "instructions per cycle".
struct Metric {
  std::string name;  // "ipc"
  std::string unit;  // "per 1000 instructions"
  double value = 0;
};
// The ratios whose counters ran.
std::vector<Metric> derived_metrics(std::span<const CounterReading> readings);
// Whether this is the name of a ratio.
bool is_ratio_name(std::string_view name);

// Whether the processor counts it, not the kernel.
bool is_hardware(const record::EventRequest& event);

// Why there are no hardware counters, in one sentence; nothing if one of the readings has a value
// or none was requested.
std::optional<std::string> why_no_hardware(std::span<const CounterRequest> requests,
                                           std::span<const CounterReading> readings);

// The default: the counts of the kernel, and the usual ones of a processor.
std::vector<CounterRequest> usual_counters();
// Only the counts of the kernel, which every machine has.
std::vector<CounterRequest> software_counters();
// By names in perf's syntax: "cycles,instructions", "{cycles,instructions}:u,page-faults".
Result<std::vector<CounterRequest>> parse_counters(std::string_view text);

// Open counters.
class Counters {
 public:
  enum class From { kNow, kExec };
  struct Target {
    int pid = -1;  // a thread, and the threads and processes that it starts from now on; -1 with a
                   // CPU: all processes on that CPU
    int cpu = -1;
    From from = From::kNow;
    bool inherit = true;
  };
  // A counter that cannot be opened becomes a reading with a reason.
  static Counters open(std::span<const CounterRequest> requests, const Target& target);

  void enable() const;
  void disable() const;
  std::vector<CounterReading> read() const;

 private:
  struct Entry {
    std::optional<record::PerfEvent> event;
    CounterReading reading;  // its constant part
    bool leads = false;
  };
  std::vector<Entry> entries_;
};

}  // namespace wick
