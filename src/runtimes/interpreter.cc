// SPDX-License-Identifier: Apache-2.0
#include "runtimes/interpreter.h"

#include <algorithm>

namespace wick {

uint32_t InterpretedCode::line_at(uint32_t position) const {
  auto after = std::ranges::upper_bound(lines, position, {}, &Line::begin);
  return after == lines.begin() ? 0 : std::prev(after)->line;
}

}  // namespace wick
