// SPDX-License-Identifier: Apache-2.0
// Two events side by side: what each counted from one interrupt of a thread to the next.
//
// In a group of events (perf's '{cycles,instructions}:S') one event interrupts, and all are read: a
// reading has both numbers, of the same time. Events that are sampled each on their own give
// readings with one of the numbers; their sums are comparable only over many samples.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/statistics.h"
#include "profile/profile.h"

namespace wick {

struct Reading {
  int64_t begin_ns =
      0;               // of the reading before, of the same thread; its own time for the first one
  int64_t end_ns = 0;  // kNoTime: unknown
  double upper = 0;    // what was counted in that time: instructions
  double lower = 0;    // cycles
  size_t row = 0;      // of the sample
};

// "instructions/cycles": the names of two events of the profile.
struct EventRatio {
  std::string upper;
  std::string lower;
  bool is_ipc() const;
};

struct Readings {
  EventRatio ratio;
  std::vector<Reading> rows;  // in the order of the samples
  bool in_groups = false;     // every reading has both numbers
};

// The readings of the two events, which `text` names; empty text means instructions/cycles.
Result<Readings> read_events(const Profile& profile, std::string_view text);

// A ratio of sums, with its 95 % interval.
class RatioSum {
 public:
  void add(const Reading& reading);
  double upper() const { return upper_; }
  double lower() const { return lower_; }
  uint64_t readings() const { return count_; }
  double ratio() const;
  // Not numbers with fewer than two readings. In groups, from how readings deviate from the ratio;
  // else from the number of samples of each event.
  Interval interval(bool in_groups) const;

 private:
  double upper_ = 0;
  double lower_ = 0;
  double upper_squares_ = 0;
  double lower_squares_ = 0;
  double products_ = 0;
  uint64_t count_ = 0;
  uint64_t upper_count_ = 0;
  uint64_t lower_count_ = 0;
};

}  // namespace wick
