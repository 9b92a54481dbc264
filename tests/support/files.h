// SPDX-License-Identifier: Apache-2.0
// Where tests find files: the source tree, the corpus beside it, and scratch space.
#pragma once

#include <string>
#include <string_view>

namespace wick::testing {

std::string source_path(std::string_view relative);
std::string read_file(const std::string& path);
void write_file(const std::string& path, std::string_view bytes);

// Path of a corpus file, or empty if the corpus is absent (then the test must GTEST_SKIP).
std::string corpus_path(std::string_view relative);

// A fresh directory, removed with the object.
class ScratchDir {
 public:
  ScratchDir();
  ~ScratchDir();
  ScratchDir(const ScratchDir&) = delete;
  ScratchDir& operator=(const ScratchDir&) = delete;
  std::string file(std::string_view name) const;

 private:
  std::string path_;
};

}  // namespace wick::testing

#define SKIP_WITHOUT_CORPUS(path)                                                    \
  if ((path).empty()) {                                                              \
    GTEST_SKIP() << "the corpus is not available; set WICK_CORPUS to its directory"; \
  }
