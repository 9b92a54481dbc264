// What `wick record` and `wick run` share: a plan (recording_plan.h) carried out, into a file
// (recording_file.h) that grows once a second while the program runs, with a status line for
// people.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/recording_plan.h"
#include "profile/profile.h"
#include "record/session.h"

namespace wick {

// wick's own failure when a program was to be run; env and nice use the same numbers.
inline constexpr int kOwnFailure = 125;
inline constexpr int kCannotExecute = 126;
inline constexpr int kNotFound = 127;

struct Recorded {
  int status = 0;
  std::string path;
  Profile profile;  // when it was to be kept
  bool has_profile = false;
  record::SessionEnd end;
};
// Records, and says on stderr what came of it.
Result<Recorded> record_to_file(const RecordingPlan& plan);

}  // namespace wick
