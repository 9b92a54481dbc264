// SPDX-License-Identifier: Apache-2.0
// Writes counters as `perf stat -x` does, a line each, for scripts that read perf's output:
//
//     value, unit, event, [error of the mean,] time counted, part of the time, metric, its unit
//
// Times are in milliseconds. For events that could not be counted, wick prints the words that perf
// prints.
#pragma once

#include <string>
#include <string_view>

#include "experiment/stat/stat_report.h"

namespace wick {

std::string separated_text(const StatSide& side,
                           const StatOptions& options,
                           std::string_view separator);

}  // namespace wick
