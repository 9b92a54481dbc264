// SPDX-License-Identifier: Apache-2.0
#include "experiment/cargo_build.h"

#include <algorithm>
#include <cstdlib>

#include "base/lines.h"
#include "experiment/run_and_wait.h"

namespace wick {
namespace {

// Reads a JSON string after its opening quote; `text` continues after the closing one. It handles
// only the escapes of paths: cargo escapes quotes, backslashes and control characters.
std::string take_json_string(std::string_view& text) {
  std::string out;
  while (!text.empty() && text[0] != '"') {
    bool escaped = text[0] == '\\' && text.size() > 1;
    out += text[escaped ? 1 : 0];
    text.remove_prefix(escaped ? 2 : 1);
  }
  text.remove_prefix(std::min<size_t>(1, text.size()));
  return out;
}

}  // namespace

CargoBuild build_with_cargo(const std::vector<std::string>& words) {
  ::setenv("CARGO_PROFILE_RELEASE_DEBUG", "1", 0);
  const char* cargo = std::getenv("CARGO");  // set by cargo for the commands that it runs
  std::vector<std::string> command = {cargo != nullptr ? cargo : "cargo"};
  command.insert(command.end(), words.begin(), words.end());
  CargoBuild build;
  std::string messages;
  build.status = run_for_output(command, messages);
  for_each_line(messages, [&](std::string_view line) {
    std::optional<std::string> program = built_program(line);
    if (program && std::ranges::find(build.programs, *program) == build.programs.end()) {
      build.programs.push_back(*program);
    }
  });
  return build;
}

// {"reason":"compiler-artifact",...,"executable":"/path/of/the/program",...}; null if the artifact
// is not a program.
std::optional<std::string> built_program(std::string_view json_line) {
  int depth = 0;
  std::string last;  // the last string; a key if a colon follows
  std::string key;
  std::string reason;
  std::optional<std::string> program;
  std::string_view text = json_line;
  while (!text.empty()) {
    char c = text[0];
    text.remove_prefix(1);
    if (c == '"') {
      last = take_json_string(text);
      if (depth == 1 && key == "reason") {
        reason = last;
      } else if (depth == 1 && key == "executable") {
        program = last;
      }
    } else if (c == '{' || c == '[') {
      ++depth;
      key.clear();
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (c == ':') {
      key = last;
    } else if (c == ',') {
      key.clear();
    }
  }
  return reason == "compiler-artifact" ? program : std::nullopt;
}

}  // namespace wick
