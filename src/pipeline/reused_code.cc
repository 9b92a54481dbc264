#include "pipeline/reused_code.h"

#include <algorithm>

#include "base/hash.h"

namespace wick {
namespace {

// A stack as it was between two changes of any frame.
struct StackVersion {
  StackId stack;
  size_t epoch = 0;
  friend bool operator==(const StackVersion&, const StackVersion&) = default;
};
struct StackVersionHash {
  size_t operator()(const StackVersion& version) const {
    return static_cast<size_t>(hash_mix(version.stack.value, version.epoch));
  }
};

}  // namespace

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
  StackInterner stacks;
  std::vector<StackId> moved(profile_.stacks.size());
  moved[kEmptyStack.index()] = kEmptyStack;
  for (size_t row = 1; row < moved.size(); ++row) {
    StackId old = StackId::from_index(row);
    if (!is_split[row]) {
      moved[row] =
          stacks.intern(moved[profile_.stacks.parent(old).index()], profile_.stacks.frame(old));
    }
  }
  std::unordered_map<StackVersion, StackId, StackVersionHash> known;
  std::vector<StackId> open;
  auto version_at = [&](StackId stack, int64_t time_ns) {
    auto epoch = static_cast<size_t>(std::ranges::upper_bound(times_, time_ns) - times_.begin());
    // Without a time it is no epoch of any time.
    epoch = time_ns == kNoTime ? SIZE_MAX : epoch;
    open.clear();
    StackId at = stack;
    auto found = known.end();
    while (is_split[at.index()] && (found = known.find({at, epoch})) == known.end()) {
      open.push_back(at);
      at = profile_.stacks.parent(at);
    }
    StackId now = is_split[at.index()] ? found->second : moved[at.index()];
    for (; !open.empty(); open.pop_back()) {
      now = stacks.intern(now, frame_at(profile_.stacks.frame(open.back()), time_ns));
      known[{open.back(), epoch}] = now;
    }
    return now;
  };
  Column<StackId> column;
  for (size_t row = 0; row < profile_.samples.size(); ++row) {
    StackId stack = profile_.samples.stack[row];
    column.push_back(is_split[stack.index()] ? version_at(stack, profile_.samples.time_ns[row])
                                             : moved[stack.index()]);
  }
  profile_.samples.stack = std::move(column);
  profile_.stacks = stacks.release();
}

}  // namespace wick
