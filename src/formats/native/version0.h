// Version 0 of the .wick file: what it said in another way. Its layout is that of version 1.
//
//   * Each point of a counter had its name and unit; now they are in a table of series.
//   * Some of what is now a field was a fact, a sentence for people that programs took apart: the
//     clock, the kernel, where a process described its generated code, which modules have offsets
//     of the file instead of addresses, the length of a tick.
//   * Rows said nothing about where they come from.
//   * That a function's name was made from an address showed in the name alone.
//
// Files of version 0 mean what they meant: this is the only code that takes facts apart.
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
  // The points of a chunk; series that are not there yet are added.
  Result<std::vector<CounterPoint>> decode(PayloadReader& payload,
                                           uint32_t rows,
                                           IdVector<SeriesId, CounterSeries>& series);

 private:
  std::map<std::pair<StringId, StringId>, SeriesId> series_;  // by name and unit
};

// Turns facts into fields. Facts that were for programs only are removed.
void upgrade_facts(Profile& profile);

}  // namespace wick::native::version0
