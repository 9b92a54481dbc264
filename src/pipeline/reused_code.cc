// SPDX-License-Identifier: Apache-2.0
#include "pipeline/reused_code.h"

#include <algorithm>

#include "profile/map_stacks.h"

namespace wick {

void ReusedCode::split(FrameId frame, std::vector<Since> since) {
  for (const Since& change : since) {
    times_.push_back(change.time_ns);
  }
  split_[frame.value] = std::move(since);
}

FrameId ReusedCode::frame_at(FrameId frame, int64_t time_ns) const {
  auto found = split_.find(frame.value);
  if (found == split_.end() || time_ns == kNoTime) {
    return frame;
  }
  const std::vector<Since>& since = found->second;
  auto after = std::ranges::upper_bound(since, time_ns, {}, &Since::time_ns);
  return after == since.begin() ? since.front().frame : (after - 1)->frame;
}

// The same number between two changes of any frame; a separate one for samples without a time.
uint64_t ReusedCode::epoch_of(int64_t time_ns) const {
  auto changes = std::ranges::upper_bound(times_, time_ns) - times_.begin();
  return time_ns == kNoTime ? UINT64_MAX : static_cast<uint64_t>(changes);
}

std::vector<bool> ReusedCode::split_stacks() const {
  std::vector<bool> is_split(profile_.stacks.size());
  for (size_t row = 1; row < profile_.stacks.size(); ++row) {
    StackId stack = StackId::from_index(row);
    is_split[row] = is_split[profile_.stacks.parent(stack).index()] ||
                    split_.contains(profile_.stacks.frame(stack).value);
  }
  return is_split;
}

void ReusedCode::finish() {
  if (split_.empty()) {
    return;
  }
  std::ranges::sort(times_);
  std::vector<bool> is_split = split_stacks();
  StackVersions versions(profile_.stacks);
  std::vector<StackId> moved(profile_.stacks.size());  // of the stacks that are not split
  moved[kEmptyStack.index()] = kEmptyStack;
  for (size_t row = 1; row < moved.size(); ++row) {
    StackId old = StackId::from_index(row);
    if (!is_split[row]) {
      moved[row] = versions.stacks().intern(moved[profile_.stacks.parent(old).index()],
                                            profile_.stacks.frame(old));
    }
  }
  auto moved_of = [&](StackId stack) { return moved[stack.index()]; };
  change_stack_references(profile_, [&](StackId stack, int64_t time_ns) {
    if (!is_split[stack.index()]) {
      return moved_of(stack);
    }
    return versions.copy(stack, epoch_of(time_ns), moved_of, [&](FrameId frame) {
      return frame_at(frame, time_ns);
    });
  });
  profile_.stacks = versions.stacks().release();
}

}  // namespace wick
