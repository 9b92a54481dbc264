// SPDX-License-Identifier: Apache-2.0
// Golden files: the expected text of a test is in a file beside the code, and UPDATE_GOLDEN=1
// rewrites it. A missing golden file is a failure. Read the diff of an update before you commit it.
#pragma once

#include <string>
#include <string_view>

namespace wick::testing {

// `path` is relative to the root of the source tree.
void expect_golden(std::string_view path, std::string_view actual);

}  // namespace wick::testing
