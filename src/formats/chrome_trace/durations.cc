// SPDX-License-Identifier: Apache-2.0
#include "formats/chrome_trace/durations.h"

#include <algorithm>
#include <utility>

#include <malloc.h>

#include "profile/validate.h"

namespace wick::chrome_trace {

namespace {

// The queues consist of small blocks, which malloc retains. A trace of 400 MB took 415 MB until it
// returned them.
constexpr size_t kRowsBetweenTrims = size_t{1} << 18;

}  // namespace

void Durations::add(const RawSpan& span, ThreadId thread) {
  size_t row = thread.valid() ? thread.index() + 1 : 0;
  threads_.resize(std::max(threads_.size(), row + 1));
  threads_[row].add(span);
  ++span_count_;
  end_ns_ = std::max(end_ns_, span.time_ns + std::max<int64_t>(span.duration_ns, 0));
}

void Durations::add_async(const RawSpan& span, ThreadId thread, const std::string& key) {
  auto number = static_cast<uint32_t>(work_numbers_.size());
  async_.push_back({span, thread, work_numbers_.try_emplace(key, number).first->second});
  end_ns_ = std::max(end_ns_, span.time_ns);
}

void Durations::finish(bool are_weights) {
  if (are_weights) {
    event_ = builder_.event({.name = builder_.string("duration"),
                             .unit = builder_.string("nanoseconds"),
                             .kind = Quantity::kWallTime});
  }
  builder_.reserve_spans(span_count_ + async_.size());
  for (size_t row = 0; row < threads_.size(); ++row) {
    ThreadId thread = row == 0 ? ThreadId() : ThreadId::from_index(row - 1);
    add_thread(std::exchange(threads_[row], {}), thread, are_weights);
  }
  add_all_requests();
}

void Durations::add_thread(SpanQueue spans, ThreadId thread, bool are_weights) {
  SpanMatcher matcher(damage_);
  spans.drain([&](const RawSpan& span) { matcher.add(span, thread); });
  add_nested(matcher.finish(end_ns_), are_weights);
}

void Durations::add_all_requests() {
  std::ranges::stable_sort(
      async_, {}, [](const AsyncSpan& row) { return std::pair(row.work, row.span.time_ns); });
  for (size_t first = 0; first < async_.size();) {
    SpanMatcher matcher(damage_);
    size_t last = first;
    for (; last < async_.size() && async_[last].work == async_[first].work; ++last) {
      matcher.add(async_[last].span, async_[last].thread);
    }
    first = last;
    add_requests(matcher.finish(end_ns_));
  }
  async_ = {};
}

// Of two spans with the same begin, the longer one is the outer one.
void Durations::add_nested(std::deque<Interval> intervals, bool are_weights) {
  auto comes_first = [](const Interval& a, const Interval& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  };
  if (!std::ranges::is_sorted(intervals, comes_first)) {
    std::ranges::stable_sort(intervals, comes_first);
  }
  thread_ = intervals.empty() ? ThreadId() : intervals.front().thread;
  for (; !intervals.empty(); intervals.pop_front()) {
    if (++added_ % kRowsBetweenTrims == 0) {
      ::malloc_trim(0);
    }
    const Interval& interval = intervals.front();
    close_before(interval.begin_ns, are_weights);
    add_weight(interval.begin_ns, are_weights);
    cursor_ns_ = interval.begin_ns;
    SpanId parent = open_.empty() ? SpanId() : open_.back().span;
    damage_.overlaps += !open_.empty() && interval.end_ns > open_.back().end_ns ? 1U : 0U;
    StackId caller = open_.empty() ? kEmptyStack : open_.back().stack;
    StackId stack = are_weights ? builder_.stack(caller, frame_of(interval.name)) : kEmptyStack;
    SpanId span = add_span(interval, SpanKind::kRegion, parent);
    open_.push_back({interval.end_ns, stack, span});
  }
  close_before(INT64_MAX, are_weights);
}

void Durations::close_before(int64_t time_ns, bool are_weights) {
  while (!open_.empty() && open_.back().end_ns <= time_ns) {
    add_weight(open_.back().end_ns, are_weights);
    cursor_ns_ = std::max(cursor_ns_, open_.back().end_ns);
    open_.pop_back();
  }
}

// The innermost span has the time from the cursor on for itself.
void Durations::add_weight(int64_t until_ns, bool are_weights) {
  if (!are_weights || open_.empty() || until_ns <= cursor_ns_) {
    return;
  }
  uint64_t weight = static_cast<uint64_t>(until_ns) - static_cast<uint64_t>(cursor_ns_);
  if (weight >= kMaxTotalWeight - static_cast<uint64_t>(total_)) {
    ++damage_.weights;
    return;
  }
  total_ += static_cast<int64_t>(weight);
  builder_.add_sample({.time_ns = cursor_ns_,
                       .weight = static_cast<int64_t>(weight),
                       .count = 0,
                       .stack = open_.back().stack,
                       .thread = thread_,
                       .event = event_});
}

FrameId Durations::frame_of(StringId name) {
  return builder_.frame({.function = builder_.function({.name = name})});
}

SpanId Durations::add_span(const Interval& interval, SpanKind kind, SpanId parent) {
  return builder_.add_span({.begin_ns = interval.begin_ns,
                            .end_ns = interval.end_ns,
                            .thread = interval.thread,
                            .name = interval.name,
                            .kind = kind,
                            .parent = parent,
                            .labels = interval.labels});
}

void Durations::add_requests(const std::deque<Interval>& intervals) {
  std::vector<SpanId> spans;
  for (const Interval& interval : intervals) {
    SpanId parent = interval.below == Interval::kNone ? SpanId() : spans[interval.below];
    spans.push_back(add_span(interval, SpanKind::kRequest, parent));
  }
}

}  // namespace wick::chrome_trace
