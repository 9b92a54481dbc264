// SPDX-License-Identifier: Apache-2.0
// Engine v2: eight size classes, each with a lock-free queue and a cache per thread and class.
//
// Layout: classes of 4 KiB, 16 KiB, ... 64 MiB, each four times the previous one. A buffer has the
// capacity of its class, so any waiting buffer of the class fits and no search is necessary. A
// thread has a stack per class. If it is empty, a batch comes from the queue; if it is full, its
// coldest batch goes there. One compare-and-swap moves a whole batch, so threads rarely collide.
// Requests above the largest class are allocated and freed each time.
//
// Invariant: an entry is in exactly one of a thread's stack, a queue, or a user's hands; every
// entry in stack or queue i has capacity class_bytes(i). A thread's stacks hold entries of the pool
// `pool_id` only.
#include <algorithm>
#include <atomic>
#include <bit>

#include "buffer_pool/pool/engine.h"
#include "buffer_pool/pool/ring_queue.h"
#include "common/no_inline.h"

namespace buffer_pool {

namespace v2 {

using Queue = RingQueue<Entry>;
using Stack = V2Cache::Stack;

constexpr int kSmallestBits = 12;  // 4 KiB
constexpr int kBitsPerClass = 2;

constexpr size_t class_bytes(size_t index) {
  return size_t{1} << (kSmallestBits + kBitsPerClass * static_cast<int>(index));
}

// The smallest class that holds this size; kClasses if none does. bit_width counts leading zeros.
constexpr size_t class_of(size_t size) {
  int bits = size <= 1 ? 0 : static_cast<int>(std::bit_width(size - 1));
  int above = std::max(bits - kSmallestBits, 0);
  return std::min(static_cast<size_t>((above + kBitsPerClass - 1) / kBitsPerClass), kClasses);
}

static_assert(class_of(1) == 0 && class_of(4096) == 0 && class_of(4097) == 1 &&
              class_of(16384) == 1);
static_assert(class_bytes(7) == 64U << 20U && class_of(64U << 20U) == 7);
static_assert(class_of((64U << 20U) + 1) == kClasses);

WORKLOAD_FUNCTION Entry tls_pop(Stack& stack, Counters& counters) {
  if (stack.count == 0) {
    ++counters.thread_cache_misses;
    return {};
  }
  ++counters.thread_cache_hits;
  return stack.entries[static_cast<size_t>(--stack.count)];
}

WORKLOAD_FUNCTION bool tls_push(Stack& stack, const Entry& entry, int limit) {
  if (stack.count >= limit) {
    return false;
  }
  stack.entries[static_cast<size_t>(stack.count++)] = entry;
  return true;
}

WORKLOAD_FUNCTION size_t queue_push(Queue& queue, std::span<const Entry> entries) {
  return queue.push(entries);
}

WORKLOAD_FUNCTION size_t queue_pop(Queue& queue, std::span<Entry> entries) {
  return queue.pop(entries);
}

// The stack is empty: fetches a batch, returns one entry of it and stores the others.
WORKLOAD_FUNCTION Entry batch_refill(Queue& queue, Stack& stack, int batch, Counters& counters) {
  size_t wanted = static_cast<size_t>(std::max(batch, 1));
  size_t count = queue_pop(queue, std::span(stack.entries).first(wanted));
  if (count == 0) {
    return {};
  }
  ++counters.batches;
  ++counters.shared_hits;
  stack.count = static_cast<int>(count) - 1;
  return stack.entries[count - 1];
}

// Frees the entries for which the queue has no room.
WORKLOAD_FUNCTION void batch_flush(Queue& queue,
                                   std::span<const Entry> entries,
                                   Counters& counters) {
  size_t moved = queue_push(queue, entries);
  ++counters.batches;
  for (const Entry& entry : entries.subspan(moved)) {
    free_entry(entry, counters);
    ++counters.evictions;
  }
}

// The stack is full: its oldest entries make room for this one.
WORKLOAD_FUNCTION void batch_spill(
    Queue& queue, Stack& stack, int batch, const Entry& entry, Counters& counters) {
  int oldest = std::min(batch, stack.count);
  if (oldest == 0) {
    batch_flush(queue, std::span(&entry, 1), counters);
    return;
  }
  batch_flush(queue, std::span(stack.entries).first(static_cast<size_t>(oldest)), counters);
  std::move(
      stack.entries.begin() + oldest, stack.entries.begin() + stack.count, stack.entries.begin());
  stack.count -= oldest;
  stack.entries[static_cast<size_t>(stack.count++)] = entry;
}

std::atomic<uint64_t> pools_so_far{0};

class ClassEngine : public Engine {
 public:
  explicit ClassEngine(const PoolSettings& settings)
      : settings_(settings),
        batch_(std::min(settings.batch, settings.thread_limit)),
        id_(pools_so_far.fetch_add(1) + 1) {
    for (std::unique_ptr<Queue>& queue : queues_) {
      queue = std::make_unique<Queue>(static_cast<size_t>(settings.queue_capacity));
    }
  }

  ~ClassEngine() override {
    for (std::unique_ptr<Queue>& queue : queues_) {
      Entry entry;
      while (queue->pop(std::span(&entry, 1)) == 1) {
        free_entry(entry, this_thread().counters);
      }
    }
  }

  Entry take(ThreadState& thread, size_t size) override {
    size_t index = class_of(size);
    if (index == kClasses) {
      ++thread.counters.thread_cache_misses;
      return {};
    }
    bind(thread);
    Stack& stack = thread.v2.classes[index];
    Entry entry = tls_pop(stack, thread.counters);
    return entry ? entry : batch_refill(*queues_[index], stack, batch_, thread.counters);
  }

  void keep(ThreadState& thread, const Entry& entry) override {
    size_t index = class_of(entry.capacity);
    if (index == kClasses) {
      free_entry(entry, thread.counters);
      ++thread.counters.discards;
      return;
    }
    bind(thread);
    Stack& stack = thread.v2.classes[index];
    if (!tls_push(stack, entry, settings_.thread_limit)) {
      batch_spill(*queues_[index], stack, batch_, entry, thread.counters);
    }
  }

  size_t fresh_capacity(size_t size) const override {
    size_t index = class_of(size);
    return index == kClasses ? size : class_bytes(index);
  }

  void preallocate(int count, size_t size) override {
    size_t index = class_of(size);
    Counters& counters = this_thread().counters;
    for (int made = 0; made < count && index < kClasses; ++made) {
      Entry entry = allocate_entry(settings_, class_bytes(index), counters);
      if (queues_[index]->push(std::span(&entry, 1)) == 0) {
        free_entry(entry, counters);
        return;
      }
    }
  }

 private:
  // Empties a thread's cache first if it served another pool.
  void bind(ThreadState& thread) {
    if (thread.v2.pool_id != id_) {
      thread.v2.release(thread.counters);
      thread.v2.pool_id = id_;
    }
  }

  PoolSettings settings_;
  int batch_;
  uint64_t id_;
  std::array<std::unique_ptr<Queue>, kClasses> queues_;
};

}  // namespace v2

std::unique_ptr<Engine> make_v2(const PoolSettings& settings) {
  return std::make_unique<v2::ClassEngine>(settings);
}

}  // namespace buffer_pool
