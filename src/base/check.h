// SPDX-License-Identifier: Apache-2.0
// CHECK reports a defect of wick: a broken invariant, never bad input. It prints the condition with
// its file and line, then aborts. It is on in release builds, because a profiler that continues
// with broken numbers would show wrong results. Bad input is a Result (base/result.h) or a row in
// the profile's loss table.
#pragma once

namespace wick {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace wick

#define CHECK(condition)                                    \
  do {                                                      \
    if (!(condition)) [[unlikely]] {                        \
      ::wick::check_failed(#condition, __FILE__, __LINE__); \
    }                                                       \
  } while (false)
