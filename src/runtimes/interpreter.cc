// SPDX-License-Identifier: Apache-2.0
#include "runtimes/interpreter.h"

#include <algorithm>

namespace wick {

std::string_view name_of(LockUse use) {
  switch (use) {
    case LockUse::kUnknown:
      return "";
    case LockUse::kHolds:
      return "holds";
    case LockUse::kHoldsAsked:
      return "holds, others ask";
    case LockUse::kOtherHolds:
      return "other holds";
    case LockUse::kFree:
      return "free";
  }
  return "";
}

uint32_t InterpretedCode::line_at(uint32_t position) const {
  auto after = std::ranges::upper_bound(lines, position, {}, &Line::begin);
  return after == lines.begin() ? 0 : std::prev(after)->line;
}

}  // namespace wick
