// SPDX-License-Identifier: Apache-2.0
// The frames of one sample: first those of the kernel, then those of the program (user_stack.h), and
// between those the functions of an interpreted program (interpreters.h).
//
// The result depends only on the sample, its address space and the files of its modules, so threads
// can do this for many samples at the same time, each with an UnwindScratch of its own.
#pragma once

#include "pipeline/batch.h"
#include "pipeline/interpreters.h"
#include "pipeline/user_stack.h"

namespace wick {

class SampleStacks {
 public:
  // `stitches`: stitching.h will need the stack pointers. `live` reads the memory of running
  // processes, and `interpreters` their frames; null if a recording is read.
  SampleStacks(LoadedModules& modules,
               bool stitches,
               ProcessMemory* live,
               Interpreters* interpreters)
      : modules_(modules), stitches_(stitches), live_(live), interpreters_(interpreters) {}

  // Only while no thread calls find().
  void set_architecture(Architecture architecture) { machine_.architecture = architecture; }
  void set_clock(ClockKind clock) { machine_.has_monotonic_times = clock == ClockKind::kMonotonic; }

  bool needs_unwinding(const SampleEvent& event) const {
    return UserStacks::needs_unwinding(event, live_ != nullptr);
  }
  void find(const SampleEvent& event,
            const SpaceState& space,
            UnwindScratch& scratch,
            UnwoundStack& found) const;

 private:
  void store_stack_pointers(const SampleEvent& event,
                            size_t first_unwound,
                            const UnwindScratch& scratch,
                            UnwoundStack& found) const;

  LoadedModules& modules_;
  bool stitches_;
  ProcessMemory* live_;
  Interpreters* interpreters_;
  UserStacks::Machine machine_;
};

}  // namespace wick
