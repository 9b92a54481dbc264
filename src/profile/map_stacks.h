// SPDX-License-Identifier: Apache-2.0
// Rewrites the stacks of a profile.
//
// A step that adds, hides or replaces frames makes a new tree of stacks. Then every reference to a
// stack must change: those of samples, and the two stacks of a span. This file does both, so no
// step forgets a column.
//
//     map_stacks       each old stack becomes one new stack
//     StackVersions    an old stack becomes several, one for each version (a time, a label)
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "profile/profile.h"

namespace wick {

template <typename Row>
consteval size_t stack_columns() {
  size_t columns = 0;
  for_each_column<Row>([&](const auto& column) {
    columns +=
        std::same_as<std::remove_cvref_t<decltype(column.of(std::declval<Row&>()))>, StackId>;
  });
  return columns;
}

// Replaces every reference to a stack by change(stack) or change(stack, time_ns). The time is when
// the thread had this stack; kNoTime if unknown.
template <typename Change>
void change_stack_references(Profile& profile, Change change) {
  static_assert(stack_columns<Sample>() == 1 && stack_columns<Span>() == 2 &&
                stack_columns<Mark>() == 0 && stack_columns<LossMoment>() == 0);
  auto changed = [&](StackId stack, int64_t time_ns) {
    if constexpr (std::invocable<Change&, StackId>) {
      return change(stack);
    } else {
      return change(stack, time_ns);
    }
  };
  if constexpr (std::invocable<Change&, StackId>) {
    profile.samples.stack.transform(change);
  } else {
    Column<StackId> column(kEmptyStack);
    for (size_t row = 0; row < profile.samples.size(); ++row) {
      column.push_back(changed(profile.samples.stack[row], profile.samples.time_ns[row]));
    }
    profile.samples.stack = std::move(column);
  }
  for (Span& span : profile.spans) {
    span.stack = changed(span.stack, span.begin_ns);
    span.waker_stack = changed(span.waker_stack, span.end_ns);
  }
}

// Replaces each stack by the result of add(stacks, parent, old): `parent` is the replacement of its
// parent, and `stacks` the interner of the new tree. The empty stack remains empty.
template <typename Add>
void map_stacks(Profile& profile, Add add) {
  StackInterner stacks;
  std::vector<StackId> moved(profile.stacks.size(), kEmptyStack);
  for (size_t row = 1; row < moved.size(); ++row) {
    StackId old = StackId::from_index(row);
    moved[row] = add(stacks, moved[profile.stacks.parent(old).index()], old);
  }
  change_stack_references(profile, [&](StackId stack) { return moved[stack.index()]; });
  profile.stacks = stacks.release();
}

// Copies of stacks, one for each version. It copies frames once that several stacks of a version
// share. It does not recurse.
class StackVersions {
 public:
  // The tree must outlive this object.
  explicit StackVersions(const StackTree& old) : old_(old) {}

  StackInterner& stacks() { return stacks_; }
  // Number of copied stacks.
  size_t size() const { return known_.size(); }

  // The copy of `stack` in a version. start_of(stack) returns the new stack for one that needs no
  // copy, or none; it must return one for the empty stack. frame_of(frame) is the replacement of a
  // frame in this version.
  template <typename StartOf, typename FrameOf>
  StackId copy(StackId stack, uint64_t version, StartOf start_of, FrameOf frame_of) {
    open_.clear();
    StackId now = start_of(stack);
    while (!now.valid()) {
      if (auto found = known_.find({stack, version}); found != known_.end()) {
        now = found->second;
      } else {
        open_.push_back(stack);
        stack = old_.parent(stack);
        now = start_of(stack);
      }
    }
    for (; !open_.empty(); open_.pop_back()) {
      now = stacks_.intern(now, frame_of(old_.frame(open_.back())));
      known_[{open_.back(), version}] = now;
    }
    return now;
  }

 private:
  struct Key {
    StackId stack;
    uint64_t version = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const {
      return static_cast<size_t>(hash_mix(key.stack.value, key.version));
    }
  };

  const StackTree& old_;
  StackInterner stacks_;
  std::unordered_map<Key, StackId, KeyHash> known_;
  std::vector<StackId> open_;
};

}  // namespace wick
