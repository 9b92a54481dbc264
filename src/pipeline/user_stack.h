// SPDX-License-Identifier: Apache-2.0
// The user part of one sample's stack: turns the recorded data into frames, with the best method
// for this sample.
//
//     a copy of the stack and registers   unwound (src/unwind)
//     the processor's record of calls     taken unchanged
//     the kernel's walk of frame pointers checked against the machine code (chain_check.h)
//
// If unwinding stops early, at the end of the copy or at code without unwind information, and the
// kernel's walk contains the last frame, too, the remainder comes from that walk.
//
// The result depends only on the sample, its address space and the files of its modules, so threads
// can unwind many samples at the same time. During a recording, the memory of the running process
// helps (live_user_stack.h); reading a recording never uses it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pipeline/live_user_stack.h"
#include "pipeline/loaded_modules.h"
#include "pipeline/stack_assembly.h"
#include "pipeline/unwind_scratch.h"
#include "stream/event.h"

namespace wick {

// The kernel stops its walk here (kernel.perf_event_max_stack).
inline constexpr size_t kKernelWalkLimit = 127;

// Whether the thread is in a system call, whose return address is then pc; none if the registers of
// the sample do not say so.
std::optional<bool> is_in_system_call(const SampleEvent& sample, Architecture architecture);

class UserStacks {
 public:
  struct Machine {
    Architecture architecture = Architecture::kUnknown;
    bool has_monotonic_times = false;  // samples have the clock of run-time compilers' dumps
  };
  // `live` reads the memory of running processes; null if a recording is read.
  UserStacks(LoadedModules& modules, Machine machine, ProcessMemory* live)
      : modules_(modules),
        architecture_(machine.architecture),
        has_monotonic_times_(machine.has_monotonic_times),
        memory_(live) {
    if (live != nullptr) {
      live_.emplace(modules, *live);
    }
  }

  // The kernel copies nothing if the page that the stack has just reached does not exist yet. A
  // moment later the process has it.
  static bool needs_unwinding(const SampleEvent& sample, bool is_live) {
    bool has_stack = !sample.user_stack.empty() || (is_live && sample.stack_bytes_asked > 0);
    return has_stack && !sample.user_registers.values.empty();
  }

  // Appends the user frames, leaf first, and returns how the stack ended.
  StackEnd find(const SampleEvent& sample,
                const SpaceState& space,
                UnwindScratch& scratch,
                std::vector<UnresolvedFrame>& frames) const;

 private:
  StackEnd unwind(const SampleEvent& sample,
                  const SpaceState& space,
                  UnwindScratch& scratch,
                  std::vector<UnresolvedFrame>& frames) const;
  // Adds the frames of the kernel's walk above the last frame.
  StackEnd append_rest(const SampleEvent& sample,
                       const SpaceState& space,
                       StackEnd ending,
                       UnwindScratch& scratch,
                       std::vector<UnresolvedFrame>& frames) const;
  // The frame at which the program entered the kernel, or which was sampled. After a system call,
  // pc is a return address, perhaps of the next function.
  FrameAddress innermost(const SampleEvent& sample,
                         const SpaceState& space,
                         uint64_t pc,
                         bool is_in_kernel) const;
  // How the kernel's walk above a frame ended.
  enum class ChainEnd : uint8_t { kUnknown, kBroken, kStart };
  // Adds the frames of the kernel's walk, as far as the code allows them, and marks missing ones.
  ChainEnd append_chain(const SampleEvent& sample,
                        const SpaceState& space,
                        std::span<const uint64_t> callers,
                        UnwindScratch& scratch,
                        std::vector<UnresolvedFrame>& frames) const;
  // Whether the code before an address asks the kernel to execute another program.
  bool is_exec_before(const SpaceState& space, uint64_t pc) const;
  StackEnd follow_calls(const SampleEvent& sample,
                        const SpaceState& space,
                        UnwindScratch& scratch,
                        std::vector<UnresolvedFrame>& frames) const;
  StackEnd follow_chain(const SampleEvent& sample,
                        const SpaceState& space,
                        UnwindScratch& scratch,
                        std::vector<UnresolvedFrame>& frames) const;

  LoadedModules& modules_;
  Architecture architecture_;
  bool has_monotonic_times_;
  ProcessMemory* memory_;
  std::optional<LiveUserStacks> live_;
};

}  // namespace wick
