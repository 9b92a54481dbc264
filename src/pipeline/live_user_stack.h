// SPDX-License-Identifier: Apache-2.0
// LiveUserStacks: improves the unwinding of copied stacks while the process still runs.
//
//     findings      where stacks end or continue, for the recorder that copies the next ones
//     unwind more   if the copy was too short, continues in the memory of the process, if that
//                   still agrees with the copy (call_check.h), or was there before (known_rests.h)
//
// Reading a recording does not use it (user_stack.h).
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

  // Call it after the copy of a stack was unwound into scratch.frames and ended with `end`.
  // Collects findings, and adds the callers that are missing in the copy if all of them are
  // available. Returns how the stack ends now.
  StackEnd complete(const SampleEvent& sample,
                    const SpaceState& space,
                    const UnwindInput& input,
                    StackEnd end,
                    UnwindScratch& scratch) const;

 private:
  void collect_findings(const SampleEvent& sample,
                        const SpaceState& space,
                        const UnwindInput& input,
                        StackEnd end,
                        UnwindScratch& scratch) const;
  void find_goroutine(const SampleEvent& sample,
                      const SpaceState& space,
                      const UnwindInput& input,
                      StackEnd end,
                      UnwindScratch& scratch) const;
  StackEnd unwind_more(const UnwindInput& input,
                       StackEnd end,
                       const EventContext& thread,
                       const SpaceState& space,
                       UnwindScratch& scratch) const;

  LoadedModules& modules_;
  ProcessMemory& memory_;
};

}  // namespace wick
