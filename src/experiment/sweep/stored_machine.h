// SPDX-License-Identifier: Apache-2.0
// The machine of a sweep, stored with its results. machine.json is the machine on which the sweep
// started. If a sweep continues on another machine (or after an update, with another governor or a
// smaller quota), its times cannot be compared with those before. wick detects this and continues
// only with --allow-other-machine. machine-2.json and so on then say from which run on.
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
  uint64_t first_run = 1;  // the first run (by its order) on this machine
};

// In the order of their runs; none if there is no machine.json.
std::vector<StoredMachine> read_machines(const std::string& directory);

// The differences that affect times and do not change by themselves: "kernel (Linux 6.1 then, Linux
// 6.2 now)".
std::vector<std::string> machine_changes(const Json& before, const Json& now);

// Stores it after the `stored` machines that exist.
Result<> store_machine(const std::string& directory,
                       size_t stored,
                       uint64_t first_run,
                       const record::MachineFacts& machine);

// In the format of machine.json.
Json machine_as_json(const record::MachineFacts& machine);

}  // namespace wick
