// SPDX-License-Identifier: Apache-2.0
// When a recorder gives back the pages of files that it has read.
//
// wick looks into the files of all programs that it sees. In a recording of a machine, what it has
// read of them once would add up to gigabytes. It gives the pages back when they are many, and now
// and then. Some it cannot give back: those of its own program, and of the rings, which are tens of
// megabytes on a machine with many CPUs. They do not count, or it would give back all others every
// second, and read them again.
#pragma once

#include <cstddef>

namespace wick::capture {

class FilePages {
 public:
  // `resident` returns the bytes of files in memory.
  template <typename Resident>
  bool are_due(double seconds, Resident resident) const {
    double since = seconds - forgot_at_;
    return since >= kSecondsBetweenForgetting ||
           (since >= kSecondsBetweenChecks && resident() > remaining_ + kManyBytes);
  }
  // `remaining`: the bytes that it could not give back.
  void forgot(double seconds, size_t remaining) {
    forgot_at_ = seconds;
    remaining_ = remaining;
  }

 private:
  static constexpr size_t kManyBytes = 16 << 20;
  static constexpr double kSecondsBetweenChecks = 1;
  static constexpr double kSecondsBetweenForgetting = 10;

  double forgot_at_ = 0;
  size_t remaining_ = 0;
};

}  // namespace wick::capture
