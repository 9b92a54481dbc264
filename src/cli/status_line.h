// SPDX-License-Identifier: Apache-2.0
// One line on stderr that is rewritten while work goes on, and what is shown in it: reading a file,
// repeated runs. Only on a terminal; it is wiped when the work ends.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/progress.h"

namespace wick {

class StatusLine {
 public:
  // `on`: whether to show anything at all, on top of there being a terminal.
  explicit StatusLine(bool on = true);
  ~StatusLine() { wipe(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  bool is_on() const { return on_; }
  // False when less than `pause` has passed since it last returned true.
  bool is_due(std::chrono::milliseconds pause);
  // Cut where the terminal's line ends. Nothing happens where it is not on.
  void show(const std::string& text);
  void wipe();
  // A sentence that stays, terminal or not.
  void print(const std::string& sentence);

 private:
  using Clock = std::chrono::steady_clock;
  bool on_;
  bool shown_ = false;
  Clock::time_point last_ = Clock::now();
};

// A file that is read: nothing for the first second, then the share, the rate and the time left.
class ReadProgress : public Progress {
 public:
  explicit ReadProgress(const std::string& path);
  void report(uint64_t done, uint64_t total) override;

 private:
  using Clock = std::chrono::steady_clock;
  std::string path_;
  StatusLine line_;
  Clock::time_point start_ = Clock::now();
};

// Repeated runs: the number of the current one, the median so far and the time left.
class RunProgress {
 public:
  RunProgress(size_t runs, bool on) : runs_(runs), line_(on) {}

  bool is_on() const { return line_.is_on(); }
  // To be called several times a second during a run.
  void tick();
  void end_run(double seconds);

 private:
  using Clock = std::chrono::steady_clock;
  void show();

  size_t runs_;
  StatusLine line_;
  Clock::time_point run_began_ = Clock::now();
  std::vector<double> times_;
};

}  // namespace wick
