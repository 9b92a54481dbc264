// SPDX-License-Identifier: Apache-2.0
// Names of events with units. Callgrind's format has no units; other programs write them into the
// name:
//
//     Ir                instructions: valgrind's own names have none
//     cpu(ms)           pprof
//     Time_(10ns)       Xdebug: each count is 10 ns
//     samples(1/1000)   wick: weights with decimals are counts of parts of the unit
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "profile/profile.h"

namespace wick::callgrind {

struct EventText {
  std::string name;
  std::string unit;
  int64_t factor = 1;  // of the numbers in the file
  uint32_t scale = 1;  // of the event
  Quantity kind = Quantity::kUnknown;
};

EventText parse_event(std::string_view text);
// Without blanks; the reverse of parse_event().
std::string event_text(const Profile& profile, const Event& event);

}  // namespace wick::callgrind
