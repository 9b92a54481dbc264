// SPDX-License-Identifier: Apache-2.0
// What all tracks of a picture share: the axis of time in pixels, rectangles, and gaps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"
#include "views/track_columns.h"

namespace wick {

inline constexpr uint32_t kSeriesHeight = 46;
inline constexpr uint32_t kSpanHeight = 15;
inline constexpr uint32_t kMarksHeight = 16;

// A track is drawn at its own origin: y is 0 at its top, and x is that of the picture.
struct TrackCanvas {
  uint32_t left = 0;  // pixels, where the axis begins
  TimeAxis axis;      // a column is a pixel

  double right() const { return left + static_cast<double>(axis.columns); }
  double x_of(int64_t time) const { return left + axis.column_of(time); }
};

void append_rect(
    std::string_view style, double x, double width, double y, double height, std::string& text);

// Hatches the times without data. Returns whether there are any inside the axis.
bool append_gaps(const TrackCanvas& canvas,
                 const std::vector<Gap>& gaps,
                 uint32_t height,
                 std::string& text);

// "main > work > wait", the innermost frames of a long stack.
std::string stack_text(const Tracks& tracks, uint32_t stack);

}  // namespace wick
