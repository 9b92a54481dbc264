// SPDX-License-Identifier: Apache-2.0
#include "base/flag_help.h"

#include <fmt/format.h>

namespace wick {
namespace {

constexpr size_t kFlagColumn = 28;
constexpr size_t kLineWidth = 80;

std::string flag_usage(const Flag& flag) {
  std::string text = flag.letter == '\0' ? "    " : fmt::format("-{}, ", flag.letter);
  text += fmt::format("--{}", flag.name);
  // The help text contains long lists of choices.
  bool short_value = flag.value.size() <= 16;
  if (flag.kind == FlagKind::kOptional) {
    text += fmt::format("[={}]", flag.value);
  } else if (flag.kind != FlagKind::kSwitch) {
    text += fmt::format(" {}", short_value ? flag.value : "WHAT");
  }
  return text;
}

std::string flag_line(const Flag& flag) {
  std::string usage = flag_usage(flag);
  std::string help(flag.help);
  if (flag.value.size() > 16 && flag.value.find('|') != std::string_view::npos) {
    help += fmt::format(": {}", flag.value);
  }
  if (!flag.fallback.empty() && flag.fallback != "0") {
    help += fmt::format(" [{}]", flag.fallback);
  }
  std::string gap = usage.size() + 4 > kFlagColumn
                        ? "\n" + std::string(kFlagColumn, ' ')
                        : std::string(kFlagColumn - usage.size() - 2, ' ');
  return fmt::format("  {}{}{}\n", usage, gap, wrapped_help(help, kFlagColumn));
}

}  // namespace

std::string wrapped_help(std::string_view text, size_t indent) {
  std::string out;
  size_t column = indent;
  while (!text.empty()) {
    size_t end = text.find_first_of(" |");
    std::string_view word = text.substr(0, end == std::string_view::npos ? end : end + 1);
    size_t seen = word.size() - (word.ends_with(' ') ? 1U : 0U);
    if (column + seen > kLineWidth && column > indent) {
      out.erase(out.find_last_not_of(' ') + 1);
      out += "\n" + std::string(indent, ' ');
      column = indent;
    }
    out += word;
    column += word.size();
    text.remove_prefix(word.size());
  }
  return out;
}

std::string flag_block(std::string_view heading, std::span<const Flag> flags) {
  std::string text = flags.empty() ? "" : fmt::format("\n{}:\n", heading);
  for (const Flag& flag : flags) {
    text += flag_line(flag);
  }
  return text;
}

}  // namespace wick
