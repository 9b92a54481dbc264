// SPDX-License-Identifier: Apache-2.0
#include "cli/status_line.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/statistics.h"
#include "cli/tty.h"
#include "views/numbers.h"

namespace wick {
namespace {

using std::chrono::duration;
using namespace std::chrono_literals;

}  // namespace

StatusLine::StatusLine(bool on) : on_(on && stderr_is_terminal()) {}

bool StatusLine::is_due(std::chrono::milliseconds pause) {
  Clock::time_point now = Clock::now();
  bool due = now - last_ >= pause;
  last_ = due ? now : last_;
  return due;
}

void StatusLine::show(const std::string& text) {
  if (on_) {
    std::fprintf(stderr, "\r\x1b[K%s", text.substr(0, terminal_width(STDERR_FILENO) - 1).c_str());
    shown_ = true;
  }
}

void StatusLine::wipe() {
  if (shown_) {
    std::fputs("\r\x1b[K", stderr);
    shown_ = false;
  }
}

// As many blanks as the terminal has columns end at its right edge if the line was empty, and on
// the next line if it was not.
void StatusLine::leave_line() const {
  if (stderr_is_terminal()) {
    std::fprintf(stderr, "%s\r\x1b[K", std::string(terminal_width(STDERR_FILENO), ' ').c_str());
  }
}

void StatusLine::print(const std::string& sentence) {
  wipe();
  say(terminal_text(sentence));
}

// ---- Reading a file -----------------------------------------------------------------------------

ReadProgress::ReadProgress(const std::string& path) : path_(terminal_text(path)) {}

void ReadProgress::report(uint64_t done, uint64_t total) {
  double seconds = duration<double>(Clock::now() - start_).count();
  if (!line_.is_on() || seconds < 1 || !line_.is_due(100ms)) {
    return;
  }
  double rate = static_cast<double>(done) / seconds;
  if (total == 0 || !(rate > 0)) {
    line_.show(fmt::format("{}: {:.0f} MB", path_, static_cast<double>(done) / 1e6));
    return;
  }
  line_.show(fmt::format("{}: {:.0f} %, {:.0f} MB/s, {:.0f} s left",
                         path_,
                         100.0 * static_cast<double>(done) / static_cast<double>(total),
                         rate / 1e6,
                         static_cast<double>(total - std::min(done, total)) / rate));
}

// ---- Downloading debug files --------------------------------------------------------------------

void DownloadProgress::show(size_t done, size_t files) {
  if (done >= files) {
    line_.wipe();
  } else if (Clock::now() - start_ >= 1s && line_.is_due(100ms)) {
    line_.show(fmt::format("debuginfod: {} of {} debug files", done, files));
  }
}

// ---- Repeated runs ------------------------------------------------------------------------------

void RunProgress::tick() {
  if (line_.is_due(100ms)) {
    show();
  }
}

void RunProgress::end_run(double seconds) {
  times_.push_back(seconds);
  run_began_ = Clock::now();
  show();
}

void RunProgress::show() {
  std::string text = fmt::format("run {} of {}", std::min(times_.size() + 1, runs_), runs_);
  if (!times_.empty()) {
    double typical = median(times_);
    double in_this = duration<double>(Clock::now() - run_began_).count();
    // Runs that are repeated come on top.
    auto to_do = static_cast<double>(runs_ - std::min(runs_, times_.size()));
    double left = std::max(0.0, to_do * typical - std::min(in_this, typical));
    text += fmt::format(", {} each, about {:.0f} s left", weight_text(typical, "seconds"), left);
  }
  line_.show(text);
}

}  // namespace wick
