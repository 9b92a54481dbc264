// Samples on their way through the stages of the pipeline, many at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/processes.h"
#include "pipeline/stack_assembly.h"
#include "profile/profile.h"
#include "stream/event.h"

namespace wick {

// What can be found out from a sample and its address space alone, by any thread.
struct FoundStack {
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
  // As they were at that time; the batch keeps them.
  const SpaceState* space = nullptr;
  const SpaceState* kernel = nullptr;
  bool needs_unwinding = false;
  SampleEvent event;  // only when it needs unwinding: its spans do not live for long
  FoundStack found;
};

// A thread under one name. A number is used for one of them only.
struct SeenThread {
  uint32_t number = 0;
  MachineId machine = MachineId::kHost;
  int32_t pid = -1;
  int32_t tid = -1;
  std::string process_name;
  std::string name;
};

// Batches are used again, since their samples own memory: the first `count` samples count.
// Only the thread that fills batches clears them: it decides by who keeps an address space whether
// it may change it (processes.cc).
struct Batch {
  std::vector<PendingSample> samples;
  size_t count = 0;
  size_t to_unwind = 0;
  size_t stack_bytes = 0;
  std::vector<SeenThread> new_threads;
  std::shared_ptr<SpaceState> kernel;  // of the host
  std::vector<std::shared_ptr<SpaceState>> spaces;

  PendingSample& add() {
    if (count == samples.size()) {
      samples.emplace_back();
    }
    return samples[count++];
  }
  void clear() {
    count = 0;
    to_unwind = 0;
    stack_bytes = 0;
    new_threads.clear();
    kernel.reset();
    spaces.clear();
  }
};

}  // namespace wick
