// SPDX-License-Identifier: Apache-2.0
// The foot of wick's own pictures: the legend from left to right, then the notes. Lines break at the
// picture's width.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "views/svg/colours.h"

namespace wick {

struct PictureFoot {
  std::string text;     // elements, from y = 0 on
  uint32_t height = 0;  // pixels
};

PictureFoot picture_foot(const std::vector<LegendEntry>& legend,
                         const std::vector<std::string>& notes,
                         uint32_t width);

}  // namespace wick
