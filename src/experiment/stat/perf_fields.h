// SPDX-License-Identifier: Apache-2.0
// Counters as `perf stat -x` writes them, a line each, for scripts that read perf's:
//
//     value, unit, event, [error of the mean,] time counted, part of the time, metric, its unit
//
// Times are in milliseconds, and what could not be counted is said in perf's words.
#pragma once

#include <string>
#include <string_view>

#include "experiment/stat/stat_report.h"

namespace wick {

std::string separated_text(const StatSide& side,
                           const StatOptions& options,
                           std::string_view separator);

}  // namespace wick
