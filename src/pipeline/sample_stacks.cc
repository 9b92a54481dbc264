// SPDX-License-Identifier: Apache-2.0
#include "pipeline/sample_stacks.h"

namespace wick {
namespace {

// A stack that never left the kernel is complete for a kernel thread, which has no mappings.
StackEnd ending_in_kernel(const SampleEvent& event,
                          const SpaceState& space,
                          Architecture architecture) {
  if (event.kernel_chain.empty()) {
    return StackEnd::kUnknown;
  }
  // The recorder asked for the registers of the program, and the kernel reported that there are
  // none: the thread has released its memory and is about to end.
  bool has_left =
      event.stack_bytes_asked > 0 && event.user_registers.width == RegisterValues::Width::kNone;
  // Nothing of the stack could be copied, although the program had called the kernel with it: exec
  // has released the memory of the old program.
  bool is_replaced = event.stack_bytes_asked > 0 && event.user_stack.empty() &&
                     is_in_system_call(event, architecture).value_or(false);
  bool is_whole =
      has_left || is_replaced || event.has_no_user_half || space.space.mappings().empty();
  bool is_deep = event.has_no_user_half && event.kernel_chain.size() >= kKernelWalkLimit;
  return is_deep ? StackEnd::kTooDeep : is_whole ? StackEnd::kComplete : StackEnd::kNoUserStack;
}

}  // namespace

// For the few stacks that are truncated, or that can complete a truncated one.
void SampleStacks::store_stack_pointers(const SampleEvent& event,
                                        size_t first_unwound,
                                        const UnwindScratch& scratch,
                                        UnwoundStack& found) const {
  found.stack_pointers.clear();
  bool half_used = event.user_stack.size() >= event.stack_bytes_asked / 2;
  if (!stitches_ || !half_used || !needs_unwinding(event)) {
    return;
  }
  found.first_unwound = first_unwound;
  for (const UnwoundFrame& frame : scratch.frames) {
    found.stack_pointers.push_back(frame.sp);
  }
}

void SampleStacks::find(const SampleEvent& event,
                        const SpaceState& space,
                        UnwindScratch& scratch,
                        UnwoundStack& found) const {
  std::vector<UnresolvedFrame>& frames = found.frames;
  frames.clear();
  found.lock_use = LockUse::kUnknown;
  found.task.clear();
  found.coroutine.clear();
  found.thread_name.clear();
  bool first = true;
  for (uint64_t address : event.kernel_chain) {
    Mode kernel_mode = event.mode == Mode::kGuestKernel ? Mode::kGuestKernel : Mode::kKernel;
    FrameOrigin origin = first ? FrameOrigin::kSampled : FrameOrigin::kKernelChain;
    frames.push_back({FrameAddress::in_chain(address, first), kernel_mode, origin});
    first = false;
  }
  if (frames.empty() && is_kernel(event.mode)) {
    frames.push_back({FrameAddress::exact(event.address), event.mode, FrameOrigin::kSampled});
  }
  size_t kernel_frames = frames.size();
  UserStacks user_stacks(modules_, machine_, live_);
  found.ending = user_stacks.find(event, space, scratch, frames);
  store_stack_pointers(event, kernel_frames, scratch, found);
  if (frames.empty()) {
    frames.push_back({FrameAddress::exact(event.address), event.mode, FrameOrigin::kSampled});
  } else if (frames.size() == kernel_frames && found.ending != StackEnd::kComplete) {
    found.ending = ending_in_kernel(event, space, machine_.architecture);
  }
  if (interpreters_ != nullptr) {
    interpreters_->add_frames(event, space, kernel_frames, scratch, found);
  }
  found.callers_hash = StackAssembly::callers_hash(frames);
}

}  // namespace wick
