// SPDX-License-Identifier: Apache-2.0
#include "formats/chrome_trace/span_matcher.h"

#include <algorithm>
#include <utility>

namespace wick::chrome_trace {

void SpanMatcher::add(const RawSpan& span, ThreadId thread) {
  if (span.time_ns != early_ns_) {
    early_ends_.clear();
    early_ns_ = span.time_ns;
  }
  if (span.is_end()) {
    end(span);
  } else {
    begin(span, thread);
  }
}

void SpanMatcher::begin(const RawSpan& span, ThreadId thread) {
  auto number = static_cast<uint32_t>(intervals_.size());
  intervals_.push_back({.begin_ns = span.time_ns,
                        .name = span.name,
                        .labels = span.labels,
                        .thread = thread,
                        .below = innermost()});
  if (span.is_whole()) {
    intervals_.back().end_ns = span.time_ns + span.duration_ns;
    return;
  }
  if (auto early = early_ends_.find(span.name.value);
      early != early_ends_.end() && early->second > 0) {
    --early->second;
    --damage_.ends;
    intervals_.back().end_ns = span.time_ns;
    return;
  }
  open_.push_back(number);
  open_by_name_[span.name.value].push_back(number);
}

void SpanMatcher::end(const RawSpan& span) {
  uint32_t number = span.name.empty() ? innermost() : last_open(span.name);
  if (number == Interval::kNone) {
    ++damage_.ends;
    ++early_ends_[span.name.value];
    return;
  }
  intervals_[number].end_ns = span.time_ns;
}

uint32_t SpanMatcher::innermost() {
  while (!open_.empty() && intervals_[open_.back()].end_ns != kNoTime) {
    open_.pop_back();
  }
  return open_.empty() ? Interval::kNone : open_.back();
}

uint32_t SpanMatcher::last_open(StringId name) {
  std::vector<uint32_t>& open = open_by_name_[name.value];
  while (!open.empty() && intervals_[open.back()].end_ns != kNoTime) {
    open.pop_back();
  }
  return open.empty() ? Interval::kNone : open.back();
}

std::deque<Interval> SpanMatcher::finish(int64_t end_ns) {
  for (Interval& interval : intervals_) {
    if (interval.end_ns == kNoTime) {
      ++damage_.begins;
      bool is_inside = interval.below != Interval::kNone;
      int64_t end = is_inside ? intervals_[interval.below].end_ns : end_ns;
      interval.end_ns = std::max(interval.begin_ns, end);
    }
  }
  return std::move(intervals_);
}

}  // namespace wick::chrome_trace
