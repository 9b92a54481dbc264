// SPDX-License-Identifier: Apache-2.0
// The flags of the SVG view, read and checked once.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/flags.h"
#include "base/result.h"
#include "views/svg/colours.h"
#include "views/svg/perl_colours.h"

namespace wick {

// In multiples of the narrowest frame: a run has nothing to read, so it must be wider to be worth
// drawing, and gaps between runs need not be seen.
inline constexpr double kRunWidths = 3;
inline constexpr double kGapWidths = 5;

struct SvgOptions {
  uint32_t width = 1200;       // of the picture, in pixels
  uint32_t frame_height = 16;  // of a row, in pixels
  double min_width = 0.1;      // of a frame, in pixels or, with is_percent, in % of everything
  bool min_width_is_percent = false;
  uint32_t max_depth = 1000;  // rows
  bool max_depth_given = false;
  bool icicle = false;  // root on top
  ColourBy colour_by = ColourBy::kAuto;
  bool negate = false;
  std::string title;
  std::string subtitle;
  bool flamegraph_pl = false;
  bool name_hash = false;
  PerlPalette palette = PerlPalette::kHot;

  // The narrowest frame worth drawing where `total` takes `pixels`.
  double min_weight(double total, double pixels) const {
    return min_width_is_percent ? total * min_width / 100 : min_width / (pixels / total);
  }
  // "0.1 px"; a multiple of it for runs.
  std::string min_width_text(double times = 1) const;
};

Result<SvgOptions> svg_options(const FlagValues& flags);

}  // namespace wick
