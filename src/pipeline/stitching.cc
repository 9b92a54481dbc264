// SPDX-License-Identifier: Apache-2.0
#include "pipeline/stitching.h"

#include <algorithm>

namespace wick {

void Stitching::apply(uint32_t thread, UnwoundStack& found) {
  if (found.stack_pointers.size() < 2) {
    return;
  }
  auto known = whole_.find(thread);
  bool is_cut = found.ending == StackEnd::kCopyTooShort || found.ending == StackEnd::kOtherStack;
  if (is_cut && known != whole_.end()) {
    complete(found, known->second);
  }
  if (found.ending != StackEnd::kComplete || found.frames.size() > kMaxFrames) {
    return;
  }
  if (known == whole_.end() && whole_.size() >= kMaxThreads) {
    whole_.clear();
  }
  remember(found, whole_[thread]);
}

std::span<const Stitching::Frame> Stitching::rest_of(const UnwoundStack& found,
                                                     const Stack& whole) {
  size_t last = found.stack_pointers.size() - 1;
  auto is_there = [&](const Frame& frame, size_t unwound) {
    return frame.stack_pointer == found.stack_pointers[unwound] &&
           frame.unresolved.address == found.frames[found.first_unwound + unwound].address;
  };
  const std::vector<Frame>& frames = whole.frames;
  // Not sorted: signal handlers may have separate stacks.
  auto same = std::ranges::find(frames, found.stack_pointers[last], &Frame::stack_pointer);
  bool agrees = same != frames.end() && same != frames.begin() && is_there(*same, last) &&
                is_there(*(same - 1), last - 1);
  return agrees ? std::span(same + 1, frames.end()) : std::span<const Frame>();
}

void Stitching::complete(UnwoundStack& found, const Stacks& known) {
  std::span<const Frame> rest;
  for (const Stack& whole : known) {
    std::span<const Frame> other = rest_of(found, whole);
    if (rest.empty()) {
      rest = other;
    }
    auto address = [](const Frame& frame) { return frame.unresolved.address; };
    if (!other.empty() && !std::ranges::equal(rest, other, {}, address, address)) {
      return;  // several callers lead here
    }
  }
  if (rest.empty()) {
    return;
  }
  // Other frames beyond the copy (from the kernel's walk) are less complete.
  found.frames.resize(found.first_unwound + found.stack_pointers.size());
  for (const Frame& frame : rest) {
    if (is_interpreted(frame.unresolved.origin)) {
      continue;  // the sample has its own
    }
    found.frames.push_back(
        {frame.unresolved.address, frame.unresolved.mode, FrameOrigin::kStitched});
    found.stack_pointers.push_back(frame.stack_pointer);
  }
  found.ending = StackEnd::kComplete;
  found.callers_hash = StackAssembly::callers_hash(found.frames);
}

void Stitching::remember(const UnwoundStack& found, Stacks& known) {
  uint64_t callers = found.callers_hash ^ found.stack_pointers[1];
  auto same = std::ranges::find(known, callers, &Stack::callers);
  if (same == known.end()) {
    if (known.size() < kMaxStacks) {
      known.emplace_back();
    }
    same = known.end() - 1;
    same->callers = callers;
    same->frames.clear();
    for (size_t i = 0; i < found.stack_pointers.size(); ++i) {
      same->frames.push_back({found.frames[found.first_unwound + i], found.stack_pointers[i]});
    }
  }
  std::rotate(known.begin(), same, same + 1);
}

}  // namespace wick
