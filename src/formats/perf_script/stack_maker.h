// Frames, leaf first as the text has them, to stacks. Neighbouring samples share their outer
// frames, so only what differs from the sample before is looked up in the tree.
#pragma once

#include <algorithm>
#include <ranges>
#include <span>
#include <vector>

#include "profile/builder.h"

namespace wick::perf_script {

class StackMaker {
 public:
  explicit StackMaker(ProfileBuilder& builder) : builder_(builder) {}

  StackId make(std::span<const FrameId> leaf_first) {
    size_t shared = 0;
    size_t limit = std::min(path_.size(), leaf_first.size());
    while (shared < limit && path_[shared].frame == leaf_first[leaf_first.size() - 1 - shared]) {
      ++shared;
    }
    path_.resize(shared);
    StackId stack = path_.empty() ? kEmptyStack : path_.back().stack;
    for (FrameId frame : leaf_first.first(leaf_first.size() - shared) | std::views::reverse) {
      stack = builder_.stack(stack, frame);
      path_.push_back({frame, stack});
    }
    return stack;
  }

 private:
  struct Step {
    FrameId frame;
    StackId stack;
  };

  ProfileBuilder& builder_;
  std::vector<Step> path_;  // of the sample before, root first
};

}  // namespace wick::perf_script
