// SPDX-License-Identifier: Apache-2.0
// Reports the progress of long operations. Libraries never print: they call this interface, and the
// cli folder shows rate and remaining time on stderr after the first second.
#pragma once

#include <cstdint>

namespace wick {

class Progress {
 public:
  virtual ~Progress() = default;
  // `done` of `total` bytes; total is 0 if unknown (a pipe).
  virtual void report(uint64_t done, uint64_t total) = 0;
};

}  // namespace wick
