// SPDX-License-Identifier: Apache-2.0
#include "base/program_path.h"

#include <cstdlib>
#include <filesystem>

#include <unistd.h>

namespace wick {
namespace {

bool is_program(const std::string& path) {
  std::error_code ignored;
  return ::access(path.c_str(), X_OK) == 0 && !std::filesystem::is_directory(path, ignored);
}

}  // namespace

std::string program_path(std::string_view name) {
  if (name.contains('/')) {
    std::string path(name);
    return is_program(path) ? path : "";
  }
  const char* variable = std::getenv("PATH");
  std::string_view rest = variable == nullptr ? "/bin:/usr/bin" : variable;
  while (true) {
    std::string_view folder = rest.substr(0, rest.find(':'));
    std::string path(folder.empty() ? "." : folder);
    path.append("/").append(name);
    if (is_program(path)) {
      return path;
    }
    if (folder.size() == rest.size()) {
      return {};
    }
    rest.remove_prefix(folder.size() + 1);
  }
}

}  // namespace wick
