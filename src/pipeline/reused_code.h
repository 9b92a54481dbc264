// Splits frames of generated code by time.
//
// A run-time compiler throws code away and uses its place again. A frame is an address and knows no
// time, so that samples of the old code and of the new one share it until somebody tells them
// apart:
//
//     before   app;0x7f0010                  at 5 ms and at 9 ms
//     after    app;parse_v1   at 5 ms        app;render   at 9 ms, which was loaded at 8 ms
//
// Samples without a time keep the frame as it is. Last, the stacks are written anew, each as often
// as it was split.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "profile/profile.h"

namespace wick {

class ReusedCode {
 public:
  // Must outlive it.
  explicit ReusedCode(Profile& profile) : profile_(profile) {}

  // From a time on, a frame stands for another one. The first counts before its time, too.
  struct Since {
    int64_t time_ns = 0;
    FrameId frame;
  };
  // `since` ascends by time.
  void split(FrameId frame, std::vector<Since> since);
  // Writes the stacks anew, if anything was split.
  void finish();

 private:
  FrameId frame_at(FrameId frame, int64_t time_ns) const;
  // Whether a frame of the stack was split, by stack.
  std::vector<bool> split_stacks() const;

  Profile& profile_;
  std::unordered_map<uint32_t, std::vector<Since>> split_;  // by frame
  std::vector<int64_t> times_;                              // at which any frame changes
};

}  // namespace wick
