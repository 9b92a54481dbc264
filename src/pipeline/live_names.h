// SPDX-License-Identifier: Apache-2.0
// LiveNames: looks up names while a recording runs, on a thread of its own.
//
// The pipeline hands over the addresses of frames that are new since the last time; they are
// grouped by module here, and the thread asks the naming service for them. So the recording does
// not wait for files, and naming a window or the whole profile later finds most answers ready.
//
// Reading debug information costs by unit more than by address, so a few new addresses a second
// would read the same units again and again. The new addresses of a module therefore wait until
// they are as many as those before; naming a window asks for the rest.
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

  // Whether the thread has done what it was given.
  bool is_idle() { return worker_.is_idle(); }
  // Frames of `so_far` that were not handed over before. `loaded` is by module of the profile.
  void start(const Profile& so_far, std::span<const LoadedId> loaded);
  // The next profile begins: its frames count from zero.
  void start_over();
  // Returns when the thread has done what it was given.
  void wait() { worker_.wait(); }

 private:
  struct Batch {
    std::vector<AddressesToName> modules;
    NamingContext::RecordedKernel kernel;
  };
  // New addresses of a module, and how many were handed over before.
  struct Waiting {
    AddressesToName names;
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
