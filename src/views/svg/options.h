// SPDX-License-Identifier: Apache-2.0
// The flags of the SVG view. svg_options reads and checks them once, so both forms of the picture
// use valid numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/flags.h"
#include "base/result.h"
#include "views/svg/colours.h"
#include "views/svg/perl_colours.h"

namespace wick {

// In multiples of the narrowest frame. A run has no label, so it must be wider to be worth drawing,
// and small gaps between runs are not important.
inline constexpr double kRunWidths = 3;
inline constexpr double kGapWidths = 5;

struct SvgOptions {
  uint32_t width = 1200;       // of the picture, in pixels
  uint32_t frame_height = 16;  // of a row, in pixels
  double min_width = 0.1;  // of a frame, in pixels, or in % of the total if min_width_is_percent
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

  // The smallest weight that the picture draws, if `total` is `pixels` wide.
  double min_weight(double total, double pixels) const {
    return min_width_is_percent ? total * min_width / 100 : min_width / (pixels / total);
  }
  // "0.1 px"; a multiple of it for runs.
  std::string min_width_text(double times = 1) const;
};

Result<SvgOptions> svg_options(const FlagValues& flags);

}  // namespace wick
