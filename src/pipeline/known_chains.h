// SPDX-License-Identifier: Apache-2.0
// Recognises call chains that an earlier sample had.
//
// Programs run the same paths again and again: of 0.9 M samples with frame pointers, 98 % have a
// chain that an earlier sample had, leaf included. The first sample with a chain does all the work:
// frames, the ending of the stack, the lookup of its callers. Later ones only need the number of
// the chain, under which the last stage has the stack (ProfileAssembly).
//
// Two chains are equal when everything is equal that a stack depends on: both chains of the sample,
// the sampled address and its mode, and the epochs of the address spaces of kernel and process
// (processes.h). Some stacks depend on more, and their samples have no number: those that are
// unwound from a copy, and call stacks that the processor recorded.
//
// The memory is bounded. When it is full, all chains are forgotten and numbers start at 0 again.
// The last stage gets samples in the same order, so it sees the new meaning of a number before any
// sample that uses it.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/id_index.h"
#include "base/pod_vector.h"
#include "stream/event.h"

namespace wick {

class KnownChains {
 public:
  static constexpr uint32_t kNone = IdIndex::kNone;

  // All that a stack depends on. The chains are borrowed.
  struct Key {
    // Hash, epochs, sampled address, both counts, mode.
    std::array<uint64_t, 5> head = {};
    std::span<const uint64_t> kernel_chain;
    std::span<const uint64_t> user_chain;
  };
  struct Answer {
    uint32_t number = kNone;  // kNone: the stack depends on more than the chains
    bool is_new = true;       // no sample before had it
  };

  // Whether the stack of a sample depends on nothing but its chains.
  static bool decide(const SampleEvent& sample) {
    return sample.stack_bytes_asked == 0 && !sample.branches_are_calls;
  }
  static Key key_of(const SampleEvent& sample, uint32_t kernel_epoch, uint32_t space_epoch);
  // The parts of the sample that its stack depends on.
  static SampleEvent sample_of(const Key& key);
  // Call these some lookups ahead, in this order, so that find() does not wait for memory.
  void prefetch_slot(const Key& key) const { index_.prefetch(key.head.front()); }
  void prefetch_record(const Key& key) const;
  Answer find(const Key& key);
  void forget();

 private:
  bool is_equal(uint32_t number, const Key& key) const;
  void add(const Key& key);

  // Records: head, kernel chain, user chain. A lookup reads one record: one or two cache lines.
  PodVector<uint64_t> words_;
  PodVector<uint32_t> begins_;  // of records, by number
  IdIndex index_;
};

}  // namespace wick
