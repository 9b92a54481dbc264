// SPDX-License-Identifier: Apache-2.0
// The stacks of call chains that earlier samples had.
//
// Programs run the same paths again and again: of 0.9 M samples with frame pointers, 98 % have a
// chain that an earlier sample had, leaf included. Only the first sample with a chain needs the
// whole work: its frames, how the stack ended, the lookup of its callers. The others get the same
// stack.
//
// Two chains are equal if everything is equal that a stack depends on: both halves of the chain,
// the sampled address and its mode, and the epochs of the address spaces of kernel and process
// (processes.h). Some stacks depend on more: those that are unwound from a copy, and call stacks
// that the processor recorded. decide() is false for their samples.
//
// The memory is bounded: when it is full, add() drops all chains first.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/id_index.h"
#include "base/pod_vector.h"
#include "profile/tables.h"
#include "stream/event.h"

namespace wick {

// A stack of the profile, and how it ended.
struct AssembledStack {
  StackId stack;
  StackEnd ending = StackEnd::kUnknown;
};

class KnownChains {
 public:
  static constexpr uint32_t kNone = IdIndex::kNone;

  // Everything that a stack depends on. The halves are borrowed.
  struct Key {
    std::array<uint64_t, 4> head = {};  // hash, epochs, sampled address, mode and both counts
    std::span<const uint64_t> kernel;
    std::span<const uint64_t> user;

    // Sets all fields, in place: copying a key right after it was computed took twice as long.
    void set(const SampleEvent& sample, uint32_t kernel_epoch, uint32_t space_epoch);
    size_t bytes() const { return kernel.size_bytes() + user.size_bytes(); }
  };

  // Whether the stack of a sample depends on its chain alone.
  static bool decide(const SampleEvent& sample) {
    return sample.stack_bytes_asked == 0 && !sample.branches_are_calls;
  }
  // The parts of the sample that its stack depends on.
  static SampleEvent sample_of(const Key& key);

  // Call these some lookups ahead, in this order, so that find() does not wait for memory.
  void prefetch_slot(const Key& key) const { index_.prefetch(key.head.front()); }
  void prefetch_record(const Key& key) const;
  // The number of a chain, valid until the next add(), or kNone.
  uint32_t find(const Key& key) const;
  AssembledStack stack(uint32_t number) const;
  // The chain must be new.
  void add(const Key& key, AssembledStack stack);
  void clear();

 private:
  bool is_equal(uint32_t number, const Key& key) const;

  // Records: head, stack, kernel half, user half. A lookup reads one record: two cache lines.
  PodVector<uint64_t> words_;
  PodVector<uint32_t> begins_;  // of records, by number
  IdIndex index_;
};

}  // namespace wick
