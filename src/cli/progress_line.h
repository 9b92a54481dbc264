// Progress on stderr: nothing for the first second, then one line that is rewritten in place with
// the share done, the rate and the time left. Only on a terminal; it is wiped when the work ends.
#pragma once

#include <chrono>
#include <string>

#include "base/progress.h"

namespace wick {

class ProgressLine : public Progress {
 public:
  explicit ProgressLine(const std::string& what);
  ~ProgressLine() override;
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void report(uint64_t done, uint64_t total) override;

 private:
  using Clock = std::chrono::steady_clock;
  std::string what_;
  bool enabled_;
  bool shown_ = false;
  Clock::time_point start_;
  Clock::time_point last_;
};

}  // namespace wick
