#include "pipeline/stitching.h"

#include <algorithm>

namespace wick {

void Stitching::apply(uint32_t thread, FoundStack& found) {
  if (found.stack_pointers.size() < 2) {
    return;
  }
  auto known = whole_.find(thread);
  if (found.ending == Ending::kCopyTooShort && known != whole_.end()) {
    complete(found, known->second);
  }
  if (found.ending != Ending::kComplete || found.frames.size() > kMostFrames) {
    return;
  }
  if (known == whole_.end() && whole_.size() >= kMostThreads) {
    whole_.clear();
  }
  remember(found, whole_[thread]);
}

void Stitching::complete(FoundStack& found, const Stack& whole) {
  size_t last = found.stack_pointers.size() - 1;
  auto stands_there = [&](const Frame& frame, size_t unwound) {
    return frame.stack_pointer == found.stack_pointers[unwound] &&
           frame.raw.address == found.frames[found.first_unwound + unwound].address;
  };
  auto same =
      std::ranges::lower_bound(whole, found.stack_pointers[last], {}, [](const Frame& frame) {
        return frame.stack_pointer;
      });
  bool agrees = same != whole.end() && same != whole.begin() && stands_there(*same, last) &&
                stands_there(*(same - 1), last - 1);
  if (!agrees) {
    return;
  }
  // What else was found beyond the copy (the kernel's walk) says less.
  found.frames.resize(found.first_unwound + last + 1);
  for (auto frame = same + 1; frame != whole.end(); ++frame) {
    found.frames.push_back({frame->raw.address, frame->raw.mode, Found::kStitched});
    found.stack_pointers.push_back(frame->stack_pointer);
  }
  found.ending = Ending::kComplete;
  found.callers_hash = StackAssembly::callers_hash(found.frames);
}

void Stitching::remember(const FoundStack& found, Stack& whole) {
  whole.clear();
  for (size_t i = 0; i < found.stack_pointers.size(); ++i) {
    whole.push_back({found.frames[found.first_unwound + i], found.stack_pointers[i]});
  }
}

}  // namespace wick
