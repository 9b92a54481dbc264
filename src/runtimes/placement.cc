// SPDX-License-Identifier: Apache-2.0
#include "runtimes/placement.h"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace wick {
namespace {

using Agreement = Placement::Agreement;

// The evaluator that has no frame is the sampled function, or has called a helper at its start.
constexpr size_t kMaxHelpers = 2;

struct Counts {
  size_t evaluators = 0;
  size_t entries = 0;
  bool is_open = false;  // frames without an entry are left over
  size_t leafmost = 0;   // position of the first evaluator
  size_t outermost = 0;
};

Counts count(const NativeFrames& native, std::span<const InterpreterFrame> frames) {
  Counts counts;
  for (size_t at = 0; at < native.is_evaluator.size(); ++at) {
    if (native.is_evaluator[at] != 0) {
      counts.leafmost = counts.evaluators == 0 ? at : counts.leafmost;
      counts.outermost = at;
      ++counts.evaluators;
    }
  }
  counts.entries = static_cast<size_t>(std::ranges::count_if(frames, &InterpreterFrame::is_entry));
  counts.is_open = !frames.empty() && !frames.back().is_entry;
  return counts;
}

struct Match {
  Agreement agreement = Agreement::kNone;
  bool skips_leafmost = false;  // that evaluator has no frame yet
  bool starts_first = false;    // it has linked its frame, but not marked it yet
};

Match match(const Counts& counts,
            std::span<const InterpreterFrame> frames,
            bool native_is_cut,
            bool list_is_cut) {
  bool is_closed = !counts.is_open && !list_is_cut;
  if (is_closed && counts.evaluators == counts.entries) {
    return {.agreement = Agreement::kWhole};
  }
  if (is_closed && counts.evaluators == counts.entries + 1 && counts.leafmost <= kMaxHelpers) {
    // A frame that has not started has called nothing.
    bool starts = !frames.empty() && !frames.front().is_entry && frames.front().position == 0;
    return {.agreement = Agreement::kWhole, .skips_leafmost = !starts, .starts_first = starts};
  }
  // An evaluator runs the frames that are left over.
  size_t needed = counts.entries + (counts.is_open ? 1 : 0);
  bool may_agree =
      (native_is_cut && counts.evaluators <= needed && (list_is_cut || !counts.is_open)) ||
      (list_is_cut && counts.evaluators >= needed) || (native_is_cut && list_is_cut);
  return {.agreement = may_agree ? Agreement::kFromLeaf : Agreement::kNone};
}

class Order {
 public:
  Order(std::span<const InterpreterFrame> frames, size_t native_frames) : frames_(frames) {
    placed_.reserve(frames.size() + native_frames);
  }

  void add_native(size_t index) { placed_.push_back({true, static_cast<uint32_t>(index)}); }
  // The next frames, up to an entry.
  void add_up_to_entry() {
    while (next_ < frames_.size()) {
      bool is_entry = frames_[next_].is_entry;
      add_next();
      if (is_entry) {
        return;
      }
    }
  }
  void add_rest() {
    while (next_ < frames_.size()) {
      add_next();
    }
  }
  void add_next() {
    if (frames_[next_].code != 0) {
      placed_.push_back({false, static_cast<uint32_t>(next_)});
    }
    ++next_;
  }
  std::vector<Placement::Frame> take() { return std::move(placed_); }

 private:
  std::span<const InterpreterFrame> frames_;
  size_t next_ = 0;
  std::vector<Placement::Frame> placed_;
};

}  // namespace

Placement place_frames(const NativeFrames& native, const InterpreterFrames& interpreter) {
  Counts counts = count(native, interpreter.frames);
  Match matched = match(counts, interpreter.frames, native.is_cut, interpreter.is_cut);
  Order order(interpreter.frames, native.is_evaluator.size());
  for (size_t at = 0; at < native.is_evaluator.size(); ++at) {
    if (native.is_evaluator[at] == 0) {
      order.add_native(at);
      continue;
    }
    if (matched.agreement == Agreement::kNone) {
      if (at == counts.outermost) {
        order.add_rest();
      }
    } else if (matched.starts_first && at == counts.leafmost) {
      order.add_next();
    } else if (!matched.skips_leafmost || at != counts.leafmost) {
      order.add_up_to_entry();
    }
    order.add_native(at);
  }
  order.add_rest();
  return {.agreement = matched.agreement, .frames = order.take()};
}

}  // namespace wick
