// Flags of `wick record` and `wick run` to a plan: which session, into which files. Everything that
// can be wrong with them is said here, before anything runs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "record/session.h"

namespace wick {

struct RecordingPlan {
  record::SessionRequest session;
  std::vector<std::string> notes;  // sentences for stderr, before it starts
  std::string output;
  bool output_given = false;
  bool keeps_older = true;  // where no output was given: the file that is there already
  std::string raw;          // a perf.data to write besides, or empty
  bool quiet = false;
  bool keep_profile = false;  // the caller wants to show it
};

// What `record`, `run` and `stat` have in common: who is looked at, and for how long.
inline constexpr Flag kPidFlag{
    "pid", 'p', FlagKind::kTexts, "PID|NAME,...", "", "running processes and their children"};
inline constexpr Flag kAllCpusFlag{
    "all-cpus", 'a', FlagKind::kSwitch, "", "", "everything running on this machine"};
inline constexpr Flag kDurationFlag{
    "duration", '\0', FlagKind::kNumber, "SECONDS", "", "stop after this time"};
inline constexpr Flag kPinFlag{
    "pin", '\0', FlagKind::kText, "CPUS", "", "run the command on these CPUs only"};

std::span<const Flag> recording_flags();
// For `record` only.
std::span<const Flag> overhead_flags();
Result<RecordingPlan> plan_recording(const Invocation& call);

// CPUs of a flag such as --pin 0-3,8; each must be there.
Result<std::vector<int>> cpu_list(const FlagValues& flags, std::string_view name);
// Processes by number or name, separated by commas; each must be there.
Result<std::vector<int32_t>> find_processes(const std::string& text);

}  // namespace wick
