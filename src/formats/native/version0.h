// SPDX-License-Identifier: Apache-2.0
// Version 0 of the .wick file: the information that it stored differently. Its layout is that of
// version 1.
//
//   * Each point of a counter had its name and unit; now they are in a table of series.
//   * Some of today's fields were facts, sentences for people that programs parsed: the clock, the
//     kernel, where a process described its generated code, which modules have file offsets instead
//     of addresses, the length of a tick.
//   * Rows did not have a source.
//   * Only the name showed that a function's name was made from an address.
//
// Files of version 0 retain their meaning: this is the only code that parses facts.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "base/result.h"
#include "formats/native/columns.h"
#include "profile/profile.h"

namespace wick::native::version0 {

class Counters {
 public:
  // The points of a chunk. Adds series that do not exist yet.
  Result<std::vector<CounterPoint>> decode(PayloadReader& payload,
                                           uint32_t rows,
                                           IdVector<SeriesId, CounterSeries>& series);

 private:
  std::map<std::pair<StringId, StringId>, SeriesId> series_;  // by name and unit
};

// Converts facts to fields. Facts that were only for programs are removed.
void upgrade_facts(Profile& profile);

}  // namespace wick::native::version0
