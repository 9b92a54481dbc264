// What `perf script --header` prints above the samples, and what wick adds to it.
#pragma once

#include <array>
#include <string_view>

namespace wick::perf_script {

// Lines "# KEY : VALUE" that are kept as facts, as perf and simpleperf spell them.
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

// Written by wick above samples that have no time, since other readers refuse such: the time stamps
// below only keep the order.
inline constexpr std::string_view kMadeUpTimes = "wick: the times are made up";

// Written by wick, whose addresses lie inside of their instructions (callers.h).
inline constexpr std::string_view kNoReturnAddresses = "wick: callers stand at their calls";

// Written where nobody knows who ran, since other readers want a comm and a number.
inline constexpr std::string_view kNobody = "[unknown]";

}  // namespace wick::perf_script
