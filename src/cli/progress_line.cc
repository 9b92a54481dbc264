#include "cli/progress_line.h"

#include <cstdio>

#include <fmt/format.h>

#include "base/escape.h"
#include "cli/tty.h"

namespace wick {

ProgressLine::ProgressLine(const std::string& what)
    : what_(terminal_text(what)),
      enabled_(stderr_is_terminal()),
      start_(Clock::now()),
      last_(start_) {}

ProgressLine::~ProgressLine() {
  if (shown_) {
    std::fputs("\r\x1b[K", stderr);
  }
}

void ProgressLine::report(uint64_t done, uint64_t total) {
  using std::chrono::duration;
  using namespace std::chrono_literals;
  Clock::time_point now = Clock::now();
  if (!enabled_ || now - start_ < 1s || now - last_ < 100ms) {
    return;
  }
  last_ = now;
  shown_ = true;
  double seconds = duration<double>(now - start_).count();
  double rate = static_cast<double>(done) / seconds;
  std::string line = fmt::format("\r\x1b[K{}: {:.0f} MB", what_, static_cast<double>(done) / 1e6);
  if (total > 0 && rate > 0) {
    double left = static_cast<double>(total - std::min(done, total)) / rate;
    line = fmt::format("\r\x1b[K{}: {:.0f} %, {:.0f} MB/s, {:.0f} s left",
                       what_,
                       100.0 * static_cast<double>(done) / static_cast<double>(total),
                       rate / 1e6,
                       left);
  }
  std::fputs(line.c_str(), stderr);
}

}  // namespace wick
