// SPDX-License-Identifier: Apache-2.0
#include "pipeline/live_user_stack.h"

#include <algorithm>
#include <chrono>

#include "pipeline/call_check.h"
#include "pipeline/live_stack.h"
#include "pipeline/space_lookup.h"
#include "unwind/signal_frame.h"

namespace wick {
namespace {

using namespace std::chrono_literals;

// If the outermost signal handler runs on a separate stack: the address at which its frame stores
// the stack pointer of the interrupted code; otherwise 0.
uint64_t interrupted_slot(UnwindArch arch, std::span<const UnwoundFrame> frames) {
  if (arch == UnwindArch::kX86) {
    return 0;
  }
  for (size_t i = frames.size(); i-- > 1;) {
    uint64_t signal_frame = frames[i - 1].sp;
    if (frames[i].source == FrameSource::kInterrupted &&
        frames[i].sp - signal_frame > kLargestSignalFrame) {
      return signal_frame + signal_frame_layout(arch, kRtSignalForm).sp;
    }
  }
  return 0;
}

// The end of a thread's stack whose outermost frame is at `outermost`, if the copy continues well
// beyond it; otherwise 0. The zero that ends the stack is above that frame. The recorder reads the
// tail of a stack in whole pages.
uint64_t early_end(const SampleEvent& sample, const UnwindInput& input, uint64_t outermost) {
  constexpr uint64_t kAboveOutermost = 256;
  constexpr uint64_t kPageBytes = 4096;
  constexpr uint64_t kLargestStack = uint64_t{1} << 30;
  const StackTail& tail =
      sample.interrupted_stack.bytes.empty() ? sample.stack_tail : sample.interrupted_stack;
  uint64_t end = outermost + kAboveOutermost;
  uint64_t copy_begin = input.registers.values[traits_of(input.arch).stack_pointer];
  if (input.left && outermost - copy_begin >= kLargestStack) {
    return 0;  // on the stack of a goroutine
  }
  bool is_early = tail.bytes.empty() ? end + kAboveOutermost < copy_begin + sample.user_stack.size()
                                     : end + kPageBytes <= tail.address + tail.bytes.size();
  return is_early ? end : 0;
}

}  // namespace

StackEnd LiveUserStacks::complete(const SampleEvent& sample,
                                  const SpaceState& space,
                                  const UnwindInput& input,
                                  StackEnd end,
                                  UnwindScratch& scratch) const {
  collect_findings(sample, space, input, end, scratch);
  find_goroutine(sample, space, input, end, scratch);
  for (size_t i = 2; i < scratch.frames.size(); ++i) {
    scratch.links.add(scratch.frames[i - 1].address, scratch.frames[i].address);
  }
  bool is_cut = end == StackEnd::kCopyTooShort || end == StackEnd::kOtherStack;
  return is_cut ? unwind_more(input, end, sample.at, space, scratch) : end;
}

void LiveUserStacks::collect_findings(const SampleEvent& sample,
                                      const SpaceState& space,
                                      const UnwindInput& input,
                                      StackEnd end,
                                      UnwindScratch& scratch) const {
  StackFindings& findings = scratch.findings;
  if (end == StackEnd::kComplete || end == StackEnd::kZeroReturn) {
    if (uint64_t address = early_end(sample, input, scratch.frames.back().sp)) {
      auto outermost = FrameAddress::returning_to(scratch.frames.back().address);
      bool is_guess = ending_at(modules_, space, outermost, scratch) != StackEnd::kComplete;
      findings.ends.push_back({{sample.at.tid, address}, is_guess});
    }
  } else if (end == StackEnd::kOtherStack) {
    if (uint64_t slot = interrupted_slot(input.arch, scratch.frames)) {
      findings.handlers.push_back({sample.at.tid, slot});
    }
    findings.ran_out = true;
  } else if (end == StackEnd::kCopyTooShort) {
    if (input.stack.size() < sample.stack_bytes_asked) {
      findings.ends.push_back({{sample.at.tid, 0}});
    }
    findings.ran_out = true;
  }
}

void LiveUserStacks::find_goroutine(const SampleEvent& sample,
                                    const SpaceState& space,
                                    const UnwindInput& input,
                                    StackEnd end,
                                    UnwindScratch& scratch) const {
  if (input.arch != UnwindArch::kX86_64 ||
      !scratch.go_threads.wants(sample.at.tid, end == StackEnd::kSwitched)) {
    return;
  }
  const Mapping* mapping = space.space.find(scratch.frames.front().address);
  std::optional<GoContextLayout> layout;
  if (mapping != nullptr) {
    layout = modules_.go_context(*mapping);
  }
  if (!layout || !input.registers.has(GoContextLayout::kGRegister)) {
    return;
  }
  uint64_t stack_pointer = input.registers.values[traits_of(input.arch).stack_pointer];
  uint64_t g = input.registers.values[GoContextLayout::kGRegister];
  if (auto found = find_goroutines(*layout, memory_, sample.at, g, stack_pointer)) {
    scratch.go_threads.found(sample.at.tid);
    scratch.findings.goroutines.push_back(*found);
  }
}

StackEnd LiveUserStacks::unwind_more(const UnwindInput& input,
                                     StackEnd end,
                                     const EventContext& thread,
                                     const SpaceState& space,
                                     UnwindScratch& scratch) const {
  // Frames in the copy that the memory of the process must have at the same stack pointers.
  constexpr size_t kAgreeing = 3;
  constexpr uint32_t kMaxFrames = 1 << 16;
  size_t certain = scratch.frames.size() - std::min(kAgreeing, scratch.frames.size());
  uint64_t copy_begin = input.registers.values[traits_of(input.arch).stack_pointer];
  LiveStack stack(memory_, thread.pid);
  UnwindInput more = input;
  more.stack = input.stack.first(
      std::min<uint64_t>(scratch.frames[certain].sp - copy_begin, input.stack.size()));
  more.beyond = &stack;
  more.max_frames = kMaxFrames;
  SpaceLookup lookup(space.space, modules_, {&memory_, thread.pid});
  std::vector<UnwoundFrame>& found = scratch.more_frames;
  found.clear();
  bool complete = unwind_stack(more, lookup, scratch.cache, found) == StackEnd::kComplete;
  int64_t read_ns = std::chrono::steady_clock::now().time_since_epoch() / 1ns;
  bool same = found.size() >= scratch.frames.size() &&
              std::ranges::equal(scratch.frames, std::span(found).first(scratch.frames.size()));
  CallCheck check(input.arch, memory_, thread.pid, space.space, modules_, scratch.links);
  if (!complete || !same) {
    return end;
  }
  std::span rest = std::span(found).subspan(certain);
  if (!check.agrees(rest) && !scratch.rests.was_there(thread.tid, thread.time_ns, rest)) {
    scratch.rests.remember(thread.tid, read_ns, rest);
    return end;
  }
  std::swap(scratch.frames, scratch.more_frames);
  return StackEnd::kComplete;
}

}  // namespace wick
