// SPDX-License-Identifier: Apache-2.0
#include "mcp/transport.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <unistd.h>

#include "mcp/message.h"

namespace wick::mcp {
namespace {

Result<> write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) {
      return fail("Cannot answer the client: {}.", std::strerror(errno));
    }
    bytes.remove_prefix(written < 0 ? 0 : static_cast<size_t>(written));
  }
  return {};
}

// A client that has gone must be an error of write(), not a signal.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~WithoutPipeSignal() { std::signal(SIGPIPE, before_); }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;

 private:
  void (*before_)(int);
};

}  // namespace

bool LineReader::read_more() {
  std::array<char, 1 << 16> block;
  ssize_t got = 0;
  do {
    got = ::read(descriptor_, block.data(), block.size());
  } while (got < 0 && errno == EINTR);
  if (got > 0) {
    buffer_.append(block.data(), static_cast<size_t>(got));
  }
  return got > 0;
}

std::optional<Line> LineReader::next() {
  Line line;
  for (bool more = true;;) {
    size_t end = buffer_.find('\n', searched_);
    if (end == std::string::npos && more) {
      if (buffer_.size() > kLongestMessage) {
        line.is_too_long = true;
        buffer_.clear();
      }
      searched_ = buffer_.size();
      more = read_more();
      continue;
    }
    if (end == std::string::npos && buffer_.empty() && !line.is_too_long) {
      return {};
    }
    if (!line.is_too_long) {
      line.text = buffer_.substr(0, end);
    }
    buffer_.erase(0, end == std::string::npos ? end : end + 1);
    searched_ = 0;
    return line;
  }
}

Result<> serve(Server& server, int input, int output) {
  WithoutPipeSignal guard;
  LineReader lines(input);
  while (std::optional<Line> line = lines.next()) {
    std::string answer =
        line->is_too_long ? server.answer_to_long_line() : server.answer(line->text);
    if (!answer.empty()) {
      TRY(write_all(output, answer + "\n"));
    }
  }
  return {};
}

}  // namespace wick::mcp
