// What the views for terminals share: their flags, and from which share on a number is coloured.
#pragma once

#include "base/flags.h"

namespace wick {

inline constexpr double kHot = 0.10;
inline constexpr double kWarm = 0.02;

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

}  // namespace wick
