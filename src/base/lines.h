// SPDX-License-Identifier: Apache-2.0
// Lines of an Input, and of a text in memory.
//
// LineReader borrows a line if it is inside one block of the input and copies it only if it crosses
// two. It maps a plain file and gives back the pages that it has passed: that saves the copy that
// read() makes, and memory stays small.
//
// A line ends at LF; a CR before it is not part of the line. The last line may lack its LF. Lines
// longer than kMaxLineBytes are cut there and marked, so that a file without line ends cannot fill
// the memory.
#pragma once

#include <algorithm>
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
  bool has_end = true;    // false: the input ends inside this line, or its last LF is missing
};

// The text without the blanks around it.
inline std::string_view trimmed(std::string_view text) {
  size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

// Calls use(line) for each line of a text, without its LF.
template <typename Use>
void for_each_line(std::string_view text, Use use) {
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// Calls use(line) for each whole line in the first bytes of an input, without LF or CR LF. The end
// of the head may cut the last line; it counts only if the head is the whole input.
template <typename Use>
void for_each_line_of_head(std::string_view head, Use use) {
  bool is_cut = head.size() >= Input::kHeadBytes;
  head = is_cut ? head.substr(0, head.rfind('\n') + 1) : head;
  for_each_line(head, [&](std::string_view line) {
    use(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line);
  });
}

class LineReader {
 public:
  static constexpr size_t kMaxLineBytes = 64 << 20;

  explicit LineReader(Input& input) : input_(input), file_(input.map()) {}

  // The next line; nothing at the end, or if the input breaks off (see error()).
  std::optional<Line> next() {
    size_t end = carrying_ ? std::string_view::npos : block_.find('\n');
    if (end == std::string_view::npos) {
      return next_across_blocks();
    }
    std::string_view text = block_.substr(0, end);
    block_.remove_prefix(end + 1);
    return finish(text);
  }
  // Whether the next line starts with `first`, as far as the current block shows.
  bool next_starts_with(char first) const { return block_.starts_with(first); }
  // Why the input broke off; empty if it ended normally.
  const std::string& error() const { return error_; }

 private:
  static constexpr uint64_t kWindowBytes = 4 << 20;

  std::optional<Line> next_across_blocks();
  bool refill();
  bool refill_from_file();
  void carry(std::string_view piece);
  Line finish(std::string_view text, bool has_end = true) {
    if (text.ends_with('\r')) {
      text.remove_suffix(1);
    }
    Line line{text, ++number_, cut_, has_end};
    carrying_ = false;
    cut_ = false;
    return line;
  }

  Input& input_;
  const MappedFile* file_;  // null if the input is not a plain file
  uint64_t window_begin_ = 0;
  uint64_t window_end_ = 0;
  std::string_view block_;
  std::string carried_;  // start of a line that began in an earlier block
  bool carrying_ = false;
  bool cut_ = false;
  bool ended_ = false;
  uint64_t number_ = 0;
  std::string error_;
};

}  // namespace wick
