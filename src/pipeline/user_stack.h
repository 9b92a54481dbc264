// SPDX-License-Identifier: Apache-2.0
// The user part of one sample's stack: from what the recorder kept to frames, by the best means
// that this sample has.
//
//     a copy of the stack and registers   unwound (src/unwind)
//     the processor's record of calls     taken as it is
//     the kernel's walk of frame pointers taken as it is
//
// Where unwinding stops early, at the end of the copy or at code without unwind information, and
// the kernel's walk knows the last frame too, the rest is taken from there.
//
// The result depends on the sample, its address space and the files of its modules, so that many
// samples can be unwound at the same time. While recording, the memory of the running process helps
// (live_user_stack.h); a recording that is read never looks at it.
#pragma once

#include <optional>
#include <vector>

#include "pipeline/live_user_stack.h"
#include "pipeline/loaded_modules.h"
#include "pipeline/stack_assembly.h"
#include "pipeline/unwind_scratch.h"
#include "stream/event.h"

namespace wick {

class UserStacks {
 public:
  // `live` reads the memory of the processes while they run; null for a recording that is read.
  UserStacks(LoadedModules& modules, Architecture architecture, ProcessMemory* live)
      : modules_(modules), architecture_(architecture) {
    if (live != nullptr) {
      live_.emplace(modules, *live);
    }
  }

  // Nothing is copied while the page that the stack has just reached is not there yet; then the
  // process itself has it a moment later.
  static bool needs_unwinding(const SampleEvent& sample, bool is_live) {
    bool has_stack = !sample.user_stack.empty() || (is_live && sample.stack_bytes_asked > 0);
    return has_stack && !sample.user_registers.values.empty();
  }

  // Appends the user frames, leaf first, and returns how the stack ended.
  Ending find(const SampleEvent& sample,
              const SpaceState& space,
              UnwindScratch& scratch,
              std::vector<UnresolvedFrame>& frames) const;

 private:
  Ending unwind(const SampleEvent& sample,
                const SpaceState& space,
                UnwindScratch& scratch,
                std::vector<UnresolvedFrame>& frames) const;
  // Adds what the kernel's walk knows above the last frame.
  Ending append_rest(const SampleEvent& sample,
                     const SpaceState& space,
                     Ending ending,
                     UnwindScratch& scratch,
                     std::vector<UnresolvedFrame>& frames) const;
  Ending follow_chain(const SampleEvent& sample,
                      const SpaceState& space,
                      UnwindScratch& scratch,
                      std::vector<UnresolvedFrame>& frames) const;

  LoadedModules& modules_;
  Architecture architecture_;
  std::optional<LiveUserStacks> live_;
};

}  // namespace wick
