// CHECK says that wick itself is wrong: a broken invariant, never bad input. It prints the
// condition and where it stands, then aborts; it is on in release builds, because a profiler that
// goes on with broken numbers lies. Bad input is a Result (base/result.h) or a row of the profile's
// loss table.
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
