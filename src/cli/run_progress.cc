#include "cli/run_progress.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "base/statistics.h"
#include "cli/tty.h"
#include "views/numbers.h"

namespace wick {

RunProgress::RunProgress(size_t runs, bool on)
    : runs_(runs), on_(on && stderr_is_terminal()), run_began_(Clock::now()), last_(run_began_) {}

RunProgress::~RunProgress() {
  if (shown_) {
    std::fputs("\r\x1b[K", stderr);
  }
}

void RunProgress::tick() {
  using namespace std::chrono_literals;
  Clock::time_point now = Clock::now();
  if (!on_ || (shown_ && now - last_ < 100ms)) {
    return;
  }
  last_ = now;
  shown_ = true;
  std::string line = fmt::format("\r\x1b[Krun {} of {}", std::min(times_.size() + 1, runs_), runs_);
  if (!times_.empty()) {
    double typical = median(times_);
    double in_this = std::chrono::duration<double>(now - run_began_).count();
    double left = static_cast<double>(runs_ - times_.size()) * typical - std::min(in_this, typical);
    line += fmt::format(", {} each, about {:.0f} s left", weight_text(typical, "seconds"), left);
  }
  std::fputs(line.c_str(), stderr);
}

void RunProgress::end_run(double seconds) {
  times_.push_back(seconds);
  run_began_ = Clock::now();
  tick();
}

}  // namespace wick
