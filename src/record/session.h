// SPDX-License-Identifier: Apache-2.0
// One recording from start to end: the target, signals, time, and the reasons to end.
//
//     the program ends              the recording ends, with its status
//     SIGINT, SIGTERM, SIGHUP       with a program: wick passes the signal on to it (for Ctrl+C
//                                   the terminal has done so), and records until the program ends;
//                                   a second signal ends the recording at once. Without a program:
//                                   the recording ends
//     the processes of -p end       the recording ends
//     --duration, --stop-on         the recording ends; a program is ended with SIGTERM
//     the watcher (a full disk)     the recording ends; a program continues, and wick waits for it
//
// In all cases, all recorded samples are delivered.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/held_signals.h"
#include "record/launch.h"
#include "record/output_tap.h"
#include "record/processes.h"
#include "record/recorder.h"

namespace wick::record {

struct SessionRequest {
  RecorderRequest recorder;
  LaunchRequest launch;   // without a command nothing is launched
  double duration_s = 0;  // 0: until the target ends
  double delay_s = 0;     // time to wait before sampling
  OutputWatch watch;      // patterns to search in the program's output
};

struct SessionStatus {
  double seconds = 0;
  uint64_t samples = 0;
  uint64_t lost = 0;
};

class SessionWatcher {
 public:
  virtual ~SessionWatcher() = default;
  // Events are open, and the program has been executed.
  virtual void on_start() = 0;
  // Called several times a second, after a checkpoint. False: the recording must end (a full disk).
  virtual bool on_tick(const SessionStatus& status) = 0;
};

enum class EndReason : uint8_t { kTargetEnded, kSignal, kDuration, kWatcher, kOutput };

struct SessionEnd {
  EndReason reason = EndReason::kTargetEnded;
  std::optional<Child::End> child;  // none if there was no child, or it still runs
  int stopped_by = 0;               // a signal that asked to end, also if only the program got it
  // The attached processes that ended, and the seconds from the start of the recording.
  std::vector<std::pair<int32_t, double>> ended_targets;
  int exec_error = 0;  // errno if the program could not be executed
  double seconds = 0;
  double child_seconds = 0;  // from its first instruction to its end, as far as observed
  std::optional<double> stolen_seconds = {};  // by the host of this virtual machine, in that time
  // The CPU time that the kernel charges to the target for the recording; none if unknown.
  std::optional<CpuTime> cpu_time;
  std::optional<int64_t> sampled_ns;  // the same by the samples of a clock, with lost ones
  bool per_thread = false;
  bool sees_kernel = true;
  bool copies_whole_stacks = false;  // up to 254 KB, by a BPF program
  uint64_t samples = 0;
  uint64_t lost = 0;
};

// `launched` is the child of `request.launch` if the caller has launched it: a child with a body
// must be launched before this process starts threads.
Result<SessionEnd> run_session(const SessionRequest& request,
                               EventSink& sink,
                               SessionWatcher& watcher,
                               HeldSignals& signals,
                               std::optional<Child> launched = {});

}  // namespace wick::record
