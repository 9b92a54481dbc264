// SPDX-License-Identifier: Apache-2.0
// Spans as tracks of a picture: boxes in rows by depth, in the colour of their name or their state.
// Neighbours narrower than a pixel become one box without a name, so the size of the picture depends
// on its width and not on the number of spans.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "views/svg/colours.h"
#include "views/svg/track_canvas.h"

namespace wick {

inline constexpr uint32_t kMostSpanDepth = 8;

class SpanShapes {
 public:
  // Both must live longer.
  SpanShapes(const Tracks& tracks, const TrackCanvas& canvas);

  void append(const SpanLane& lane, std::string& text);

  // The colours of names and states, and of joined spans if append() met some.
  std::vector<LegendEntry> legend() const;
  size_t deeper() const { return deeper_; }  // spans not drawn, below kMostSpanDepth

 private:
  // Neighbours that are narrower than a pixel.
  struct Run {
    double from = 0;
    double until = -1;
    size_t spans = 0;
    size_t first = 0;
  };

  std::string style_of(const SpanLane& lane, size_t span) const;
  std::string title_of(const SpanLane& lane, size_t span) const;
  void flush(const SpanLane& lane, uint32_t depth, Run& run, std::string& text);
  std::pair<double, double> extent_of(const SpanLane& lane, size_t span) const;
  std::unordered_map<size_t, std::string> box_labels(const SpanLane& lane) const;

  const Tracks& tracks_;
  const TrackCanvas& canvas_;
  std::vector<NameTime> names_;
  std::unordered_map<std::string, std::string> styles_;
  size_t deeper_ = 0;
  bool has_runs_ = false;
};

}  // namespace wick
