// SPDX-License-Identifier: Apache-2.0
// The lines that `perf script --header` prints above the samples, and the lines that wick adds.
#pragma once

#include <array>
#include <string_view>

namespace wick::perf_script {

// Lines "# KEY : VALUE" that become facts, as perf and simpleperf spell them.
inline constexpr std::array<std::string_view, 12> kFactKeys = {"hostname",
                                                               "os release",
                                                               "perf version",
                                                               "arch",
                                                               "nrcpus online",
                                                               "cpudesc",
                                                               "total memory",
                                                               "cmdline",
                                                               "captured on",
                                                               "simpleperf_version",
                                                               "android_version",
                                                               "product_props"};

// wick writes this above samples without times. Other readers refuse such samples, so the time
// stamps below are made up and only show the order.
inline constexpr std::string_view kMadeUpTimes = "wick: the times are made up";

// wick writes this because its addresses are inside their instructions (callers.h).
inline constexpr std::string_view kNoReturnAddresses = "wick: callers stand at their calls";

// "wick: EVENT is in UNIT" above the samples: the unit of its periods, where the name of the event does
// not imply it.
inline constexpr std::string_view kUnitStart = "wick: ";
inline constexpr std::string_view kUnitMiddle = " is in ";

// The unit of printed periods.
inline std::string_view implied_unit(std::string_view event) {
  std::string_view base = event.substr(0, event.find(':'));  // "cpu-clock" of "cpu-clock:uhH"
  return base == "cpu-clock" || base == "task-clock" ? "nanoseconds" : event;
}

// Written if the thread is unknown, because other readers require a comm and a number.
inline constexpr std::string_view kUnknownProcess = "[unknown]";

}  // namespace wick::perf_script
