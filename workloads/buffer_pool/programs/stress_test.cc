// SPDX-License-Identifier: Apache-2.0
// Five stress patterns for a pool, one after the other, each with twelve new threads:
//
//   burst     200 buffers of one medium size at once, then a pause
//   thrash    four buffers at once of two sizes; odd threads use other sizes than even ones
//   mixed     every size there is, one at a time
//   eviction  100 large buffers at once; half are kept and, now and then, ten of 1 MiB taken
//   chaos     sizes by a random number; sometimes five of half the size are held besides
//
// A correct profile: with v1, waiting for shard locks, first_fit, and evictions under the lock; in
// the kernel, page faults and unmapping for large buffers that were freed.
#include <algorithm>
#include <chrono>
#include <thread>

#include "buffer_pool/programs/run.h"
#include "common/no_inline.h"

using buffer_pool::Held;
using buffer_pool::Run;
using buffer_pool::Setup;
using buffer_pool::SizeList;
using buffer_pool::SizeRow;
using buffer_pool::Worker;

namespace {

// How often chaos takes a size of each category.
struct Weights {
  uint32_t small = 8, medium = 7, large = 4, huge = 1;

  uint32_t sum() const { return small + medium + large + huge; }
};

struct Stress {
  SizeList small, medium, large, huge;
  int bursts = 10;
  int burst_gets = 200;
  int pause_ms = 10;
  int iterations = 50'000;
  int eviction_rounds = 20;
  int eviction_gets = 100;
  int eviction_keeps = 50;
  int huge_every = 5;  // rounds of the eviction phase
  int huge_gets = 10;  // in such a round
  SizeList thrash_even, thrash_odd;
  Weights chaos;
  int hold_every = 10;  // of the random numbers, in chaos
  int hold_gets = 5;    // of half the size
};

// The lists wrap around.
size_t pick(const SizeList& list, size_t number) {
  return list[number % list.size()].size;
}

size_t number_of(const Worker& worker) {
  return static_cast<size_t>(worker.number());
}

void take_many(Worker& worker, std::vector<Held>& held, size_t size, int count) {
  for (int done = 0; done < count && worker.more(); ++done) {
    held.push_back(worker.take(size));
  }
}

WORKLOAD_FUNCTION void burst_phase(Worker& worker, const Stress& stress) {
  std::vector<Held> held;
  for (int burst = 0; burst < stress.bursts && worker.more(); ++burst) {
    size_t size = pick(stress.medium, number_of(worker) + static_cast<size_t>(burst));
    take_many(worker, held, size, stress.burst_gets);
    held.clear();
    std::this_thread::sleep_for(std::chrono::milliseconds(stress.pause_ms));
  }
}

WORKLOAD_FUNCTION void thrash_phase(Worker& worker, const Stress& stress) {
  const SizeList& sizes = number_of(worker) % 2 ? stress.thrash_odd : stress.thrash_even;
  std::vector<Held> held;
  for (int i = 0; i < stress.iterations && worker.more(); ++i) {
    for (const SizeRow& row : sizes) {
      for (int done = 0; done < row.count; ++done) {
        held.push_back(worker.take(row.size));
      }
    }
    while (!held.empty()) {  // the last one first, like variables of a function
      held.pop_back();
    }
  }
}

WORKLOAD_FUNCTION void mixed_phase(Worker& worker, const Stress& stress) {
  size_t thread = number_of(worker);
  for (size_t i = 0; i < static_cast<size_t>(stress.iterations) && worker.more(); ++i) {
    switch ((thread + i) % 4) {
      case 0:
        worker.take(pick(stress.small, thread * 7 + i));
        break;
      case 1:
        worker.take(pick(stress.medium, thread * 11 + i));
        break;
      case 2:
        worker.take(pick(stress.large, thread * 13 + i));
        break;
      default:
        worker.take(pick(stress.huge, thread * 17 + i));
    }
  }
}

WORKLOAD_FUNCTION void eviction_phase(Worker& worker, const Stress& stress) {
  std::vector<Held> held;
  for (int round = 0; round < stress.eviction_rounds && worker.more(); ++round) {
    for (int i = 0; i < stress.eviction_gets && worker.more(); ++i) {
      held.push_back(worker.take(pick(stress.large, static_cast<size_t>(i))));
    }
    while (held.size() > static_cast<size_t>(stress.eviction_keeps)) {
      held.pop_back();
    }
    if (round % stress.huge_every == 0) {
      take_many(worker, held, stress.huge.front().size, stress.huge_gets);
    }
    held.clear();
  }
}

// The random number's upper half chooses the category.
size_t chaos_size(const Stress& stress, uint32_t random) {
  const Weights& weights = stress.chaos;
  uint32_t draw = (random >> 16U) % weights.sum();
  size_t number = random >> 8U;
  if (draw < weights.small) {
    return pick(stress.small, number);
  }
  if (draw < weights.small + weights.medium) {
    return pick(stress.medium, number);
  }
  return pick(draw < weights.sum() - weights.huge ? stress.large : stress.huge, number);
}

WORKLOAD_FUNCTION void chaos_phase(Worker& worker, const Stress& stress) {
  std::vector<Held> besides;
  uint32_t random = static_cast<uint32_t>(worker.number());
  for (int i = 0; i < stress.iterations && worker.more(); ++i) {
    random = random * 1103515245U + 12345U;
    size_t size = chaos_size(stress, random);
    Held held = worker.take(size);
    if (random % static_cast<uint32_t>(stress.hold_every) == 0) {
      take_many(worker, besides, std::max(size / 2, buffer_pool::kSmallestSize), stress.hold_gets);
      besides.clear();
    }
  }
}

struct Named {
  const char* name;
  void (*body)(Worker&, const Stress&);
};
constexpr Named kPhases[] = {
    {"burst", burst_phase},
    {"thrash", thrash_phase},
    {"mixed", mixed_phase},
    {"eviction", eviction_phase},
    {"chaos", chaos_phase},
};

void run_phases(Run& run, const Stress& stress, const std::string& chosen) {
  for (const Named& phase : kPhases) {
    if (chosen == "all" || chosen == phase.name) {
      run.phase(phase.name, [&](Worker& worker) { phase.body(worker, stress); });
    }
  }
}

void add_phase_flags(workloads::Options& options, Stress& stress) {
  options.number("bursts", stress.bursts, 1, 1'000'000, "burst: bursts in a round");
  options.number("burst-gets", stress.burst_gets, 1, 1'000'000, "burst: buffers held at once");
  options.number("pause-ms", stress.pause_ms, 0, 60'000, "burst: pause after each");
  options.number(
      "iterations", stress.iterations, 1, 1'000'000'000, "thrash, mixed, chaos: steps in a round");
  options.number(
      "eviction-rounds", stress.eviction_rounds, 1, 1'000'000'000, "eviction: steps in a round");
  options.number(
      "eviction-gets", stress.eviction_gets, 1, 1'000'000, "eviction: buffers held at once");
  options.number(
      "eviction-keeps", stress.eviction_keeps, 0, 1'000'000, "eviction: buffers kept of these");
  options.number("huge-every",
                 stress.huge_every,
                 1,
                 1'000'000,
                 "eviction: steps from one with huge buffers to the next");
  options.number("huge-gets",
                 stress.huge_gets,
                 0,
                 1'000'000,
                 "eviction: buffers of the first huge size in such a step");
  options.number("chaos-small", stress.chaos.small, 0, 1000, "chaos: weight of the small sizes");
  options.number("chaos-medium", stress.chaos.medium, 0, 1000, "chaos: weight of the medium sizes");
  options.number("chaos-large", stress.chaos.large, 0, 1000, "chaos: weight of the large sizes");
  options.number("chaos-huge", stress.chaos.huge, 0, 1000, "chaos: weight of the huge sizes");
  options.number("hold-every",
                 stress.hold_every,
                 1,
                 1'000'000,
                 "chaos: one step in N also holds more buffers");
  options.number(
      "hold-gets", stress.hold_gets, 0, 1'000'000, "chaos: how many more, of half the size");
}

void check_phase_flags(const workloads::Options& options, const Stress& stress) {
  if (stress.eviction_keeps > stress.eviction_gets) {
    options.fail_usage("--eviction-keeps cannot be more than the " +
                       std::to_string(stress.eviction_gets) + " buffers of --eviction-gets.");
  }
  if (stress.chaos.sum() == 0) {
    options.fail_usage("One of the weights --chaos-small, -medium, -large, -huge must be above 0.");
  }
}

}  // namespace

int main(int argc, char** argv) {
  Setup setup;
  setup.program = "stress_test";
  setup.threads = 12;
  setup.pool.shards = 16;
  setup.pool.thread_limit = 8;
  setup.pool.max_per_shard = 64;
  setup.pool.min_size = 64;
  Stress stress;
  std::string chosen = "all", small = "64,128,256,512", medium = "4K,8K,16K,32K";
  std::string large = "64K,128K,256K,512K", huge = "1M,2M,4M";
  std::string even = "4K,64K,4K,64K", odd = "16K,256K,16K,256K";
  workloads::Options options(setup.program,
                             "Five phases of twelve threads each that a pool does not like.");
  setup.add_flags(options);
  options.choice("phase",
                 chosen,
                 {"all", "burst", "thrash", "mixed", "eviction", "chaos"},
                 "which phases to run");
  add_phase_flags(options, stress);
  options.text("small", small, "SIZE,...", "small sizes");
  options.text("medium", medium, "SIZE,...", "medium sizes");
  options.text("large", large, "SIZE,...", "large sizes");
  options.text("huge", huge, "SIZE,...", "huge sizes");
  options.text("thrash-even", even, "COUNTxSIZE,...", "thrash: buffers held at once, even threads");
  options.text("thrash-odd", odd, "COUNTxSIZE,...", "thrash: buffers held at once, odd threads");
  options.parse(argc, argv);
  check_phase_flags(options, stress);
  setup.resolve(options);
  stress.small = setup.sizes(options, "small", small);
  stress.medium = setup.sizes(options, "medium", medium);
  stress.large = setup.sizes(options, "large", large);
  stress.huge = setup.sizes(options, "huge", huge);
  stress.thrash_even = setup.sizes(options, "thrash-even", even);
  stress.thrash_odd = setup.sizes(options, "thrash-odd", odd);

  Run run(options, setup, chosen == "all" ? 5 : 1);
  run_phases(run, stress, chosen);
  return run.finish();
}
