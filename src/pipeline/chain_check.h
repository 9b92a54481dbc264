// SPDX-License-Identifier: Apache-2.0
// ChainCheck: whether neighbours in the kernel's walk of frame pointers can have called one another.
//
// The kernel follows the frame pointer blindly. Code that does not set it up is skipped: a function
// of the C library, a function at its first or last instruction, the one that a signal interrupted.
// Code that uses the register for something else leads anywhere. The machine code shows both:
//
//     the return address follows a call of the inner function        called
//     it follows a call of another function                          skipped: frames are missing
//     the inner code has not set up a frame pointer of its own       skipped
//     it does not follow a call, or is in no mapping                 not a frame at all
//
// "Of the inner function" means: the target of the call leads there, itself, by jumps, or through a
// stub (unwind/code_flow.h). Calls through pointers, generated code, and code that is not available
// say nothing, and count as called. Whether the inner code has a frame pointer is known where there
// is unwind information: it says so, or it says where the stack begins, and the code between the
// start of the function and this address does the rest.
#pragma once

#include <cstdint>

#include "base/frame_address.h"
#include "pipeline/loaded_modules.h"
#include "pipeline/processes.h"
#include "pipeline/space_lookup.h"
#include "pipeline/unwind_scratch.h"
#include "unwind/code_flow.h"

namespace wick {

class ChainCheck {
 public:
  // All must outlive it.
  ChainCheck(UnwindArch machine,
             LoadedModules& modules,
             const SpaceState& space,
             UnwindScratch& scratch);

  ChainLink between(FrameAddress inner, uint64_t return_address);

 private:
  ChainLink find(uint64_t inner, uint64_t return_address);
  bool is_signal_return(uint64_t address);
  // Whether the frame pointer is certainly that of an outer function, or not a frame pointer.
  bool lacks_frame_pointer(uint64_t inside);
  // Whether the code after the call of `target` comes to `inside`: kNo if it certainly does not.
  CodeFlow::Reach::Answer leads_to(uint64_t target, uint64_t inside);
  // Whether one function jumps into another.
  bool jumps(const LoadedModules::Function& from, const LoadedModules::Function& to);
  CodeFlow::Reach reach(uint64_t begin, uint64_t inside);
  std::optional<LoadedModules::Function> function_at(uint64_t address);
  KnownFlows::Code code_of_flows() { return {arch_, modules_, scratch_.cache.code_budget()}; }

  UnwindArch machine_;
  UnwindArch arch_;  // of the program, as far as known
  LoadedModules& modules_;
  const SpaceState& space_;
  UnwindScratch& scratch_;
  SpaceLookup code_;
};

}  // namespace wick
