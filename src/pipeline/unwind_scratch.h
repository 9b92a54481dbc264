// SPDX-License-Identifier: Apache-2.0
// The state of a thread that unwinds stacks; it persists from sample to sample.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "profile/tables.h"
#include "stream/stack_feedback.h"
#include "unwind/unwind.h"

namespace wick {

// Pairs of return addresses that were adjacent in copies of stacks. Old pairs may be dropped.
class SeenLinks {
 public:
  void add(uint64_t inner, uint64_t caller) {
    uint64_t hash = hash_mix(inner, caller);
    tags_[hash % kSlots] = hash;
  }
  bool contains(uint64_t inner, uint64_t caller) const {
    uint64_t hash = hash_mix(inner, caller);
    return tags_[hash % kSlots] == hash;
  }

 private:
  static constexpr size_t kSlots = 8192;
  std::vector<uint64_t> tags_ = std::vector<uint64_t>(kSlots);
};

struct UnwindScratch {
  UnwindCache cache;
  std::vector<UnwoundFrame> frames;
  std::vector<UnwoundFrame> more_frames;  // of the current stack in the process' memory
  SeenLinks links;                        // during a recording
  StackFindings findings;                 // during a recording

  // How a chain ends at an address. Most chains end at one of a few addresses.
  struct Outermost {
    uint64_t address = 0;
    uint32_t epoch = 0;
    Ending ending = Ending::kUnknown;
  };
  std::array<Outermost, 64> outermost;
};

}  // namespace wick
