// SPDX-License-Identifier: Apache-2.0
#include "analyze/timeline/lane_depths.h"

#include <algorithm>
#include <unordered_map>

namespace wick {
namespace {

constexpr uint32_t kMostRows = 256;

}  // namespace

PlacedSpans place_spans(const Profile& profile, std::vector<size_t> rows) {
  std::ranges::sort(rows, [&](size_t a, size_t b) {
    const Span& left = profile.spans[a];
    const Span& right = profile.spans[b];
    if (left.begin_ns != right.begin_ns) {
      return left.begin_ns < right.begin_ns;
    }
    return end_of(left) != end_of(right) ? end_of(left) > end_of(right) : a < b;
  });
  PlacedSpans placed;
  std::vector<int64_t> ends;  // by depth: of the last span
  std::unordered_map<size_t, uint32_t> depths;
  for (size_t row : rows) {
    const Span& span = profile.spans[row];
    auto parent = span.parent.valid() ? depths.find(span.parent.index()) : depths.end();
    uint32_t depth = parent == depths.end() ? 0 : parent->second + 1;
    while (depth < ends.size() && ends[depth] > span.begin_ns) {
      ++depth;
    }
    if (depth >= kMostRows) {
      ++placed.left_out;
      continue;
    }
    ends.resize(std::max<size_t>(ends.size(), depth + 1), INT64_MIN);
    ends[depth] = end_of(span);
    depths[row] = depth;
    placed.spans.push_back({row, depth});
  }
  return placed;
}

}  // namespace wick
