// SPDX-License-Identifier: Apache-2.0
// The second stage of reading folded text, on its own thread: frames to stacks and samples.
//
// Splitting lines and naming frames costs about as much as finding each stack in the tree. The two
// stages are independent, so they run in parallel: a million unsorted stacks are read in 0.6 of the
// time. The first stage writes the builder's names and frames, this stage its stacks and samples.
// They share only the batches.
#pragma once

#include <vector>

#include "base/batch_worker.h"
#include "profile/builder.h"

namespace wick::folded {

// Lines in a form that does not need the text any more.
struct LineBatch {
  struct Entry {
    uint32_t shared = 0;      // frames in common with the previous line
    uint32_t new_frames = 0;  // frames after those
    int64_t value = 0;
    int64_t before = 0;  // 0 unless there are two columns
  };
  std::vector<Entry> lines;
  std::vector<FrameId> frames;  // the new frames of all lines
  int64_t rescale = 1;          // multiply all earlier weights by this first
};

class StackStage {
 public:
  explicit StackStage(ProfileBuilder& builder)
      : builder_(builder), worker_([this](LineBatch& batch) { work(batch); }) {}

  void add_frame(FrameId frame) { batch_.frames.push_back(frame); }
  // Ends a line. Its new frames must have been added.
  void add_line(const LineBatch::Entry& line);
  // Later weights are in units `factor` times finer than all weights so far.
  void rescale(int64_t factor);
  // The builder is complete after this.
  void finish();

 private:
  static constexpr size_t kFramesInBatch = 1 << 15;

  void hand_over();
  void work(LineBatch& batch);
  void add_sample(StackId stack, int64_t weight, EventId event);

  ProfileBuilder& builder_;
  LineBatch batch_;
  std::vector<StackId> path_;  // used by the worker: the stack at each frame of the previous line
  BatchWorker<LineBatch> worker_;
};

}  // namespace wick::folded
