// SPDX-License-Identifier: Apache-2.0
#include "profile/shown_frames.h"

#include <algorithm>
#include <vector>

#include "profile/interpreted_samples.h"
#include "profile/map_stacks.h"

namespace wick {
namespace {

using Flags = std::vector<bool>;

// One flag for each stack: whether a sample or a span refers to it.
Flags used_stacks(Profile& profile) {
  Flags used(profile.stacks.size());
  change_stack_references(profile, [&](StackId stack) {
    used[stack.index()] = true;
    return stack;
  });
  return used;
}

// A function that an evaluator ran, and that is in its place between the native frames.
bool is_placed(const Frame& frame) {
  return (interpreted_marks(frame.origin, 0) & kPlacedMarks) != 0;
}

class MixedStacks {
 public:
  explicit MixedStacks(Profile& profile)
      : profile_(profile), outside_(profile.stacks.size()), stays_(used_stacks(profile)) {
    find_evaluators();
  }

  void rewrite() {
    map_stacks(profile_, [&](StackInterner& stacks, StackId parent, StackId old) {
      const Frame& frame = frame_of(old);
      StackId above = profile_.stacks.parent(old);
      if (is_evaluator_[old.index()]) {
        bool is_inlined = is_evaluator_[above.index()] && (frame.flags & kInlined) != 0;
        outside_[old.index()] = is_inlined ? outside_[above.index()] : parent;
        // A copy that nothing refers to would be a branch without cost.
        return stays_[old.index()] ? stacks.intern(parent, profile_.stacks.frame(old))
                                   : outside_[old.index()];
      }
      bool replaces = is_evaluator_[above.index()] && is_placed(frame);
      return stacks.intern(replaces ? outside_[above.index()] : parent, profile_.stacks.frame(old));
    });
  }

 private:
  const Frame& frame_of(StackId stack) const {
    return profile_.frames[profile_.stacks.frame(stack)];
  }

  // Parents precede children, so that one pass goes inwards, and one outwards.
  void find_evaluators() {
    const size_t size = profile_.stacks.size();
    is_evaluator_.resize(size);
    for (size_t row = 1; row < size; ++row) {
      StackId stack = StackId::from_index(row);
      uint8_t flags = frame_of(stack).flags;
      bool inside = is_evaluator_[profile_.stacks.parent(stack).index()];
      is_evaluator_[row] = (flags & kEvaluator) != 0 || (inside && (flags & kInlined) != 0);
    }
    for (size_t row = size; row-- > 1;) {
      StackId stack = StackId::from_index(row);
      bool is_inlined_evaluator = is_evaluator_[row] && (frame_of(stack).flags & kInlined) != 0;
      bool needs_parent = is_inlined_evaluator ? bool{stays_[row]} : !is_placed(frame_of(stack));
      if (needs_parent) {
        stays_[profile_.stacks.parent(stack).index()] = true;
      }
    }
  }

  Profile& profile_;
  std::vector<StackId> outside_;  // by stack of an evaluator: the new stack of its caller
  Flags is_evaluator_;            // by stack: its last frame, also if inlined into an evaluator
  Flags stays_;                   // by stack: not only functions of an evaluator follow it
};

void keep_functions(Profile& profile) {
  Flags used = used_stacks(profile);
  Flags has_functions(profile.stacks.size());
  FrameId native;
  auto native_code = [&] {
    if (!native.valid()) {
      StringId name = profile.strings.append(kNativeCode);
      native = profile.frames.push_back({.function = profile.functions.push_back({.name = name})});
    }
    return native;
  };
  // The unknown callers of a function, if they are directly outside of it.
  auto missing_callers = [&](StackInterner& stacks, StackId above) {
    bool is_missing = above != kEmptyStack &&
                      profile.frames[profile.stacks.frame(above)].origin == FrameOrigin::kMissing;
    return is_missing ? stacks.intern(kEmptyStack, profile.stacks.frame(above)) : kEmptyStack;
  };
  map_stacks(profile, [&](StackInterner& stacks, StackId parent, StackId old) {
    FrameId frame = profile.stacks.frame(old);
    StackId above = profile.stacks.parent(old);
    bool is_below = has_functions[above.index()];
    bool is_function = is_interpreted(profile.frames[frame].origin);
    has_functions[old.index()] = is_below || is_function;
    if (is_function) {
      return stacks.intern(is_below ? parent : missing_callers(stacks, above), frame);
    }
    return is_below            ? parent
           : used[old.index()] ? stacks.intern(kEmptyStack, native_code())
                               : kEmptyStack;
  });
}

void keep_native(Profile& profile) {
  map_stacks(profile, [&](StackInterner& stacks, StackId parent, StackId old) {
    FrameId frame = profile.stacks.frame(old);
    bool is_function = is_interpreted(profile.frames[frame].origin);
    return is_function ? parent : stacks.intern(parent, frame);
  });
}

}  // namespace

bool has_interpreted_frames(const Profile& profile) {
  return std::ranges::any_of(profile.frames,
                             [](const Frame& frame) { return is_interpreted(frame.origin); });
}

void show_frames(Profile& profile, ShownFrames shown) {
  if (shown == ShownFrames::kRecorded || !has_interpreted_frames(profile)) {
    return;
  }
  switch (shown) {
    case ShownFrames::kRecorded:
      break;
    case ShownFrames::kMixed:
      MixedStacks(profile).rewrite();
      break;
    case ShownFrames::kRuntime:
      keep_functions(profile);
      break;
    case ShownFrames::kNative:
      keep_native(profile);
      break;
  }
}

}  // namespace wick
