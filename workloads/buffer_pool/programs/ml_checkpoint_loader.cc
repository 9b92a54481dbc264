// SPDX-License-Identifier: Apache-2.0
// Loads a checkpoint of a model layer by layer: few gets, huge buffers, one thread. An epoch takes
// whole-file buffers, then for each layer its metadata, weights, optimizer state and small tensors,
// and touches only the ends of each. The sizes are the original's divided by --scale, because at
// full size an epoch clears 2 x 36 GiB.
//
// A correct profile: nearly all time is memset, half of it from pool_get and half from pool_put;
// the pool's own code is invisible until --zero none.
#include "buffer_pool/programs/run.h"
#include "common/no_inline.h"

using buffer_pool::Run;
using buffer_pool::Setup;
using buffer_pool::SizeList;
using buffer_pool::SizeRow;
using buffer_pool::Worker;

namespace {

struct Plan {
  SizeList before, layer, after;
  int epochs = 1000;
  int layers = 48;
};

// Takes each buffer of the list, one after the other.
WORKLOAD_FUNCTION void load_tensors(Worker& worker, const SizeList& list) {
  for (const SizeRow& row : list) {
    for (int done = 0; done < row.count && worker.more(); ++done) {
      worker.take(row.size);
    }
  }
}

WORKLOAD_FUNCTION void load_epoch(Worker& worker, const Plan& plan) {
  load_tensors(worker, plan.before);
  for (int layer = 0; layer < plan.layers && worker.more(); ++layer) {
    load_tensors(worker, plan.layer);
  }
  load_tensors(worker, plan.after);
}

void load_checkpoints(Worker& worker, const Plan& plan) {
  for (int epoch = 0; epoch < plan.epochs && worker.more(); ++epoch) {
    load_epoch(worker, plan);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Setup setup;
  setup.program = "ml_checkpoint_loader";
  setup.preallocate = "8x128M,16x64M,16x256M,32x4K";
  setup.scale = 64;
  setup.pool.shards = 8;
  setup.pool.thread_limit = 4;
  setup.pool.max_per_shard = 32;
  setup.pool.min_size = 1U << 20U;
  Plan plan;
  std::string before = "128M,64M", layer = "10x4K,4x64M,2x256M,2x1M", after = "1M,128M";
  workloads::Options options(setup.program,
                             "Loads a model's checkpoint through a pool: few gets, huge buffers.");
  setup.add_flags(options);
  options.number("epochs", plan.epochs, 1, 1'000'000'000, "epochs in a round");
  options.number("layers", plan.layers, 0, 1'000'000, "layers in an epoch");
  options.text("before", before, "COUNTxSIZE,...", "buffers taken before the layers");
  options.text("layer", layer, "COUNTxSIZE,...", "buffers taken for each layer");
  options.text("after", after, "COUNTxSIZE,...", "buffers taken after the layers");
  options.parse(argc, argv);
  setup.resolve(options);
  plan.before = setup.sizes(options, "before", before);
  plan.layer = setup.sizes(options, "layer", layer);
  plan.after = setup.sizes(options, "after", after);

  Run run(options, setup, 1);
  run.phase("load", [&](Worker& worker) { load_checkpoints(worker, plan); });
  return run.finish();
}
