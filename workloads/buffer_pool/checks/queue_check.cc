// SPDX-License-Identifier: Apache-2.0
// Tests the lock-free queue under threads. Producers push 1, 2, 3, ... each in batches, consumers
// pop in batches. Then: each value was popped exactly once, each consumer saw the values of one
// producer in order, and nothing else came out. Small capacities make the ring wrap and run full
// all the time.
#include <atomic>
#include <thread>
#include <vector>

#include <unistd.h>

#include "buffer_pool/pool/ring_queue.h"
#include "common/json.h"
#include "common/options.h"

namespace {

struct Item {
  int producer = 0;
  int64_t value = 0;
};
using Queue = buffer_pool::RingQueue<Item>;

struct Plan {
  int producers = 3;
  int consumers = 3;
  int64_t values = 100'000;
  int capacity = 8;
  int batch = 5;
};

struct Seen {
  explicit Seen(const Plan& plan) : times(static_cast<size_t>(plan.producers * plan.values)) {}

  std::vector<std::atomic<uint8_t>> times;  // how often each value of each producer was popped
  std::atomic<int64_t> popped{0};
  std::atomic<int64_t> out_of_order{0};
  std::atomic<int64_t> unknown{0};
};

void produce(Queue& queue, const Plan& plan, int producer) {
  std::vector<Item> batch;
  int64_t next = 0;
  while (next < plan.values || !batch.empty()) {
    while (batch.size() < static_cast<size_t>(plan.batch) && next < plan.values) {
      batch.push_back({producer, next++});
    }
    size_t pushed = queue.push(batch);
    batch.erase(batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(pushed));
    if (pushed == 0) {
      std::this_thread::yield();
    }
  }
}

void look_at(const Item& item, const Plan& plan, std::vector<int64_t>& last, Seen& seen) {
  if (item.producer < 0 || item.producer >= plan.producers || item.value < 0 ||
      item.value >= plan.values) {
    ++seen.unknown;
    return;
  }
  int64_t& before = last[static_cast<size_t>(item.producer)];
  seen.out_of_order += item.value > before ? 0 : 1;
  before = item.value;
  size_t index = static_cast<size_t>(item.producer * plan.values + item.value);
  seen.times[index].fetch_add(1, std::memory_order_relaxed);
}

void consume(Queue& queue, const Plan& plan, Seen& seen) {
  std::vector<Item> batch(static_cast<size_t>(plan.batch));
  std::vector<int64_t> last(static_cast<size_t>(plan.producers), -1);
  while (seen.popped.load(std::memory_order_relaxed) < plan.values * plan.producers) {
    size_t count = queue.pop(batch);
    for (size_t at = 0; at < count; ++at) {
      look_at(batch[at], plan, last, seen);
    }
    seen.popped.fetch_add(static_cast<int64_t>(count), std::memory_order_relaxed);
    if (count == 0) {
      std::this_thread::yield();
    }
  }
}

int64_t not_once(const Seen& seen) {
  int64_t wrong = 0;
  for (const std::atomic<uint8_t>& times : seen.times) {
    wrong += times.load() == 1 ? 0 : 1;
  }
  return wrong;
}

}  // namespace

int main(int argc, char** argv) {
  Plan plan;
  workloads::Options options("queue_check", "Pushes and pops a lock-free queue from many threads.");
  options.number("producers", plan.producers, 1, 64, "threads that push");
  options.number("consumers", plan.consumers, 1, 64, "threads that pop");
  options.number("values", plan.values, 1, 100'000'000, "values of each producer");
  options.number("capacity", plan.capacity, 2, 1 << 20, "slots, a power of two");
  options.number("batch", plan.batch, 1, 1024, "values pushed or popped at once");
  options.parse(argc, argv);
  if ((plan.capacity & (plan.capacity - 1)) != 0) {
    options.fail_usage("--capacity must be a power of two.");
  }

  alarm(60);  // a queue that loses values must not block the consumers forever
  Queue queue(static_cast<size_t>(plan.capacity));
  Seen seen(plan);
  {
    std::vector<std::jthread> threads;
    for (int producer = 0; producer < plan.producers; ++producer) {
      threads.emplace_back([&, producer] { produce(queue, plan, producer); });
    }
    for (int consumer = 0; consumer < plan.consumers; ++consumer) {
      threads.emplace_back([&] { consume(queue, plan, seen); });
    }
  }
  Item left;
  bool empty = queue.pop(std::span(&left, 1)) == 0;
  int64_t wrong = not_once(seen);
  workloads::Json json;
  json.field("popped", seen.popped.load());
  json.field("not_popped_once", wrong);
  json.field("out_of_order", seen.out_of_order.load());
  json.field("unknown", seen.unknown.load());
  json.field("empty_at_the_end", empty);
  json.print();
  return wrong == 0 && seen.out_of_order == 0 && seen.unknown == 0 && empty ? 0 : 1;
}
