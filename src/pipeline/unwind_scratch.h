// SPDX-License-Identifier: Apache-2.0
// The state of a thread that unwinds stacks; it persists from sample to sample.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/hash.h"
#include "pipeline/go_threads.h"
#include "pipeline/known_flows.h"
#include "pipeline/known_rests.h"
#include "profile/tables.h"
#include "stream/stack_feedback.h"
#include "unwind/unwind.h"

namespace wick {

// Pairs of return addresses that were adjacent in copies of stacks, or of which the code shows that
// the outer one called. Old pairs may be dropped.
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

// Whether two neighbours in a frame-pointer chain can have called one another (chain_check.h).
enum class ChainLink : uint8_t {
  kCalled,      // or nothing says otherwise
  kSkipped,     // frames are missing between them
  kStart,       // the outer one starts a context; it was not called, and has no caller
  kImpossible,  // the outer one is not a frame
};

// The links that were found; old ones may be dropped.
class KnownLinks {
 public:
  std::optional<ChainLink> find(uint64_t inner, uint64_t caller, uint32_t epoch) const {
    const Known& known = slots_[slot_of(inner, caller)];
    bool is_same = known.inner == inner && known.caller == caller && known.epoch == epoch;
    return is_same ? std::optional(known.link) : std::nullopt;
  }
  void add(uint64_t inner, uint64_t caller, uint32_t epoch, ChainLink link) {
    slots_.resize(kSlots);
    slots_[slot_of(inner, caller)] = {inner, caller, epoch, link};
  }

 private:
  struct Known {
    uint64_t inner = 0;
    uint64_t caller = 0;
    uint32_t epoch = 0;
    ChainLink link = ChainLink::kCalled;
  };
  static constexpr size_t kSlots = 8192;
  size_t slot_of(uint64_t inner, uint64_t caller) const {
    return hash_mix(inner, caller) % slots_.size();
  }

  std::vector<Known> slots_ = std::vector<Known>(1);  // grows with the first link
};

// Whether addresses are in the evaluator of an interpreter; old ones may be dropped.
class KnownEvaluators {
 public:
  std::optional<bool> find(uint64_t address, uint32_t epoch) const {
    const Known& known = slots_[slot_of(address)];
    bool is_same = known.address == address && known.epoch == epoch;
    return is_same ? std::optional(known.is_evaluator) : std::nullopt;
  }
  void add(uint64_t address, uint32_t epoch, bool is_evaluator) {
    slots_.resize(kSlots);
    slots_[slot_of(address)] = {address, epoch, is_evaluator};
  }

 private:
  struct Known {
    uint64_t address = 0;
    uint32_t epoch = 0;
    bool is_evaluator = false;
  };
  static constexpr size_t kSlots = 4096;
  size_t slot_of(uint64_t address) const { return hash_mix(address, 0) % slots_.size(); }

  std::vector<Known> slots_ = std::vector<Known>(1);  // grows with the first address
};

struct UnwindScratch {
  UnwindCache cache;
  std::vector<UnwoundFrame> frames;
  std::vector<UnwoundFrame> more_frames;  // of the current stack in the process' memory
  SeenLinks links;                        // during a recording
  KnownRests rests;                       // during a recording
  StackFindings findings;                 // during a recording
  GoThreads go_threads;                   // during a recording
  KnownLinks chain_links;
  KnownFlows flows;
  // During a recording:
  KnownEvaluators evaluators;
  std::vector<uint8_t> is_evaluator;  // of the frames of the current stack

  // How a chain ends at an address. Most chains end at one of a few addresses.
  struct Outermost {
    uint64_t address = 0;
    uint32_t epoch = 0;
    StackEnd ending = StackEnd::kUnknown;
  };
  std::array<Outermost, 64> outermost;
};

}  // namespace wick
