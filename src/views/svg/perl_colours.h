// SPDX-License-Identifier: Apache-2.0
// The colours that flamegraph.pl gives to names, to the last digit.
//
// A palette turns one or three numbers in [0, 1] made from the name into red, green and blue. By
// default it is one number: the first that perl's drand48 gives when seeded with the sum of the
// name's characters. With a name hash there are two, from the first three characters of the name
// and of its reverse. Some palettes only choose between others by what the name looks like; they
// need the suffix (_[k], _[i], _[j],
// _[w]) that wick keeps as the kind of a frame.
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

// "_[k]" for "kernel", empty for kinds that flamegraph.pl does not know.
std::string_view perl_suffix(std::string_view kind);

struct Rgb {
  int red = 255;
  int green = 255;
  int blue = 255;
};

// `name` with its suffix.
Rgb perl_colour(PerlPalette palette, std::string_view name, bool name_hash);

// White at 0, red for more, blue for less; `largest` is where the colour is full.
Rgb perl_delta_colour(double delta, double largest);

// The two ends of the background's gradient.
struct PerlBackground {
  std::string_view first;
  std::string_view second;
};
PerlBackground perl_background(PerlPalette palette);

}  // namespace wick
