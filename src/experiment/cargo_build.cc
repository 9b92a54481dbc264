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

const Flag* find_wick_flag(std::span<const Flag> flags, std::string_view word) {
  if (!word.starts_with("--")) {
    return nullptr;
  }
  std::string_view name = word.substr(2, word.find('=') - 2);
  // Both programs have --quiet. It goes to cargo, as with every cargo command.
  if (name == "quiet" || name == "build") {
    return nullptr;
  }
  auto flag = std::ranges::find(flags, name, &Flag::name);
  return flag != flags.end() ? &*flag : nullptr;
}

bool chooses_profile(const std::vector<std::string>& words) {
  return std::ranges::any_of(words, [](const std::string& word) {
    return word == "-r" || word == "--release" || word == "--profile" ||
           word.starts_with("--profile=");
  });
}

}  // namespace

CargoCall split_cargo_words(const std::vector<std::string>& words,
                            std::span<const Flag> wick_flags) {
  CargoCall call;
  auto end = std::ranges::find(words, "--");
  for (auto word = words.begin(); word != end; ++word) {
    if (*word == "--help" || *word == "-h") {
      call.asks_for_help = true;
    }
    const Flag* flag = find_wick_flag(wick_flags, *word);
    if (flag == nullptr) {
      call.cargo.push_back(*word);
      continue;
    }
    call.wick.push_back(*word);
    bool has_value = flag->kind != FlagKind::kSwitch && flag->kind != FlagKind::kOptional &&
                     word->find('=') == std::string::npos;
    if (has_value && word + 1 != end) {
      call.wick.push_back(*++word);
    }
  }
  if (end != words.end()) {
    call.program.assign(end + 1, words.end());
  }
  std::vector<std::string> build = {"build", "--message-format=json-render-diagnostics"};
  if (!chooses_profile(call.cargo)) {
    build.emplace_back("--release");
  }
  call.cargo.insert(call.cargo.begin(), build.begin(), build.end());
  return call;
}

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
