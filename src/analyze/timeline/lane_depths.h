// SPDX-License-Identifier: Apache-2.0
// The rows of a lane in which spans are drawn, so that those of one row do not overlap. A span is
// below the spans that it began within, and below its parent.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.h"

namespace wick {

struct PlacedSpan {
  size_t row = 0;  // of the profile's spans
  uint32_t depth = 0;
};

struct PlacedSpans {
  std::vector<PlacedSpan> spans;  // in the order of time
  size_t left_out = 0;            // more of them overlap than a lane has rows
};

// `rows` are the spans of one lane, in any order.
PlacedSpans place_spans(const Profile& profile, std::vector<size_t> rows);

// The end of a span, which is not before its begin.
inline int64_t end_of(const Span& span) {
  return span.end_ns > span.begin_ns ? span.end_ns : span.begin_ns;
}

}  // namespace wick
