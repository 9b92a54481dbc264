// SPDX-License-Identifier: Apache-2.0
#include "base/command_text.h"

namespace wick {
namespace {

std::string quoted(const std::string& word) {
  bool is_plain =
      !word.empty() && word.find_first_of(" \t\n'\"\\$`&|;<>(){}*?#~!") == std::string::npos;
  if (is_plain) {
    return word;
  }
  std::string text = "'";
  for (char c : word) {
    text += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return text + "'";
}

}  // namespace

std::string command_text(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    line += (line.empty() ? "" : " ") + word;
  }
  return line;
}

std::string shell_text(const std::vector<std::string>& words) {
  std::vector<std::string> parts;
  for (const std::string& word : words) {
    parts.push_back(quoted(word));
  }
  return command_text(parts);
}

}  // namespace wick
