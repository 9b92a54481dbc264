// SPDX-License-Identifier: Apache-2.0
// Converts frames, leaf first as in the text, to stacks. Neighbouring samples share their outer
// frames, so only the frames that differ from the previous sample are looked up in the tree.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "profile/builder.h"

namespace wick::perf_script {

class StackMaker {
 public:
  explicit StackMaker(ProfileBuilder& builder) : builder_(builder) {}

  // `frame_of` returns the FrameId of an entry.
  template <typename Entry, typename FrameOf = std::identity>
  StackId make(const std::vector<Entry>& leaf_first, FrameOf frame_of = {}) {
    size_t shared = 0;
    size_t limit = std::min(path_.size(), leaf_first.size());
    auto frame = [&](size_t depth) {
      return std::invoke(frame_of, leaf_first[leaf_first.size() - 1 - depth]);
    };
    while (shared < limit && path_[shared].frame == frame(shared)) {
      ++shared;
    }
    path_.resize(shared);
    StackId stack = path_.empty() ? kEmptyStack : path_.back().stack;
    for (size_t depth = shared; depth < leaf_first.size(); ++depth) {
      stack = builder_.stack(stack, frame(depth));
      path_.push_back({frame(depth), stack});
    }
    return stack;
  }

 private:
  struct Step {
    FrameId frame;
    StackId stack;
  };

  ProfileBuilder& builder_;
  std::vector<Step> path_;  // of the previous sample, root first
};

}  // namespace wick::perf_script
