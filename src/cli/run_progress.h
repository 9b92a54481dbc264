// Progress of runs that are repeated: one line on stderr, rewritten in place, with the run that is
// on, the median so far and the time left. Only on a terminal; wiped when the work ends.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

namespace wick {

class RunProgress {
 public:
  // `on`: whether to show anything at all, on top of there being a terminal.
  RunProgress(size_t runs, bool on);
  ~RunProgress();
  RunProgress(const RunProgress&) = delete;
  RunProgress& operator=(const RunProgress&) = delete;

  bool is_shown() const { return on_; }
  // To be called now and then while a run is on.
  void tick();
  void end_run(double seconds);

 private:
  using Clock = std::chrono::steady_clock;
  size_t runs_;
  bool on_;
  bool shown_ = false;
  Clock::time_point run_began_;
  Clock::time_point last_;
  std::vector<double> times_;
};

}  // namespace wick
