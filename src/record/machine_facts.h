// What about this machine makes measured times differ though the program is the same: a clock that
// changes, cores shared by two CPUs, others who run, memory that is on a disk, too few CPUs.
//
// The facts are stored with results; the findings are what somebody who compares times should know
// before, each with the reason and what to do. `wick doctor`, stat and sweep all take them from
// here.
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
  std::string state;   // how it is, and what that means
  std::string remedy;  // the exact command that would change it; empty when nothing is needed
};

// What is about to be measured.
struct TimingNeeds {
  size_t cpus = 1;               // that it keeps busy at the same time
  std::vector<int> pinned = {};  // CPUs that it is kept on; empty for all
  std::string more_runs = "-r";  // what one says to have more runs
};

struct MachineFacts {
  struct Fact {
    std::string name;
    std::string value;
  };
  std::vector<Fact> facts;
  std::vector<Finding> checks;  // everything that was looked at, what is well included

  // Those that disturb.
  std::vector<Finding> findings() const;
};

// Where to look: another root than / and no watching for tests.
struct MachineSources {
  std::string root = {};
  double watch_seconds = 0.25;  // how long other load is watched; 0: it is not
};
MachineFacts examine_for_timing(const TimingNeeds& needs, const MachineSources& sources = {});

// {"facts":[{"name","value"}],"findings":[{"what","why","advice"}]}
void write_machine_facts(const MachineFacts& machine, JsonWriter& json);
// One finding as a sentence for people.
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
