// SPDX-License-Identifier: Apache-2.0
#include "profile/profile.h"

namespace wick {

bool is_truncated(StackEnd ending) {
  return ending == StackEnd::kCopyTooShort || ending == StackEnd::kTooDeep ||
         ending == StackEnd::kSwitched || ending == StackEnd::kCopyCut ||
         ending == StackEnd::kOtherStack;
}

bool is_broken(StackEnd ending) {
  return ending != StackEnd::kUnknown && ending != StackEnd::kComplete && !is_truncated(ending);
}

bool is_before_after(const Profile& profile) {
  return profile.events.size() == 2 &&
         profile.strings[profile.events[EventId(0)].name] == "after" &&
         profile.strings[profile.events[EventId(1)].name] == "before";
}

}  // namespace wick
