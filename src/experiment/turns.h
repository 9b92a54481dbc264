// SPDX-License-Identifier: Apache-2.0
// Runs of one or several sides in turns: A B, B A, A B ...
//
// Turns keep what drifts (heat, other load) from looking like a difference; so does the order,
// which changes with each turn. Before the first turn each side is warmed up, and those runs do not
// count.
//
// There is one way to be stopped. Signals are held from before the first run until after the last
// one (record/held_signals.h). One that asks to end reaches the run that goes on, as every run
// passes it on; no other run starts then, and the turn that it interrupted does not count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/result.h"
#include "record/held_signals.h"

namespace wick {

struct TurnPlan {
  size_t sides = 1;
  uint64_t turns = 1;
  uint64_t warmups = 1;  // of each side
};

// Which run is to be made.
struct Turn {
  size_t side = 0;
  uint64_t number = 0;  // from 0, among the warm-ups or among the turns
  bool is_warmup = false;
};

struct TurnsEnd {
  uint64_t complete = 0;  // turns of which every side's run has ended
  int stopped_by = 0;     // a signal, or 0
};

// Makes one run; the result is the signal that stopped it, or 0. An Error ends all turns.
using MakeRun = std::function<Result<int>(const Turn& turn)>;

Result<TurnsEnd> run_in_turns(const TurnPlan& plan,
                              record::HeldSignals& signals,
                              const MakeRun& make);

// The signal that has asked to end since the last call, or 0.
int take_stop(record::HeldSignals& signals);

}  // namespace wick
