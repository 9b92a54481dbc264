// SPDX-License-Identifier: Apache-2.0
#include "record/output_tap.h"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>

#include "base/clock_text.h"
#include "base/helper_thread.h"
#include "record/machine.h"

namespace wick::record {
namespace {

constexpr size_t kMaxLineBytes = 64 * 1024;
constexpr size_t kMaxMarkBytes = 256;
constexpr int kWindowSizeMs = 200;
constexpr int kReaderMs = 50;
constexpr uint64_t kLastWordsNs = 1'000'000'000;

void copy_window_size(int from, int to) {
  winsize size = {};
  if (::ioctl(from, TIOCGWINSZ, &size) == 0) {
    ::ioctl(to, TIOCSWINSZ, &size);
  }
}

// A terminal in raw mode: it passes on the output unchanged, and the real terminal processes it.
// Has no ends if the system has no more terminals.
Pipe open_terminal(int like) {
  Pipe ends;
  ends.read = Descriptor(::open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
  int unlock = 0;
  if (!ends.read.valid() || ::ioctl(ends.read.get(), TIOCSPTLCK, &unlock) != 0) {
    return {};
  }
  ends.write = Descriptor(::ioctl(ends.read.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  termios settings = {};
  if (!ends.write.valid() || ::tcgetattr(like, &settings) != 0) {
    return {};
  }
  settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  ::tcsetattr(ends.write.get(), TCSANOW, &settings);
  copy_window_size(like, ends.read.get());
  return ends;
}

}  // namespace

bool look_at_line(std::string_view line, const OutputWatch& watch, Sighting& seen) {
  seen.stops = watch.stop_on != nullptr && watch.stop_on->matches(line);
  std::optional<Pattern::Match> found =
      watch.marker != nullptr ? watch.marker->find(line) : std::nullopt;
  if (found) {
    seen.text = found->whole.substr(0, kMaxMarkBytes);
    std::string_view clock = whole_clock(line, found->group);
    std::optional<double> value = parse_clock(clock);
    seen.has_value = value.has_value();
    seen.value = value.value_or(0);
    seen.unread = value ? "" : clock.substr(0, kMaxMarkBytes);
  }
  return seen.stops || found;
}

Result<std::unique_ptr<OutputTap>> OutputTap::open(const OutputWatch& watch,
                                                   const std::array<int, 2>& to) {
  std::unique_ptr<OutputTap> tap(new OutputTap(watch));
  TRY(tap->wake_.open());
  TRY(tap->ready_.open());
  TRY(tap->done_.open());
  TRY(tap->open_stream(tap->streams_[0], to[0]));
  TRY(tap->open_stream(tap->streams_[1], to[1]));
  return tap;
}

Result<> OutputTap::open_stream(Stream& stream, int to) {
  stream.to = to;
  Pipe ends;
  if (::isatty(to) == 1) {
    ends = open_terminal(to);
    stream.is_terminal = ends.write.valid();
  }
  if (!ends.write.valid()) {
    ends = TRY(make_pipe());
  }
  stream.from = std::move(ends.read);
  stream.program_end = std::move(ends.write);
  return {};
}

OutputTap::~OutputTap() {
  finish([](double) { return true; });
}

std::array<int, 2> OutputTap::program_ends() const {
  return {streams_[0].program_end.get(), streams_[1].program_end.get()};
}

Result<> OutputTap::start() {
  for (Stream& stream : streams_) {
    stream.program_end.close();
  }
  thread_ = TRY(try_start_helper_thread([this] { run(); }));
  return {};
}

void OutputTap::finish(const std::function<bool(double)>& gives_up) {
  if (!thread_.joinable()) {
    return;
  }
  uint64_t begin = monotonic_ns();
  give_up_ns_ = begin + kLastWordsNs;
  finishing_ = true;
  wake_.signal();
  while (!copied_ && !dropping_) {
    // Not ready_: it stays set as long as a sighting waits to be taken.
    pollfd wait{done_.get(), POLLIN, 0};
    ::poll(&wait, 1, kReaderMs);
    dropping_ = gives_up(static_cast<double>(monotonic_ns() - begin) / 1e9);
  }
  thread_.join();
}

// A pipe that is writable accepts PIPE_BUF bytes without blocking.
bool OutputTap::write_all(int to, std::string_view bytes) const {
  while (!bytes.empty() && !dropping_) {
    pollfd wait{to, POLLOUT, 0};
    if (::poll(&wait, 1, kReaderMs) <= 0) {
      continue;
    }
    ssize_t written = ::write(to, bytes.data(), std::min<size_t>(bytes.size(), PIPE_BUF));
    if (written > 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (written < 0 && errno != EINTR && errno != EAGAIN) {
      return false;
    }
  }
  return !dropping_;
}

std::vector<Sighting> OutputTap::take() {
  std::lock_guard lock(mutex_);
  ready_.clear();
  return std::move(seen_);
}

void OutputTap::run() {
  // The reader of wick's output may end. Then the program must get the error, as it would without
  // wick.
  sigset_t pipe_signal;
  ::sigemptyset(&pipe_signal);
  ::sigaddset(&pipe_signal, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe_signal, nullptr);
  while (streams_[0].from.valid() || streams_[1].from.valid()) {
    std::array<pollfd, 3> waits = {pollfd{streams_[0].from.get(), POLLIN, 0},
                                   pollfd{streams_[1].from.get(), POLLIN, 0},
                                   pollfd{finishing_ ? -1 : wake_.get(), POLLIN, 0}};
    int ready = ::poll(waits.data(), waits.size(), finishing_ ? 0 : kWindowSizeMs);
    if (finishing_ && (ready == 0 || monotonic_ns() > give_up_ns_)) {
      break;
    }
    for (size_t i = 0; i < streams_.size(); ++i) {
      if (waits[i].revents != 0) {
        copy(streams_[i]);
      }
    }
    follow_window_size();
  }
  for (Stream& stream : streams_) {
    if (!stream.line.empty()) {
      deliver(stream.line);
    }
    stream.from.close();
  }
  copied_ = true;
  ready_.signal();
  done_.signal();
}

void OutputTap::copy(Stream& stream) {
  std::array<char, 65536> buffer;
  ssize_t got = ::read(stream.from.get(), buffer.data(), buffer.size());
  if (got < 0 && errno == EINTR) {
    return;
  }
  if (got <= 0) {
    stream.from.close();  // a terminal reports EIO
    return;
  }
  std::string_view bytes(buffer.data(), static_cast<size_t>(got));
  look(stream, bytes);
  if (!write_all(stream.to, bytes)) {
    stream.from.close();
  }
}

void OutputTap::look(Stream& stream, std::string_view bytes) {
  while (!bytes.empty()) {
    size_t end = bytes.find('\n');
    stream.line += bytes.substr(0, end);
    if (end == std::string_view::npos && stream.line.size() < kMaxLineBytes) {
      return;
    }
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    deliver(stream.line);
    stream.line.clear();
  }
}

void OutputTap::deliver(std::string_view line) {
  while (line.ends_with('\r')) {
    line.remove_suffix(1);
  }
  Sighting seen{.time_ns = monotonic_ns(), .text = {}};
  if (!look_at_line(line, watch_, seen)) {
    return;
  }
  if (!seen.stops && ++marks_ > kMaxMarks) {
    ++dropped_;
    return;
  }
  {
    std::lock_guard lock(mutex_);
    seen_.push_back(std::move(seen));
  }
  ready_.signal();
}

void OutputTap::follow_window_size() {
  for (Stream& stream : streams_) {
    if (stream.is_terminal && stream.from.valid()) {
      copy_window_size(stream.to, stream.from.get());
    }
  }
}

}  // namespace wick::record
