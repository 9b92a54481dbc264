// SPDX-License-Identifier: Apache-2.0
// The state of a thread that unwinds stacks, from sample to sample.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/hash.h"
#include "profile/tables.h"
#include "stream/stack_feedback.h"
#include "unwind/unwind.h"

namespace wick {

// Pairs of return addresses that were seen one above the other in copies of stacks. Old pairs may
// be forgotten.
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
  std::vector<UnwoundFrame> more_frames;  // of the stack as the process has it now
  SeenLinks links;                        // while recording
  StackFindings findings;                 // while recording

  // How a chain that ends at an address ends; chains end at the same few addresses again and again.
  struct Outermost {
    uint64_t address = 0;
    uint32_t epoch = 0;
    Ending ending = Ending::kUnknown;
  };
  std::array<Outermost, 64> outermost;
};

}  // namespace wick
