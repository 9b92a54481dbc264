// SPDX-License-Identifier: Apache-2.0
// Batches: samples between two stages of the pipeline, many at a time.
//
// The last stage reads all samples of a batch in order, and reading memory is most of its work. So
// PendingSample is small, and the data of samples that have a copy of the stack is in PendingStack.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pipeline/known_chains.h"
#include "pipeline/processes.h"
#include "pipeline/stack_assembly.h"
#include "profile/profile.h"
#include "runtimes/interpreter.h"
#include "stream/event.h"

namespace wick {

// The stack of a sample. Any thread can compute it from the sample and its address space.
struct UnwoundStack {
  std::vector<UnresolvedFrame> frames;  // leaf first
  // The stack pointers of the frames from first_unwound on, as far as they were unwound. Empty if
  // the copy of the stack was large enough anyway (stitching.h).
  size_t first_unwound = 0;
  std::vector<uint64_t> stack_pointers;
  uint64_t callers_hash = 0;
  StackEnd ending = StackEnd::kUnknown;
  LockUse lock_use = LockUse::kUnknown;  // at the sample
  // The task that the thread ran, and its outermost coroutine; empty: none, or unknown.
  std::string task;
  std::string coroutine;
  std::string thread_name;  // that the program gave the thread, if it has become known now
};

// A stack that depends on more than the call chain of its sample.
struct PendingStack {
  bool needs_unwinding = false;  // else `found` is complete
  SampleEvent event;             // only if it needs unwinding; borrows from the recording
  const SpaceState* space = nullptr;
  UnwoundStack found;
};

struct PendingSample {
  static constexpr uint32_t kNoStack = UINT32_MAX;

  int64_t time_ns = 0;
  uint64_t weight = 0;
  uint64_t cgroup = 0;
  // The address spaces at that time; the batch owns them.
  const SpaceState* space = nullptr;
  const SpaceState* kernel = nullptr;
  uint32_t kind = 0;    // of event
  uint32_t thread = 0;  // number of a SeenThread
  uint32_t group = 0;
  uint16_t cpu = kNoCpu;
  bool in_guest = false;
  // In Batch::branches.
  uint32_t first_branch = 0;
  uint32_t branch_count = 0;
  uint32_t stack = kNoStack;  // in Batch::stacks; if none, `chain` determines the stack
  KnownChains::Key chain;     // borrows from the recording
};

// A process or a thread that gets a row. A number may be used again after its last update
// (row_numbers.h).
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

// Changes of a thread or a process that already has a row.
struct ThreadUpdate {
  uint32_t thread = 0;  // number
  int64_t time_ns = 0;
  bool ended = false;
  std::string name;      // the new name, or empty
  bool is_last = false;  // nothing will refer to the thread again
};
struct ProcessUpdate {
  uint32_t process = 0;  // number
  int64_t end_ns = kNoTime;
  int64_t begin_ns = kNoTime;
  std::string name;                             // the new name, or empty
  std::string command;                          // the same
  std::shared_ptr<SpaceState> space = nullptr;  // its mappings, when they are final
  bool is_last = false;                         // nothing will refer to the process again
};

struct SeenCgroup {
  uint64_t id = 0;
  std::string path;
};

// Invariants:
//   - Only the thread that fills batches clears them. It decides by the owners of an address space
//     whether it may change it (processes.cc).
//   - Stacks own memory, so batches are reused: only the first sample_count samples and the first
//     stack_count stacks are valid.
//   - A batch that borrows must be in the profile when the producer's checkpoint ends.
struct Batch {
  std::vector<PendingSample> samples;
  std::vector<PendingStack> stacks;
  size_t sample_count = 0;
  size_t stack_count = 0;
  size_t to_unwind = 0;
  size_t borrowed_bytes = 0;
  bool has_chains = false;
  std::vector<SeenProcess> new_processes;
  std::vector<SeenThread> new_threads;
  std::vector<ThreadUpdate> thread_updates;
  std::vector<ProcessUpdate> process_updates;
  std::vector<SeenCgroup> cgroups;
  std::vector<BranchEntry> branches;
  std::shared_ptr<SpaceState> kernel;  // of the host
  std::vector<std::shared_ptr<SpaceState>> spaces;

  // The caller sets all fields: clearing them first took a third of collecting a sample.
  PendingSample& add_sample() {
    if (sample_count == samples.size()) {
      samples.emplace_back();
    }
    return samples[sample_count++];
  }
  std::span<const PendingSample> pending() const { return std::span(samples).first(sample_count); }
  PendingStack& add_stack() {
    if (stack_count == stacks.size()) {
      stacks.emplace_back();
    }
    return stacks[stack_count++];
  }
  bool borrows() const { return to_unwind > 0 || has_chains; }
  bool is_empty() const {
    return sample_count == 0 && new_processes.empty() && thread_updates.empty() &&
           process_updates.empty() && cgroups.empty();
  }
  void clear() {
    sample_count = 0;
    stack_count = 0;
    to_unwind = 0;
    borrowed_bytes = 0;
    has_chains = false;
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
