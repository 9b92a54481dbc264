// Lines of an Input, borrowed where they lie inside one block and copied only where they cross two.
//
// A line ends at LF; a CR before it is not part of the line. The last line needs no LF. Lines
// longer than kMaxLineBytes are cut there and marked, so that a file without line ends cannot fill
// the memory.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/input.h"

namespace wick {

struct Line {
  std::string_view text;  // borrowed until the next call
  uint64_t number = 0;    // from 1
  bool cut = false;       // longer than kMaxLineBytes
};

class LineReader {
 public:
  static constexpr size_t kMaxLineBytes = 64 << 20;

  explicit LineReader(Input& input) : input_(input) {}

  // The next line, or nothing at the end or when the input breaks off (see error()).
  std::optional<Line> next();
  // Why the input broke off; empty when it ended as it should.
  const std::string& error() const { return error_; }

 private:
  bool refill();
  void carry(std::string_view piece);
  Line finish(std::string_view text);

  Input& input_;
  std::string_view block_;
  std::string carried_;  // start of a line that began in an earlier block
  bool carrying_ = false;
  bool cut_ = false;
  bool ended_ = false;
  uint64_t number_ = 0;
  std::string error_;
};

}  // namespace wick
