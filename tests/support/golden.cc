// SPDX-License-Identifier: Apache-2.0
#include "tests/support/golden.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/files.h"

namespace wick::testing {

void expect_golden(std::string_view path, std::string_view actual) {
  std::string full = source_path(path);
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::filesystem::create_directories(std::filesystem::path(full).parent_path());
    std::ofstream(full, std::ios::binary) << actual;
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(full)) << path << " is missing; UPDATE_GOLDEN=1 writes it";
  EXPECT_EQ(read_file(full), actual) << "differs from " << path;
}

}  // namespace wick::testing
