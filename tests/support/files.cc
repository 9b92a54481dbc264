// SPDX-License-Identifier: Apache-2.0
#include "tests/support/files.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/check.h"

namespace wick::testing {

std::string source_path(std::string_view relative) {
  const char* root = std::getenv("WICK_SOURCE");
  return (std::filesystem::path(root != nullptr ? root : ".") / relative).string();
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

std::string corpus_path(std::string_view relative) {
  const char* root = std::getenv("WICK_CORPUS");
  std::filesystem::path path =
      root != nullptr ? root : std::filesystem::path(source_path("../shared/corpus"));
  path /= relative;
  return std::filesystem::exists(path) ? path.string() : "";
}

ScratchDir::ScratchDir() {
  std::string pattern = (std::filesystem::temp_directory_path() / "wick-test-XXXXXX").string();
  CHECK(::mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

ScratchDir::~ScratchDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchDir::file(std::string_view name) const {
  return path_ + "/" + std::string(name);
}

}  // namespace wick::testing
