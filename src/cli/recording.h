// What `wick record` and `wick run` share: flags to a session, and a session to a file.
//
// The file grows while the program runs: once a second the rows that are new are appended, so that
// whatever kills wick costs at most that second. At the end names are added and it is closed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "pipeline/naming.h"
#include "profile/profile.h"
#include "record/session.h"

namespace wick {

// wick's own failure when a program was to be run; env and nice use the same numbers.
inline constexpr int kOwnFailure = 125;
inline constexpr int kCannotExecute = 126;
inline constexpr int kNotFound = 127;

struct RecordingPlan {
  record::SessionRequest session;
  std::vector<std::string> notes;  // sentences for stderr, before it starts
  std::string output;
  bool output_given = false;
  std::string raw;  // a perf.data to write besides, or empty
  bool quiet = false;
  bool keep_profile = false;  // the caller wants to show it
};

std::span<const Flag> recording_flags();
// For `record` only.
std::span<const Flag> overhead_flags();
Result<RecordingPlan> plan_recording(const Invocation& call);

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
