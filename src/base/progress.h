// How long work tells that it is alive. Libraries never print: they report to this interface, and
// the cli folder shows rate and remaining time on stderr once a second has passed.
#pragma once

#include <cstdint>

namespace wick {

class Progress {
 public:
  virtual ~Progress() = default;
  // `done` of `total` bytes; total is 0 when nobody knows it (a pipe).
  virtual void report(uint64_t done, uint64_t total) = 0;
};

}  // namespace wick
