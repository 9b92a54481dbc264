// SPDX-License-Identifier: Apache-2.0
// Turns the flags of `wick record` and `wick run` into a request for capture.
//
// plan_recording checks all flags. After it succeeded, only the machine can refuse the request, so
// a mistake in a flag never starts a program.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "capture/request.h"
#include "cli/command.h"

namespace wick {

struct RecordingPlan {
  capture::Request request;
  std::vector<std::string> notes;  // sentences for stderr, before the recording starts
  bool quiet = false;
};

// Flags of `record`, `run` and `stat`: which processes, and for how long.
inline constexpr Flag kPidFlag{
    "pid", 'p', FlagKind::kTexts, "PID|NAME,...", "", "running processes and their children"};
inline constexpr Flag kAllCpusFlag{
    .name = "all-cpus", .letter = 'a', .help = "everything running on this machine"};
inline constexpr Flag kDurationFlag{
    "duration", '\0', FlagKind::kNumber, "SECONDS", "", "stop after this time"};
inline constexpr Flag kPinFlag{
    "pin", '\0', FlagKind::kText, "CPUS", "", "run the command on these CPUs only"};
inline constexpr Flag kRerunFlag{
    "rerun",
    '\0',
    FlagKind::kInteger,
    "N",
    "0",
    "repeat up to N turns in which a run took far more or less time than the others"};

std::span<const Flag> recording_flags();
// For `record` only.
std::span<const Flag> overhead_flags();
Result<RecordingPlan> plan_recording(const Invocation& call);

// The CPUs of a flag such as --pin 0-3,8. An Error if one of them does not exist.
Result<std::vector<int>> cpu_list(const FlagValues& flags, std::string_view name);

}  // namespace wick
