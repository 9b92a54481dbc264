// SPDX-License-Identifier: Apache-2.0
// The frames of a picture as boxes: their position, name and cost.
//
// Positions are in pixels (or percent) as rounded by the writer, or exact weights if the picture
// has them. `resolution` says how inexact a position may be. Boxes are in file order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_table.h"
#include "formats/flamegraph_svg/title.h"
#include "profile/builder.h"

namespace wick::flamegraph_svg {

struct Box {
  double start = 0;
  double width = 0;
  double y = 0;
  double amount = 0;    // the cost of the frame, in the title's unit, or exact
  double self = -1;     // its own cost, if the title has it; else -1
  double change = 0;    // of its own cost; only in differential pictures
  FrameId frame;        // none for the root and for runs
  bool is_all = false;  // named "all": may be the root
  bool is_run = false;  // wick's "12 frames below 0.3 px"
  bool hidden = false;  // not shown when the picture was saved
};

enum class Geometry : uint8_t { kPixels, kInferno, kWick };

// How wick chose the widths of a differential picture.
enum class Widths : uint8_t { kAfter, kBefore, kBoth };

struct Boxes {
  std::vector<Box> boxes;
  Geometry geometry = Geometry::kPixels;
  std::string unit;  // of the first title, or from wick's attributes
  bool differential = false;
  bool exact_change = false;  // changes are amounts, not rounded percentages
  Widths widths = Widths::kAfter;
  bool root_on_top = false;      // only if wick's picture says so
  bool is_marked_empty = false;  // the writer's "ERROR: No stack counts found"
  bool broke_off = false;        // the file ends inside the picture
  uint64_t titles = 0;           // all titles, of frames or not
  uint64_t unplaced = 0;         // titles of frames without a usable rectangle
  double resolution = 0;
  double titled_total = 0;  // the number in the title of "all"
};

Boxes find_boxes(std::string_view text, ProfileBuilder& builder);

}  // namespace wick::flamegraph_svg
