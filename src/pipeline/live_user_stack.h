// SPDX-License-Identifier: Apache-2.0
// LiveUserStacks: what unwinding can do beyond the copy of a stack while the process still runs.
//
//     learn         where stacks end, or go on, for the recorder that copies the next ones
//     unwind more   where the copy was too short, on in the memory of the process, if what is there
//                   now agrees with the copy (call_check.h)
//
// A recording that is read does not use it (user_stack.h).
#pragma once

#include "pipeline/loaded_modules.h"
#include "pipeline/process_memory.h"
#include "pipeline/processes.h"
#include "pipeline/unwind_scratch.h"
#include "stream/event.h"

namespace wick {

class LiveUserStacks {
 public:
  // Both must outlive it.
  LiveUserStacks(LoadedModules& modules, ProcessMemory& memory)
      : modules_(modules), memory_(memory) {}

  // After the copy of a stack was unwound into scratch.frames, which ended with `end`: learns from
  // it, and adds the callers that the copy lacks if all of them are available. Returns how the
  // stack ends now.
  StackEnd complete(const SampleEvent& sample,
                    const SpaceState& space,
                    const UnwindInput& input,
                    StackEnd end,
                    UnwindScratch& scratch) const;

 private:
  void learn(const SampleEvent& sample,
             const SpaceState& space,
             const UnwindInput& input,
             StackEnd end,
             UnwindScratch& scratch) const;
  StackEnd unwind_more(const UnwindInput& input,
                       StackEnd end,
                       int32_t pid,
                       const SpaceState& space,
                       UnwindScratch& scratch) const;

  LoadedModules& modules_;
  ProcessMemory& memory_;
};

}  // namespace wick
