// SPDX-License-Identifier: Apache-2.0
// The part that the views for terminals share: their flags, the shares from which numbers have a
// colour, and the last lines of an output. Listings and tables look the same because of it.
#pragma once

#include <string>
#include <vector>

#include "base/flags.h"
#include "report/report.h"

namespace wick {

inline constexpr double kHotShare = 0.10;
inline constexpr double kWarmShare = 0.02;

inline constexpr Flag kColorFlag = {"color",
                                    '\0',
                                    FlagKind::kChoice,
                                    "auto|always|never",
                                    "auto",
                                    "colour on a terminal only, always, never"};
inline constexpr Flag kWidthFlag = {"width",
                                    '\0',
                                    FlagKind::kInteger,
                                    "COLUMNS",
                                    "0",
                                    "line width, 0 for no limit (default: the terminal's)"};

// A sentence in lines of at most `width` columns (0: no limit), later lines indented.
std::vector<std::string> wrapped_sentence(const std::string& sentence, size_t width);
// Cautions, which come before everything else, and an empty line after them; none if there are
// none.
std::vector<std::string> opening_lines(const Report& report, size_t width, bool color);
// Loss and notes as whole sentences, broken at spaces to `width` columns (0: no limit).
std::vector<std::string> closing_lines(const Report& report, size_t width);

}  // namespace wick
