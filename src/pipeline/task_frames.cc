// SPDX-License-Identifier: Apache-2.0
#include "pipeline/task_frames.h"

#include <algorithm>
#include <vector>

namespace wick {

void place_awaiters(size_t root,
                    size_t first_awaiter,
                    size_t awaiters,
                    std::span<const uint8_t> is_evaluator,
                    Placement& placement) {
  auto caller =
      std::ranges::find(placement.frames, Placement::Frame{.index = static_cast<uint32_t>(root)});
  if (caller == placement.frames.end()) {
    return;
  }
  ++caller;
  if (caller != placement.frames.end() && caller->is_native && is_evaluator[caller->index] != 0) {
    ++caller;
  }
  std::vector<Placement::Frame> inserted;
  for (size_t i = 0; i < awaiters; ++i) {
    inserted.push_back({.index = static_cast<uint32_t>(first_awaiter + i)});
  }
  placement.frames.insert(caller, inserted.begin(), inserted.end());
}

}  // namespace wick
