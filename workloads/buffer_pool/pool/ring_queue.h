// SPDX-License-Identifier: Apache-2.0
// A bounded queue for many producers and many consumers, without a lock.
//
// Layout: a ring of slots, a position for the next push (tail) and one for the next pop (head).
// Positions only grow; position p belongs to slot p mod capacity. Each slot has a sequence number
// that says which operation is next:
//
//     sequence == p                the slot is free for the push at position p
//     sequence == p + 1            it holds the value pushed at p, for the pop at p
//     sequence == p + capacity     that pop is done: free for the push one round later
//
// Invariant: the sequence of a slot goes p -> p + 1 -> p + capacity -> ..., and only the thread
// that owns position p makes either step. A thread owns positions a to a + n - 1 of a push by
// moving tail from a to a + n in one compare-and-swap, after it saw that all those slots are free
// for them. The slots cannot change before the swap succeeds, since only the owner of a position
// may change them. The same is true for pops and head. So a batch costs one swap, like a single
// value.
//
// Order: the value is written before its sequence is stored (release), and read after its sequence
// is loaded (acquire); that makes the plain accesses to the value safe. head and tail carry no data
// and are relaxed. With one slot, "full at p" and "free at p + 1" would be the same number:
// capacity is at least 2.
//
// No call waits. A thread that sleeps between its swap and its last store delays the positions
// after it: others then find the queue full or empty, report that, and the pool frees or allocates
// a buffer instead.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

namespace buffer_pool {

template <typename Value>
class RingQueue {
  static_assert(std::is_trivially_copyable_v<Value>);

 public:
  // The capacity is a power of two, at least 2.
  explicit RingQueue(size_t capacity)
      : mask_(capacity - 1), slots_(std::make_unique<Slot[]>(capacity)) {
    for (size_t at = 0; at < capacity; ++at) {
      slots_[at].sequence.store(at, std::memory_order_relaxed);
    }
  }

  size_t capacity() const { return mask_ + 1; }

  // Pushes the first values, as many as there is room for, and returns how many.
  size_t push(std::span<const Value> values) {
    uint64_t first = 0;
    size_t count = reserve(tail_, 0, values.size(), first);
    for (size_t at = 0; at < count; ++at) {
      Slot& slot = slot_of(first + at);
      slot.value = values[at];
      slot.sequence.store(first + at + 1, std::memory_order_release);
    }
    return count;
  }

  // Pops into the front of `values`, as many as there are, and returns how many.
  size_t pop(std::span<Value> values) {
    uint64_t first = 0;
    size_t count = reserve(head_, 1, values.size(), first);
    for (size_t at = 0; at < count; ++at) {
      Slot& slot = slot_of(first + at);
      values[at] = slot.value;
      slot.sequence.store(first + at + capacity(), std::memory_order_release);
    }
    return count;
  }

 private:
  struct Slot {
    std::atomic<uint64_t> sequence{0};
    Value value{};
  };

  Slot& slot_of(uint64_t position) { return slots_[position & mask_]; }

  // How many consecutive slots, from `first`, are ready for their position (position + step).
  size_t ready(uint64_t first, uint64_t step, size_t most) {
    size_t count = 0;
    while (count < most && count < capacity() &&
           slot_of(first + count).sequence.load(std::memory_order_acquire) ==
               first + count + step) {
      ++count;
    }
    return count;
  }

  // Makes this thread the owner of up to `most` positions; returns how many, and the first of them.
  size_t reserve(std::atomic<uint64_t>& end, uint64_t step, size_t most, uint64_t& first) {
    first = end.load(std::memory_order_relaxed);
    while (true) {
      size_t count = ready(first, step, most);
      if (count > 0 && end.compare_exchange_weak(first, first + count, std::memory_order_relaxed)) {
        return count;
      }
      if (count == 0) {
        uint64_t now = end.load(std::memory_order_relaxed);
        if (now == first) {
          return 0;  // no other thread was faster: full, or empty
        }
        first = now;
      }
    }
  }

  const size_t mask_;
  const std::unique_ptr<Slot[]> slots_;
  alignas(64) std::atomic<uint64_t> head_{0};
  alignas(64) std::atomic<uint64_t> tail_{0};
};

}  // namespace buffer_pool
