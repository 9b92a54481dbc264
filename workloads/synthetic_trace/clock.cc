// SPDX-License-Identifier: Apache-2.0
#include "synthetic_trace/clock.h"

namespace workloads {

void Clock::finish(TakenBranch& branch) {
  constexpr uint32_t kWidth = 4;
  constexpr uint32_t kMispredicted = 14;
  constexpr uint32_t kMemory = 30;
  auto [known, is_new] = last_target_.try_emplace(branch.from, branch.to);
  branch.mispredicted = !is_new && known->second != branch.to;
  known->second = branch.to;
  branch.cycles = (branch.instructions + kWidth - 1) / kWidth +
                  (branch.mispredicted ? kMispredicted : 0) + (++branches_ % 64 == 0 ? kMemory : 0);
  cycles_ += branch.cycles;
  branch.time_ns = kStartNs + cycles_ / 2;
}

}  // namespace workloads
