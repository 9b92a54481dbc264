// The title of a frame taken apart.
//
//     read (1,234 samples, 12.34%)              flamegraph.pl, inferno
//     read (1,234 samples, 12.34%; +1.20%)      differential: what the frame itself grew by
//     read (-2 sample weight, 2 samples, 0.65%) the first differential pictures
//     read (1,234 samples, 12.34 %)             wick; the second line says what else is known:
//     self 12 samples, own change +3 samples (+0.10 %), libc.so.6, kernel
#pragma once

#include <optional>
#include <string_view>

namespace wick::flamegraph_svg {

struct Title {
  std::string_view name;
  std::string_view unit;         // "samples"
  double amount = 0;             // as written: rounded where it is a time or a size
  std::optional<double> change;  // fraction of the whole
  // Of wick's second line; empty when there is none.
  bool tells_self = false;
  std::optional<double> self;           // only where it is a plain number
  std::optional<double> change_amount;  // likewise
  std::optional<double> before;         // of wick's differential pictures, with callees; likewise
  std::optional<double> after;
  std::string_view module;
  std::string_view kind;
};

// Nothing when it is not the title of a frame. The parts are borrowed.
std::optional<Title> parse_title(std::string_view text);

}  // namespace wick::flamegraph_svg
