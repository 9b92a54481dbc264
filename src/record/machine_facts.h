// SPDX-License-Identifier: Apache-2.0
// Properties of this machine that make measured times vary although the program is the same: a
// clock that changes, cores shared by two CPUs, other running programs, memory that is on a disk,
// too few CPUs.
//
// Facts are stored with results. Findings are warnings for users who compare times, each with a
// reason and advice. `wick doctor`, stat and sweep all use them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.h"

namespace wick::record {

struct Finding {
  enum class Verdict { kGood, kLimited, kMissing };
  std::string what;
  Verdict verdict = Verdict::kGood;
  std::string state;   // the current state and its meaning
  std::string remedy;  // the exact command that would change it; empty if none is needed
};

// The planned measurement.
struct TimingNeeds {
  size_t cpus = 1;               // number of CPUs that it uses at the same time
  std::vector<int> pinned = {};  // CPUs that it is pinned to; empty for all
  std::string more_runs = "-r";  // the option for more runs
};

struct MachineFacts {
  struct Fact {
    std::string name;
    std::string value;
  };
  std::vector<Fact> facts;
  std::vector<Finding> checks;  // all checks, including those without a problem

  // The checks that found a problem.
  std::vector<Finding> findings() const;
};

// The files to read: another root than / and no measuring, for tests.
struct MachineSources {
  std::string root = {};
  double watch_seconds = 0.25;  // how long to measure other load; 0: not at all
};
MachineFacts examine_for_timing(const TimingNeeds& needs, const MachineSources& sources = {});

// {"facts":[{"name","value"}],"findings":[{"what","why","advice"}]}
void write_machine_facts(const MachineFacts& machine, JsonWriter& json);
// A finding as a sentence for users.
std::string finding_text(const Finding& finding);

// ---- Parts, for tests ----

// Ticks of /proc/stat's first line.
struct CpuTicks {
  uint64_t busy = 0;
  uint64_t stolen = 0;  // by other virtual machines
  uint64_t all = 0;
};
std::optional<CpuTicks> parse_cpu_ticks(std::string_view proc_stat);

}  // namespace wick::record
