// SPDX-License-Identifier: Apache-2.0
// Records a command or running processes to a .wick file, a profile, or both.
//
//     capture::Request request = capture::request_to_run({"./server", "--once"});
//     request.path = "server.wick";
//     capture::Recording recording = TRY(capture::run(request));
//     if (!recording.ran) ...         // the command could not be executed; recording.status says why
//     use(recording.profile);         // with names; profile/profile.h shows how to read it
//
//     capture::request_to_attach({pid}) // a process that runs: until it ends, or duration_s is over
//     request.raw = "perf.data"       // also the kernel's records, for perf and other programs
//     request.session.duration_s = 5
//     request.session.launch.body     // a function; run in a fork of this process, with children
//
//     capture::run(request, {.window = show})   // the profile of each second, while it runs
//
// The file grows once a second. So a recording that is killed, or whose disk is full, loses no more
// than a second; acquire::read reads it in any state. run() returns when the target has ended or a
// signal has asked it to stop. It holds signals until the file is complete (record/session.h says
// which signals end what). If wick can no longer write the file, the recording ends, but the
// program continues and wick waits for it; then run() returns the Error. This folder does not
// print: sentences for people go to `Calls::print`, and about once a second the state of the
// recording goes to `Calls::status`. run() calls both in the thread of its caller.
//
// `Calls::window` runs on another thread, which also looks up the names. However long it takes, the
// recording does not wait: in the meantime, samples go into the next window.
#pragma once

#include <cerrno>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "capture/request.h"
#include "profile/profile.h"
#include "record/held_signals.h"
#include "record/session.h"

namespace wick::capture {

// The statuses that a shell returns for a program that could not be run, by the errno of execve.
inline constexpr int kCannotExecute = 126;
inline constexpr int kNotFound = 127;
constexpr int status_without_program(int exec_error) {
  return exec_error == ENOENT ? kNotFound : kCannotExecute;
}

struct Status {
  double seconds = 0;
  uint64_t samples = 0;
  double samples_per_second = 0;  // since the last call
  uint64_t lost = 0;
  double complete_share = 1;  // of the stacks so far
  uint64_t bytes = 0;         // of the file
  double own_cpu_share = 0;   // of one CPU, since the last call
};

struct Calls {
  std::function<void(const Status& status)> status = {};
  std::function<void(const std::string& sentence)> print = {};
  // Gets the samples since its last call, with names, about once a second: for live views and for
  // recordings without end, because memory is bounded by the window. Only without a file.
  //
  //     sum of all windows + Recording::profile = all samples
  std::function<void(Profile window)> window = {};
};

struct Recording {
  // Of the program, as a shell reports it; 0 if wick ended it as requested. Without a program's
  // end: 128 + the signal that ended the recording, or 0.
  int status = 0;
  bool ran = true;  // false: the program could not be executed, and `status` says why
  Profile profile;  // with names; if there are windows, the samples after the last one
  uint64_t bytes = 0;
  double complete_share = 1;  // of the stacks
  record::SessionEnd end;
  std::vector<std::string> notes;  // advice about the recording method
};

Result<Recording> run(const Request& request, const Calls& calls = {});
// For callers that hold signals over several runs.
Result<Recording> run(const Request& request, const Calls& calls, record::HeldSignals& signals);

}  // namespace wick::capture
