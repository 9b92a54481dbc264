// SPDX-License-Identifier: Apache-2.0
#include "experiment/cargo_build.h"

#include <gtest/gtest.h>

namespace wick {
namespace {

TEST(CargoBuild, ProgramsInItsMessages) {
  EXPECT_EQ(built_program(R"({"reason":"compiler-artifact","target":{"executable":"no"},)"
                          R"("filenames":["/a"],"executable":"/t/a \"b\"","fresh":true})"),
            "/t/a \"b\"");
  EXPECT_FALSE(built_program(R"({"reason":"compiler-artifact","executable":null,"fresh":true})"));
  EXPECT_FALSE(built_program(R"({"reason":"build-finished","executable":"/t/a"})"));
  for (const char* bad : {"",
                          "{",
                          "\"",
                          "}}}",
                          R"({"reason":"compiler-artifact","executable":)",
                          R"({"reason":"compiler-artifact","executable")"}) {
    EXPECT_FALSE(built_program(bad)) << bad;
  }
}

}  // namespace
}  // namespace wick
