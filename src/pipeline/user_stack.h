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
// samples can be unwound at the same time. While recording, the memory of the running process is
// handed in as well, and only then is it looked at.
#pragma once

#include <array>
#include <vector>

#include "base/hash.h"
#include "pipeline/loaded_modules.h"
#include "pipeline/process_memory.h"
#include "pipeline/stack_assembly.h"
#include "stream/event.h"
#include "stream/stack_feedback.h"
#include "unwind/unwind.h"

namespace wick {

// Pairs of return addresses that were seen one above the other in copies of stacks. Those that were
// seen long ago may be forgotten.
class SeenLinks {
 public:
  void add(uint64_t inner, uint64_t caller) {
    uint64_t hash = hash_mix(inner, caller);
    tags_[hash % kSlots] = hash;
  }
  bool contains(uint64_t inner, uint64_t caller) const {
    uint64_t hash = hash_mix(inner, caller);
    return tags_[hash % kSlots] == hash;
  }

 private:
  static constexpr size_t kSlots = 8192;
  std::vector<uint64_t> tags_ = std::vector<uint64_t>(kSlots);
};

// What one thread that unwinds keeps between samples.
struct UnwindScratch {
  UnwindCache cache;
  std::vector<UnwoundFrame> frames;
  std::vector<UnwoundFrame> more_frames;  // of the stack as the process has it now
  SeenLinks links;                        // while recording
  StackFindings findings;                 // while recording

  // How a chain that ends at an address ends; chains end at the same few places again and again.
  struct Outermost {
    uint64_t address = 0;
    uint32_t epoch = 0;
    Ending ending = Ending::kUnknown;
  };
  std::array<Outermost, 64> outermost;
};

class UserStacks {
 public:
  // `live`: where the processes' memory is to be had while they run, or null.
  UserStacks(LoadedModules& modules, Architecture architecture, ProcessMemory* live)
      : modules_(modules), architecture_(architecture), live_(live) {}

  // Nothing is copied while the page that the stack has just reached is not there yet; then the
  // process itself has it a moment later.
  static bool needs_unwinding(const SampleEvent& sample, bool is_live) {
    bool has_stack = !sample.user_stack.empty() || (is_live && sample.stack_bytes_asked > 0);
    return has_stack && !sample.user_registers.values.empty();
  }

  // Appends the user frames, leaf first, and tells how the stack ended.
  Ending find(const SampleEvent& sample,
              const SpaceState& space,
              UnwindScratch& scratch,
              std::vector<UnresolvedFrame>& frames) const;

 private:
  Ending unwind(const SampleEvent& sample,
                const SpaceState& space,
                UnwindScratch& scratch,
                std::vector<UnresolvedFrame>& frames) const;
  // For whoever copies the next ones: where this stack ends, or goes on.
  void learn(const SampleEvent& sample,
             const SpaceState& space,
             const UnwindInput& input,
             StackEnd end,
             UnwindScratch& scratch) const;
  // Goes on where the copy ended, in the process' memory, if all callers are to be had there.
  StackEnd unwind_live(const UnwindInput& input,
                       StackEnd end,
                       int32_t pid,
                       const SpaceState& space,
                       UnwindScratch& scratch) const;
  Ending follow_chain(const SampleEvent& sample,
                      const SpaceState& space,
                      UnwindScratch& scratch,
                      std::vector<UnresolvedFrame>& frames) const;
  Ending ending_at(const SpaceState& space, FrameAddress outermost, UnwindScratch& scratch) const;

  LoadedModules& modules_;
  Architecture architecture_;
  ProcessMemory* live_;
};

}  // namespace wick
