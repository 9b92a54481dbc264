// SPDX-License-Identifier: Apache-2.0
// Collects the spans of threads and of asynchronous work, and adds them to the profile at the end,
// when all are known: traces are not in the order of time.
//
// A trace can be larger than the memory. So the spans of a thread are a queue: each stage (match,
// nest, add) takes rows from the front of the previous one, whose memory is free then.
#pragma once

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/chrome_trace/span_matcher.h"
#include "formats/chrome_trace/span_queue.h"

namespace wick::chrome_trace {

class Durations {
 public:
  Durations(ProfileBuilder& builder, Damage& damage) : builder_(builder), damage_(damage) {}

  void add(const RawSpan& span, ThreadId thread);
  // `key`: what identifies the work.
  void add_async(const RawSpan& span, ThreadId thread, const std::string& key);
  bool empty() const { return span_count_ == 0 && async_.empty(); }

  // `are_weights`: the trace has no samples, so that durations become weights of stacks.
  void finish(bool are_weights);

 private:
  struct AsyncSpan {
    RawSpan span;
    ThreadId thread;
    uint32_t work;  // its number
  };
  struct Open {
    int64_t end_ns;
    StackId stack;
    SpanId span;
  };

  void add_thread(SpanQueue spans, ThreadId thread, bool are_weights);
  void add_nested(std::deque<Interval> intervals, bool are_weights);
  void add_all_requests();
  void add_requests(const std::deque<Interval>& intervals);
  void close_before(int64_t time_ns, bool are_weights);
  void add_weight(int64_t until_ns, bool are_weights);
  FrameId frame_of(StringId name);
  SpanId add_span(const Interval& interval, SpanKind kind, SpanId parent);

  ProfileBuilder& builder_;
  Damage& damage_;
  std::vector<SpanQueue> threads_;  // by thread; the first: without a thread
  size_t span_count_ = 0;
  size_t added_ = 0;  // spans of threads that are in the profile
  std::vector<AsyncSpan> async_;
  std::unordered_map<std::string, uint32_t> work_numbers_;
  int64_t end_ns_ = kNoTime;
  // While the intervals of a thread are nested.
  std::vector<Open> open_;
  int64_t cursor_ns_ = 0;  // everything before is in the profile
  ThreadId thread_;
  EventId event_;
  int64_t total_ = 0;
};

}  // namespace wick::chrome_trace
