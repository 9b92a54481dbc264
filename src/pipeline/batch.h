// SPDX-License-Identifier: Apache-2.0
// Samples on their way through the stages of the pipeline, many at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/known_chains.h"
#include "pipeline/processes.h"
#include "pipeline/stack_assembly.h"
#include "profile/profile.h"
#include "stream/event.h"

namespace wick {

// What can be found out from a sample and its address space alone, by any thread.
struct UnwoundStack {
  std::vector<UnresolvedFrame> frames;  // leaf first
  // Of the frames from first_unwound on, as far as they were unwound; empty when the copy of the
  // stack was large enough anyway (stitching.h).
  size_t first_unwound = 0;
  std::vector<uint64_t> stack_pointers;
  uint64_t callers_hash = 0;
  Ending ending = Ending::kUnknown;
};

struct PendingSample {
  EventContext at;
  uint32_t kind = 0;  // of event
  uint64_t weight = 0;
  uint32_t thread = 0;  // number of a SeenThread
  uint32_t group = 0;
  uint64_t cgroup = 0;
  // Among Batch::branches.
  uint32_t first_branch = 0;
  uint32_t branch_count = 0;
  // As they were at that time; the batch keeps them.
  const SpaceState* space = nullptr;
  const SpaceState* kernel = nullptr;
  bool needs_unwinding = false;
  KnownChains::Answer chain;  // one that was seen before has nothing in `found`
  SampleEvent event;          // only when it needs unwinding: its spans do not live for long
  UnwoundStack found;
};

// A process or a thread that gets a row: a number is used for one of them only.
struct SeenProcess {
  uint32_t number = 0;
  MachineId machine = MachineId::kHost;
  int32_t pid = -1;
  uint32_t parent = kNoRow;  // number of another
  int64_t begin_ns = kNoTime;
  std::string name;
  std::string command;
};
struct SeenThread {
  uint32_t number = 0;
  int32_t tid = -1;
  uint32_t process = 0;  // number
  int64_t begin_ns = kNoTime;
  std::string name;
};

// Changes to one that has a row already.
struct ThreadUpdate {
  uint32_t thread = 0;  // number
  int64_t time_ns = 0;
  bool ended = false;
  std::string name;  // the new one, or empty
};
struct ProcessUpdate {
  uint32_t process = 0;  // number
  int64_t end_ns = kNoTime;
  int64_t begin_ns = kNoTime;
  std::string name;                             // the new one, or empty
  std::string command;                          // the same
  std::shared_ptr<SpaceState> space = nullptr;  // what it had mapped, when that is over
};

struct SeenCgroup {
  uint64_t id = 0;
  std::string path;
};

// Batches are used again, since their samples own memory: the first `count` samples count.
// Only the thread that fills batches clears them: it decides by who keeps an address space whether
// it may change it (processes.cc).
struct Batch {
  std::vector<PendingSample> samples;
  size_t count = 0;
  size_t to_unwind = 0;
  size_t stack_bytes = 0;
  std::vector<SeenProcess> new_processes;
  std::vector<SeenThread> new_threads;
  std::vector<ThreadUpdate> thread_updates;
  std::vector<ProcessUpdate> process_updates;
  std::vector<SeenCgroup> cgroups;
  std::vector<BranchEntry> branches;
  std::shared_ptr<SpaceState> kernel;  // of the host
  std::vector<std::shared_ptr<SpaceState>> spaces;

  PendingSample& add() {
    if (count == samples.size()) {
      samples.emplace_back();
    }
    return samples[count++];
  }
  // Whether there is nothing in it.
  bool is_empty() const {
    return count == 0 && new_processes.empty() && thread_updates.empty() &&
           process_updates.empty() && cgroups.empty();
  }
  void clear() {
    count = 0;
    to_unwind = 0;
    stack_bytes = 0;
    new_processes.clear();
    new_threads.clear();
    thread_updates.clear();
    process_updates.clear();
    cgroups.clear();
    branches.clear();
    kernel.reset();
    spaces.clear();
  }
};

}  // namespace wick
