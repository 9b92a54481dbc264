// SPDX-License-Identifier: Apache-2.0
#include "profile/profile.h"

namespace wick {

bool is_truncated(Ending ending) {
  return ending == Ending::kCopyTooShort || ending == Ending::kTooDeep ||
         ending == Ending::kSwitched || ending == Ending::kCopyCut;
}

bool is_broken(Ending ending) {
  return ending != Ending::kUnknown && ending != Ending::kComplete && !is_truncated(ending);
}

bool is_before_after(const Profile& profile) {
  return profile.events.size() == 2 &&
         profile.strings[profile.events[EventId(0)].name] == "after" &&
         profile.strings[profile.events[EventId(1)].name] == "before";
}

}  // namespace wick
