// SPDX-License-Identifier: Apache-2.0
// Examines the first lines of an input: whether it is folded text, and how many numbers a line has.
#include "base/input.h"
#include "base/lines.h"
#include "formats/folded/folded.h"
#include "formats/folded/line.h"

namespace wick::folded {
namespace {

struct Sight {
  size_t good = 0;
  size_t bad = 0;
};

// Counts the lines of the head that parse with this many columns.
Sight look(std::string_view head, Columns columns) {
  Sight sight;
  for_each_line_of_head(head, [&](std::string_view line) {
    if (!is_silent(line)) {
      (split_line(line, columns) ? sight.good : sight.bad) += 1;
    }
  });
  return sight;
}

}  // namespace

Columns choose_columns(std::string_view flag, Bytes head) {
  if (flag != "auto") {
    return flag == "2" ? Columns::kTwo : Columns::kOne;
  }
  Sight two = look(as_text(head), Columns::kTwo);
  // One truncated or damaged line among many does not make it another format.
  return two.good > 0 && two.bad * 50 <= two.good ? Columns::kTwo : Columns::kOne;
}

bool sniff(Bytes head) {
  std::string_view text = as_text(head);
  if (text.find('\0') != std::string_view::npos) {
    return false;
  }
  Sight sight = look(text, Columns::kOne);
  bool one_long_line = sight.good + sight.bad == 0 && text.size() >= Input::kHeadBytes &&
                       text.find('\n') == std::string_view::npos;
  if (one_long_line) {
    return text.find(';') != std::string_view::npos;
  }
  return sight.good > 0 && sight.good * 3 >= sight.bad;
}

}  // namespace wick::folded
