// SPDX-License-Identifier: Apache-2.0
// A server with one thread for each of many simultaneous connections: a request takes a buffer, its
// response a second one while the first is held. Most are tiny. The size of each comes from the
// clock's nanoseconds, as in the original, so two clock reads are part of every request.
//
// A correct profile: many short gets; the clock, the thread cache, first_fit and the zeroing share
// the time.
#include "buffer_pool/programs/run.h"
#include "common/clocks.h"
#include "common/no_inline.h"

using buffer_pool::Held;
using buffer_pool::Run;
using buffer_pool::Setup;
using buffer_pool::SizeList;
using buffer_pool::SizeRow;
using buffer_pool::Worker;

namespace {

struct Traffic {
  SizeList sizes;  // counts are weights
  int64_t total_weight = 0;
  int connections = 5000;
  int requests = 100;
};

WORKLOAD_FUNCTION size_t pick_size(const Traffic& traffic) {
  int64_t draw = workloads::clock_ns(CLOCK_REALTIME) % traffic.total_weight;
  for (const SizeRow& row : traffic.sizes) {
    draw -= row.count;
    if (draw < 0) {
      return row.size;
    }
  }
  return traffic.sizes.back().size;
}

WORKLOAD_FUNCTION void handle_request(Worker& worker, const Traffic& traffic) {
  Held request = worker.take(pick_size(traffic));
  Held response = worker.take(pick_size(traffic));
}

WORKLOAD_FUNCTION void handle_connection(Worker& worker, const Traffic& traffic) {
  for (int request = 0; request < traffic.requests && worker.more(); ++request) {
    handle_request(worker, traffic);
  }
}

void serve(Worker& worker, const Traffic& traffic) {
  for (int connection = 0; connection < traffic.connections && worker.more(); ++connection) {
    handle_connection(worker, traffic);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Setup setup;
  setup.program = "network_server";
  setup.preallocate = "32x64,32x512,32x1K,16x4K,8x16K";
  setup.threads = 8;
  setup.pool.shards = 16;
  setup.pool.thread_limit = 6;
  setup.pool.max_per_shard = 32;
  setup.pool.min_size = 512;
  Traffic traffic;
  std::string sizes = "50x64,20x512,10x1K,10x4K,7x16K,2x32K,1x64K";
  workloads::Options options(setup.program,
                             "Serves requests through a pool: many short gets of mixed sizes.");
  setup.add_flags(options);
  options.number(
      "connections", traffic.connections, 1, 1'000'000'000, "connections of a thread in a round");
  options.number("requests", traffic.requests, 1, 1'000'000'000, "requests of a connection");
  options.text("sizes", sizes, "WEIGHTxSIZE,...", "sizes of requests and responses, by weight");
  options.parse(argc, argv);
  setup.resolve(options);
  traffic.sizes = setup.sizes(options, "sizes", sizes);
  for (const SizeRow& row : traffic.sizes) {
    traffic.total_weight += row.count;
  }

  Run run(options, setup, 1);
  run.phase("serve", [&](Worker& worker) { serve(worker, traffic); });
  return run.finish();
}
