// SPDX-License-Identifier: Apache-2.0
// Reads and writes files of five types in chunks, each with a read buffer and a write buffer that
// are held at the same time; one thread.
//
// A correct profile: memset again, 2 x 13 GiB a run, in buffers of 4 KiB to 1 MiB, so that the
// caches matter.
#include "buffer_pool/programs/run.h"
#include "common/no_inline.h"

using buffer_pool::Held;
using buffer_pool::Run;
using buffer_pool::Setup;
using buffer_pool::SizeList;
using buffer_pool::Worker;

namespace {

struct Files {
  SizeList types;
  int runs = 3;
  int files = 500;
  int chunks = 50;
};

WORKLOAD_FUNCTION void process_chunk(Worker& worker, size_t size) {
  Held read_buffer = worker.take(size);
  Held write_buffer = worker.take(size);
}

WORKLOAD_FUNCTION void process_file(Worker& worker, size_t size, int chunks) {
  for (int chunk = 0; chunk < chunks && worker.more(); ++chunk) {
    process_chunk(worker, size);
  }
}

WORKLOAD_FUNCTION void process_files(Worker& worker, const Files& files) {
  for (int file = 0; file < files.files && worker.more(); ++file) {
    size_t type = static_cast<size_t>(file) % files.types.size();
    process_file(worker, files.types[type].size, files.chunks);
  }
}

void pipeline(Worker& worker, const Files& files) {
  for (int run = 0; run < files.runs && worker.more(); ++run) {
    process_files(worker, files);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Setup setup;
  setup.program = "file_pipeline";
  setup.preallocate = "8x4K,8x16K,8x64K,8x256K,8x1M";
  setup.pool.shards = 8;
  setup.pool.thread_limit = 4;
  setup.pool.max_per_shard = 24;
  setup.pool.min_size = 4096;
  Files files;
  std::string types = "4K,16K,64K,256K,1M";
  workloads::Options options(setup.program,
                             "Copies files in chunks through a pool: two buffers a chunk.");
  setup.add_flags(options);
  options.number("runs", files.runs, 1, 1'000'000'000, "runs over the files in a round");
  options.number("files", files.files, 1, 1'000'000'000, "files of a run");
  options.number("chunks", files.chunks, 1, 1'000'000'000, "chunks of a file");
  options.text("types", types, "SIZE,...", "chunk sizes, one for each type of file, in turn");
  options.parse(argc, argv);
  setup.resolve(options);
  files.types = setup.sizes(options, "types", types);

  Run run(options, setup, 1);
  run.phase("pipeline", [&](Worker& worker) { pipeline(worker, files); });
  return run.finish();
}
