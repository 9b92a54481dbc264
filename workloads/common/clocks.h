// SPDX-License-Identifier: Apache-2.0
// The clocks with which a workload measures itself, in nanoseconds.
#pragma once

#include <cstdint>
#include <ctime>

#include <sys/resource.h>

namespace workloads {

inline int64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}
inline int64_t wall_ns() {
  return clock_ns(CLOCK_MONOTONIC);
}
inline int64_t thread_cpu_ns() {
  return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}
inline int64_t process_cpu_ns() {
  return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

// Context switches of this process so far: voluntary (it waited) or not.
struct Switches {
  int64_t voluntary = 0;
  int64_t involuntary = 0;

  Switches& operator+=(const Switches& more) {
    voluntary += more.voluntary;
    involuntary += more.involuntary;
    return *this;
  }
  Switches operator-(const Switches& earlier) const {
    return {voluntary - earlier.voluntary, involuntary - earlier.involuntary};
  }
};
inline Switches switches_so_far(int who = RUSAGE_SELF) {
  rusage usage{};
  getrusage(who, &usage);
  return {usage.ru_nvcsw, usage.ru_nivcsw};
}

}  // namespace workloads
