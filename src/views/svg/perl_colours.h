// SPDX-License-Identifier: Apache-2.0
// The colours that flamegraph.pl gives to names, exact to the last digit.
//
// A palette converts two numbers in [0, 1] into red, green and blue. The numbers come from the
// name:
//
//     by default     both: the first value of perl's drand48, seeded with the sum of the characters
//     name hash      from the first three characters of the name, and of the reversed name
//
// Some palettes only choose another palette by the name and its suffix (_[k], _[i], _[j], _[w]).
// wick stores the suffix as the kind of a frame.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace wick {

enum class PerlPalette {
  kHot,
  kMem,
  kIo,
  kWakeup,
  kChain,
  kJava,
  kJs,
  kPerl,
  kRed,
  kGreen,
  kBlue,
  kAqua,
  kYellow,
  kPurple,
  kOrange,
};

inline constexpr std::string_view kPerlPaletteChoices =
    "hot|mem|io|wakeup|chain|java|js|perl|red|green|blue|aqua|yellow|purple|orange";

Result<PerlPalette> perl_palette(std::string_view name);

// "kernel" becomes "_[k]"; empty for kinds that flamegraph.pl does not have.
std::string_view perl_suffix(std::string_view kind);

struct Rgb {
  int red = 255;
  int green = 255;
  int blue = 255;
};

// `name` includes its suffix.
Rgb perl_colour(PerlPalette palette, std::string_view name, bool name_hash);

// White at 0, red for more, blue for less. The colour is strongest at `largest`.
Rgb perl_delta_colour(double delta, double largest);

// The two ends of the background's gradient.
struct PerlBackground {
  std::string_view first;
  std::string_view second;
};
PerlBackground perl_background(PerlPalette palette);

}  // namespace wick
