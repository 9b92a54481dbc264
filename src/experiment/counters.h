// SPDX-License-Identifier: Apache-2.0
// Counters of the kernel and of the processor around something that runs, and the arithmetic that
// makes numbers of what they say.
//
// A processor counts few things at once. Events of one group are counted together or not at all;
// when there are more groups than places they take turns, and a counter ran for a part of the time
// that it was enabled for. What it would have counted is then estimated: value * enabled / running,
// and the part is told. Ratios (instructions per cycle, misses) are made within a group only, of
// the same moments, and never of a counter that did not run: there is no number then, not a zero.
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
  uint32_t group = 0;  // equal numbers: counted together
};

// One counter after a run.
struct CounterReading {
  std::string name;
  uint32_t group = 0;
  uint64_t value = 0;
  uint64_t enabled_ns = 0;
  uint64_t running_ns = 0;
  std::string missing;  // why there is no such counter here; empty when there is
  bool user_only = false;

  // Whether there is a number at all.
  bool has_value() const { return missing.empty() && (running_ns > 0 || enabled_ns == 0); }
  // The part of the time that it counted for, 0 to 1.
  double share() const;
  // What it would have counted all the time. Only where has_value().
  double estimate() const;
};

// Readings of the same counters, of other threads or CPUs: sums. A counter is missing where all
// are.
void add_readings(std::vector<CounterReading>& sum, std::span<const CounterReading> more);

// A ratio of two counters of one group: "instructions per cycle".
struct Metric {
  std::string name;  // "ipc"
  std::string unit;  // what it is a number of: "per 1000 instructions"
  double value = 0;
};
// Those whose counters ran.
std::vector<Metric> derived_metrics(std::span<const CounterReading> readings);
// Whether a ratio is called this.
bool is_ratio_name(std::string_view name);

// Whether the processor counts it, rather than the kernel.
bool is_hardware(const record::EventRequest& event);

// Why there are no hardware counters, in one sentence; nothing when one of the readings has a value
// or none was asked for.
std::optional<std::string> why_no_hardware(std::span<const CounterRequest> requests,
                                           std::span<const CounterReading> readings);

// What is counted when nobody says what: the kernel's own counts, and the usual ones of a
// processor.
std::vector<CounterRequest> usual_counters();
// The kernel's own alone, which every machine has.
std::vector<CounterRequest> software_counters();
// By names as perf takes them: "cycles,instructions", "{cycles,instructions}:u,page-faults".
Result<std::vector<CounterRequest>> parse_counters(std::string_view text);

// Counters that are open.
class Counters {
 public:
  enum class From { kNow, kExec };
  struct Target {
    int pid = -1;  // a thread and who it starts from now on; -1 with a CPU: everybody there
    int cpu = -1;
    From from = From::kNow;
    bool inherit = true;
  };
  // Those that cannot be opened are readings with a reason.
  static Counters open(std::span<const CounterRequest> requests, const Target& target);

  void enable() const;
  void disable() const;
  std::vector<CounterReading> read() const;

 private:
  struct Entry {
    std::optional<record::PerfEvent> event;
    CounterReading reading;  // what stays the same
    bool leads = false;
  };
  std::vector<Entry> entries_;
};

}  // namespace wick
