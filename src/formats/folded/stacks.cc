// SPDX-License-Identifier: Apache-2.0
#include "formats/folded/stacks.h"

namespace wick::folded {

void StackStage::add_line(const LineBatch::Entry& line) {
  batch_.lines.push_back(line);
  if (batch_.frames.size() + batch_.lines.size() >= kFramesInBatch) {
    hand_over();
  }
}

void StackStage::rescale(int64_t factor) {
  hand_over();
  batch_.rescale = factor;
}

void StackStage::hand_over() {
  batch_ = worker_.exchange(std::move(batch_));
  batch_.lines.clear();
  batch_.frames.clear();
  batch_.rescale = 1;
}

void StackStage::finish() {
  hand_over();
  worker_.finish();
}

void StackStage::work(LineBatch& batch) {
  if (batch.rescale != 1) {
    builder_.multiply_weights(batch.rescale);
  }
  std::span<const FrameId> frames = batch.frames;
  for (const LineBatch::Entry& line : batch.lines) {
    path_.resize(line.shared);
    StackId stack = path_.empty() ? kEmptyStack : path_.back();
    for (FrameId frame : frames.first(line.new_frames)) {
      stack = builder_.stack(stack, frame);
      path_.push_back(stack);
    }
    frames = frames.subspan(line.new_frames);
    add_sample(stack, line.value, EventId(0));
    add_sample(stack, line.before, EventId(1));
  }
}

void StackStage::add_sample(StackId stack, int64_t weight, EventId event) {
  if (weight != 0) {  // 0 carries no information; common in differential files
    builder_.add_sample({.weight = weight, .stack = stack, .event = event});
  }
}

}  // namespace wick::folded
