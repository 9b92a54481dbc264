// SPDX-License-Identifier: Apache-2.0
// Splits frames of generated code by time.
//
// A run-time compiler frees code and reuses its memory. A frame is an address without a time, so
// samples of the old and the new code share it until it is split:
//
//     before   app;0x7f0010                  at 5 ms and at 9 ms
//     after    app;parse_v1   at 5 ms        app;render   at 9 ms, which was loaded at 8 ms
//
// Samples without a time retain the frame. At the end, finish() rewrites the stacks, each as often
// as it was split (profile/map_stacks.h).
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "profile/profile.h"

namespace wick {

class ReusedCode {
 public:
  // `profile` must outlive it.
  explicit ReusedCode(Profile& profile) : profile_(profile) {}

  // From a time on, another frame replaces the frame. The first one also applies before its time.
  struct Since {
    int64_t time_ns = 0;
    FrameId frame;
  };
  // `since` ascends by time.
  void split(FrameId frame, std::vector<Since> since);
  // Rewrites the stacks, if anything was split.
  void finish();

 private:
  FrameId frame_at(FrameId frame, int64_t time_ns) const;
  uint64_t epoch_of(int64_t time_ns) const;
  // Whether a frame of the stack was split, by stack.
  std::vector<bool> split_stacks() const;

  Profile& profile_;
  std::unordered_map<uint32_t, std::vector<Since>> split_;  // by frame
  std::vector<int64_t> times_;                              // at which any frame changes
};

}  // namespace wick
