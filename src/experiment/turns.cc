// SPDX-License-Identifier: Apache-2.0
#include "experiment/turns.h"

#include <cstring>
#include <optional>

namespace wick {
namespace {

// Makes one run of each side; returns the signal that stopped it, or 0.
Result<int> make_turn(const TurnPlan& plan,
                      Turn turn,
                      record::HeldSignals& signals,
                      const MakeRun& make) {
  for (size_t i = 0; i < plan.sides; ++i) {
    turn.side = (turn.number + i) % plan.sides;
    int stopped = TRY(make(turn));
    stopped = stopped != 0 ? stopped : take_stop(signals);
    if (stopped != 0) {
      return stopped;
    }
  }
  return 0;
}

}  // namespace

std::string stop_text(int signal) {
  const char* name = ::sigabbrev_np(signal);
  return name != nullptr ? fmt::format("Stopped by SIG{}", name)
                         : fmt::format("Stopped by signal {}", signal);
}

std::string stop_text(int signal, uint64_t complete, uint64_t planned, std::string_view what) {
  return fmt::format("{} after {} of {} {}", stop_text(signal), complete, planned, what);
}

int take_stop(record::HeldSignals& signals) {
  int stopped = 0;
  while (std::optional<record::HeldSignals::Received> received = signals.next()) {
    stopped = received->asks_to_end() ? received->number : stopped;
  }
  return stopped;
}

Result<TurnsEnd> run_in_turns(const TurnPlan& plan,
                              record::HeldSignals& signals,
                              const MakeRun& make,
                              const FindDisturbed& find_disturbed) {
  TurnsEnd end;
  for (uint64_t i = 0; i < plan.warmups && end.stopped_by == 0; ++i) {
    end.stopped_by = TRY(make_turn(plan, {.number = i, .is_warmup = true}, signals, make));
  }
  while (end.complete < plan.turns && end.stopped_by == 0) {
    end.stopped_by = TRY(make_turn(plan, {.number = end.complete}, signals, make));
    end.complete += end.stopped_by == 0 ? 1U : 0U;
  }
  while (end.rerun < plan.reruns && end.stopped_by == 0) {
    std::vector<uint64_t> disturbed = find_disturbed();
    if (disturbed.empty()) {
      break;
    }
    for (uint64_t number : disturbed) {
      if (end.rerun < plan.reruns && end.stopped_by == 0) {
        end.stopped_by = TRY(make_turn(plan, {.number = number, .is_rerun = true}, signals, make));
        ++end.rerun;
      }
    }
  }
  return end;
}

}  // namespace wick
