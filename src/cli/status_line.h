// SPDX-License-Identifier: Apache-2.0
// One line on stderr that wick rewrites while it works: StatusLine is the line; ReadProgress,
// DownloadProgress and RunProgress compute its text.
//
// Only a terminal shows the line, and wick erases it when the work ends. So logs and pipes never
// contain it.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/progress.h"

namespace wick {

class StatusLine {
 public:
  // `on`: whether to show the line if stderr is a terminal.
  explicit StatusLine(bool on = true);
  ~StatusLine() { wipe(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  bool is_on() const { return on_; }
  // Returns false if it last returned true less than `pause` ago.
  bool is_due(std::chrono::milliseconds pause);
  // Cuts the text at the terminal's width. Does nothing if the line is off.
  void show(const std::string& text);
  void wipe();
  // Another program may have written to the terminal without a line end: continues on a new line.
  void leave_line() const;
  // Prints a sentence that remains visible, also without a terminal.
  void print(const std::string& sentence);

 private:
  using Clock = std::chrono::steady_clock;
  bool on_;
  bool shown_ = false;
  Clock::time_point last_ = Clock::now();
};

// Progress of reading a file: nothing in the first second, then the share, the rate and the time
// left.
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

// Progress of downloading debug files: nothing in the first second, then the number of files.
class DownloadProgress {
 public:
  void show(size_t done, size_t files);

 private:
  using Clock = std::chrono::steady_clock;
  StatusLine line_;
  Clock::time_point start_ = Clock::now();
};

// Progress of repeated runs: the current run's number, the median so far and the time left.
class RunProgress {
 public:
  RunProgress(size_t runs, bool on) : runs_(runs), line_(on) {}

  bool is_on() const { return line_.is_on(); }
  // Call it several times a second during a run.
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
