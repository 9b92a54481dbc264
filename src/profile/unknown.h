// SPDX-License-Identifier: Apache-2.0
// The values that mean "none" or "unknown" in the profile's rows. They are part of the .wick
// format.
#pragma once

#include <cstdint>
#include <limits>

#include "profile/ids.h"

namespace wick {

inline constexpr StackId kEmptyStack = StackId(0);
inline constexpr LabelSetId kNoLabels = LabelSetId(0);
inline constexpr uint16_t kNoCpu = std::numeric_limits<uint16_t>::max();
inline constexpr int64_t kNoTime = std::numeric_limits<int64_t>::min();

}  // namespace wick
