// SPDX-License-Identifier: Apache-2.0
// Runs one or several sides in turns: A B, B A, A B ...
//
// Because sides alternate, slow drifts (heat, other load) do not look like a difference. The order
// within a turn alternates for the same reason. Before the first turn each side runs to warm up;
// these runs do not count.
//
// All stops work the same way. wick holds signals from before the first run until after the last
// one (record/held_signals.h). A signal that asks wick to end also reaches the current run, because
// every run passes it on. After that no run starts, and the interrupted turn does not count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/held_signals.h"

namespace wick {

struct TurnPlan {
  size_t sides = 1;
  uint64_t turns = 1;
  uint64_t warmups = 1;  // of each side
  uint64_t reruns = 0;   // at most, see FindDisturbed
};

// The next run to make.
struct Turn {
  size_t side = 0;
  uint64_t number = 0;  // from 0, among the warm-ups or among the turns
  bool is_warmup = false;
  bool is_rerun = false;  // replaces the run of this number
};

struct TurnsEnd {
  uint64_t complete = 0;  // turns in which the run of every side has ended
  int stopped_by = 0;     // a signal, or 0
  uint64_t rerun = 0;     // turns that were repeated
};

// Makes one run; the result is the signal that stopped it, or 0. An Error ends all turns.
using MakeRun = std::function<Result<int>(const Turn& turn)>;

// The numbers of the turns with a disturbed run. wick calls it after the last turn, and again after
// it has repeated these.
using FindDisturbed = std::function<std::vector<uint64_t>()>;

Result<TurnsEnd> run_in_turns(const TurnPlan& plan,
                              record::HeldSignals& signals,
                              const MakeRun& make,
                              const FindDisturbed& find_disturbed = {});

// "Stopped by SIGINT" and "Stopped by SIGINT after 2 of 5 runs": every verb uses these words.
// `what` is in the plural.
std::string stop_text(int signal);
std::string stop_text(int signal,
                      uint64_t complete,
                      uint64_t planned,
                      std::string_view what = "runs");

// The signal that has asked wick to end since the last call, or 0.
int take_stop(record::HeldSignals& signals);

}  // namespace wick
