// The machine that a sweep is made on, stored with its results: machine.json is the one it was
// begun on. Gone on with on another one (or after an update, a change of the governor, a smaller
// quota), its times do not compare with those before: that is noticed, and asked for.
// machine-2.json and so on then tell from which run on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "record/machine_facts.h"

namespace wick {

struct StoredMachine {
  Json facts;              // {"facts":[..],"findings":[..]}
  uint64_t first_run = 1;  // the first run (by its order) that was made on it
};

// In the order of their runs; none when there is no machine.json.
std::vector<StoredMachine> read_machines(const std::string& directory);

// What is different, of what makes times differ and does not change by itself: "kernel (Linux 6.1
// then, Linux 6.2 now)".
std::vector<std::string> machine_changes(const Json& before, const Json& now);

// The one after those that are stored.
Result<> store_machine(const std::string& directory,
                       size_t stored,
                       uint64_t first_run,
                       const record::MachineFacts& machine);

// As machine.json has it.
Json machine_as_json(const record::MachineFacts& machine);

}  // namespace wick
