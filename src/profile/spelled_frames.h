// SPDX-License-Identifier: Apache-2.0
// The number of frames of a profile if each of its rows lists its whole stack, instead of sharing
// callers in a tree.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.h"

namespace wick {

inline uint64_t spelled_frames(const Profile& profile) {
  std::vector<uint32_t> depths(profile.stacks.size());
  for (size_t row = 1; row < depths.size(); ++row) {
    depths[row] = depths[profile.stacks.parent(StackId::from_index(row)).index()] + 1;
  }
  uint64_t frames = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    frames += depths[profile.samples.stack[row].index()];
  }
  return frames;
}

}  // namespace wick
