// SPDX-License-Identifier: Apache-2.0
// LiveNames: looks up names during a recording, in its own thread.
//
// The pipeline passes the addresses of new frames. LiveNames groups them by module, and its thread
// looks them up in the naming service. So the recording does not wait for files, and most answers
// are ready when a window or the whole profile gets its names.
//
// The cost of reading debug information depends on the number of units more than on that of
// addresses, so a few new addresses each second would read the same units repeatedly. The new
// addresses of a module therefore wait until they are as many as those before. Naming a window
// looks up the remainder.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "base/batch_worker.h"
#include "pipeline/naming.h"

namespace wick {

class LiveNames {
 public:
  // Both must outlive it.
  LiveNames(Naming& naming, const LoadedModules& modules)
      : naming_(naming), modules_(modules), worker_([this](Batch& batch) { look_up(batch); }) {}

  // Whether the thread has finished its work.
  bool is_idle() { return worker_.is_idle(); }
  // Passes the frames of `so_far` that were not passed before. `loaded` is by module of the
  // profile.
  void start(const Profile& so_far, std::span<const LoadedId> loaded);
  // The next profile begins: its frames count from zero.
  void start_over();
  // Returns when the thread has finished its work.
  void wait() { worker_.wait(); }

 private:
  struct Batch {
    std::vector<AddressesToName> modules;
    NamingContext::RecordedKernel kernel;
  };
  // New addresses of a module, and the number of those passed before.
  struct Waiting {
    AddressesToName wanted;
    size_t handed_over = 0;
  };
  void collect(const Profile& so_far, std::span<const LoadedId> loaded);
  void look_up(Batch& batch);

  Naming& naming_;
  const LoadedModules& modules_;
  size_t next_frame_ = 0;
  std::unordered_map<uint32_t, Waiting> waiting_;  // by LoadedId
  BatchWorker<Batch> worker_;
};

}  // namespace wick
