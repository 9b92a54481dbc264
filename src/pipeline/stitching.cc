// SPDX-License-Identifier: Apache-2.0
#include "pipeline/stitching.h"

#include <algorithm>
#include <iterator>

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

std::optional<Stitching::Cut> Stitching::cut_of(const UnwoundStack& found) {
  auto is_native = [](uint64_t pointer) { return pointer != 0; };
  std::span pointers(found.stack_pointers);
  auto last = std::find_if(pointers.rbegin(), pointers.rend(), is_native);
  auto before = last == pointers.rend() ? last : std::find_if(last + 1, pointers.rend(), is_native);
  if (before == pointers.rend()) {
    return {};
  }
  Cut cut = {.last = static_cast<size_t>(pointers.rend() - last) - 1,
             .before = static_cast<size_t>(pointers.rend() - before) - 1,
             .functions = {}};
  for (const UnresolvedFrame& frame :
       std::span(found.frames).subspan(found.first_unwound + cut.last + 1)) {
    if (is_interpreted(frame.origin) || frame.origin == FrameOrigin::kMissing) {
      cut.functions.push_back(frame);
    }
  }
  return cut;
}

std::span<const Stitching::Frame> Stitching::rest_of(const UnwoundStack& found,
                                                     const Cut& cut,
                                                     const Stack& whole) {
  auto is_there = [&](const Frame& frame, size_t unwound) {
    return frame.stack_pointer == found.stack_pointers[unwound] &&
           frame.unresolved.address == found.frames[found.first_unwound + unwound].address;
  };
  const std::vector<Frame>& frames = whole.frames;
  // Not sorted: signal handlers may have separate stacks.
  auto same = std::ranges::find(frames, found.stack_pointers[cut.last], &Frame::stack_pointer);
  if (same == frames.end() || !is_there(*same, cut.last)) {
    return {};
  }
  auto before = std::find_if(std::reverse_iterator(same), frames.rend(), [](const Frame& frame) {
    return frame.stack_pointer != 0;
  });
  if (before == frames.rend() || !is_there(*before, cut.before)) {
    return {};
  }
  std::span<const Frame> rest(same + 1, frames.end());
  return has_functions(rest, cut.functions) ? rest : std::span<const Frame>();
}

// A sample without functions of an interpreter says nothing about them.
bool Stitching::has_functions(std::span<const Frame> rest,
                              std::span<const UnresolvedFrame> functions) {
  size_t next = 0;
  for (const Frame& frame : rest) {
    if (functions.empty() || !is_interpreted(frame.unresolved.origin)) {
      continue;
    }
    if (next == functions.size() || functions[next].address != frame.unresolved.address) {
      return false;
    }
    ++next;
  }
  return next == functions.size();
}

void Stitching::complete(UnwoundStack& found, const Stacks& known) {
  std::optional<Cut> cut = cut_of(found);
  if (!cut) {
    return;
  }
  std::span<const Frame> rest;
  for (const Stack& whole : known) {
    std::span<const Frame> other = rest_of(found, *cut, whole);
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
  found.frames.resize(found.first_unwound + cut->last + 1);
  found.stack_pointers.resize(cut->last + 1);
  auto function = cut->functions.begin();
  for (const Frame& frame : rest) {
    bool is_function = is_interpreted(frame.unresolved.origin);
    if (is_function && cut->functions.empty()) {
      continue;
    }
    found.frames.push_back(is_function ? *function++
                                       : UnresolvedFrame{frame.unresolved.address,
                                                         frame.unresolved.mode,
                                                         FrameOrigin::kStitched});
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
