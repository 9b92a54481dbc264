// SPDX-License-Identifier: Apache-2.0
// Parses the title of a frame.
//
//     read (1,234 samples, 12.34%)              flamegraph.pl, inferno
//     read (1,234 samples, 12.34%; +1.20%)      differential: the growth of the frame's own cost
//     read (-2 sample weight, 2 samples, 0.65%) the first differential pictures
//     read (1,234 samples, 12.34 %)             wick; a second line has more details:
//     self 12 samples, own change +3 samples (+0.10 %), libc.so.6, kernel
#pragma once

#include <optional>
#include <string_view>

namespace wick::flamegraph_svg {

struct Title {
  std::string_view name;
  std::string_view unit;         // "samples"
  double amount = 0;             // as written; rounded if it is a time or a size
  std::optional<double> change;  // fraction of the whole
  // From wick's second line; empty if there is none.
  bool reports_self = false;
  std::optional<double> self;           // only if it is a plain number
  std::optional<double> change_amount;  // likewise
  std::optional<double> before;         // of wick's differential pictures, with callees; likewise
  std::optional<double> after;
  std::string_view module;
  std::string_view kind;
};

// Nothing if it is not the title of a frame. The parts borrow from the text.
std::optional<Title> parse_title(std::string_view text);

}  // namespace wick::flamegraph_svg
