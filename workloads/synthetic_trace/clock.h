// SPDX-License-Identifier: Apache-2.0
// An invented processor: four instructions a cycle, and 14 more cycles for a branch that goes
// another way than the last time. Each branch costs at least a cycle. Every 64th branch waits for
// memory, 30 cycles, so that equal blocks do not all take equally long. A cycle takes half a
// nanosecond.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "synthetic_trace/path.h"

namespace workloads {

class Clock {
 public:
  // Sets cycles, time and prediction.
  void finish(TakenBranch& branch);
  // A conditional branch was not taken.
  void pass(uint64_t from) { last_target_[from] = 0; }

 private:
  static constexpr uint64_t kStartNs = 1'000'000'000;

  std::unordered_map<uint64_t, uint64_t> last_target_;  // by branch; 0: not taken
  uint64_t branches_ = 0;
  uint64_t cycles_ = 0;
};

}  // namespace workloads
