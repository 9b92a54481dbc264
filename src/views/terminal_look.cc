// SPDX-License-Identifier: Apache-2.0
#include "views/terminal_look.h"

#include <fmt/format.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "views/names.h"
#include "views/numbers.h"

namespace wick {
namespace {

constexpr std::string_view kIndent = "      ";  // as long as "Note: "

void add_wrapped(const std::string& sentence, size_t width, std::vector<std::string>& lines) {
  std::vector<std::string> added = wrapped_sentence(sentence, width);
  lines.insert(lines.end(), added.begin(), added.end());
}

}  // namespace

std::vector<std::string> wrapped_sentence(const std::string& sentence, size_t width) {
  if (width <= 2 * kIndent.size() || display_columns(sentence) <= width) {
    return {sentence};
  }
  std::vector<std::string> lines;
  // The first line has no indent, but all lines have the same maximal length.
  for (std::string_view line : wrapped_lines(sentence, width - kIndent.size())) {
    bool is_first = line.data() == sentence.data();
    lines.push_back(std::string(is_first ? "" : kIndent) + std::string(line));
  }
  return lines;
}

std::vector<std::string> opening_lines(const Report& report, size_t width, bool color) {
  std::vector<std::string> lines;
  for (const std::string& caution : report.cautions) {
    add_wrapped("Caution: " + terminal_text(caution), width, lines);
  }
  for (std::string& line : lines) {
    line = color ? fmt::format("\x1b[33m{}\x1b[0m", line) : line;
  }
  if (!lines.empty()) {
    lines.emplace_back();
  }
  return lines;
}

std::vector<std::string> closing_lines(const Report& report, size_t width) {
  std::vector<std::string> lines;
  for (const LossLine& loss : report.loss) {
    add_wrapped(loss_text(loss), width, lines);
  }
  for (const std::string& note : report.notes) {
    add_wrapped("Note: " + terminal_text(note), width, lines);
  }
  return lines;
}

}  // namespace wick
