// SPDX-License-Identifier: Apache-2.0
// Matches the begins and ends of one thread (or one asynchronous id), in the order of time.
// chrome_trace.h describes the rules. Each call takes constant time, whatever the depth.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

#include "formats/chrome_trace/damage.h"

namespace wick::chrome_trace {

// A begin, an end, or a whole span as it is in the trace. There can be many millions.
struct RawSpan {
  static constexpr int64_t kBegin = -1;
  static constexpr int64_t kEnd = -2;
  int64_t time_ns = 0;
  int64_t duration_ns = kBegin;  // of a whole span; kBegin, kEnd
  StringId name;
  LabelSetId labels = kNoLabels;
  bool is_whole() const { return duration_ns >= 0; }
  bool is_end() const { return duration_ns == kEnd; }
};

struct Interval {
  static constexpr uint32_t kNone = UINT32_MAX;
  int64_t begin_ns = 0;
  int64_t end_ns = kNoTime;  // while it is open
  StringId name;
  LabelSetId labels = kNoLabels;
  ThreadId thread;
  uint32_t below = kNone;  // the innermost open span when this one began
};

class SpanMatcher {
 public:
  explicit SpanMatcher(Damage& damage) : damage_(damage) {}

  // In the order of time. `thread`: of the span, if this begins one.
  void add(const RawSpan& span, ThreadId thread);
  // The intervals in the order of their begins. `end_ns`: the end of the trace.
  std::deque<Interval> finish(int64_t end_ns);

 private:
  void begin(const RawSpan& span, ThreadId thread);
  void end(const RawSpan& span);
  uint32_t innermost();
  uint32_t last_open(StringId name);

  Damage& damage_;
  std::deque<Interval> intervals_;
  std::vector<uint32_t> open_;  // some are closed already
  std::unordered_map<uint32_t, std::vector<uint32_t>> open_by_name_;
  // Ends without a begin at the time `early_ns_`: a begin of the same time may follow.
  std::unordered_map<uint32_t, uint64_t> early_ends_;
  int64_t early_ns_ = kNoTime;
};

}  // namespace wick::chrome_trace
