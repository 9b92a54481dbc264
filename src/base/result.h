// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value, or one sentence that says what went wrong and what to do next.
//
// Functions that can fail because of a file, a permission or a damaged byte return a Result;
// nothing throws. `TRY(expression)` gives the value or returns the error from the enclosing
// function. `fail(...)` makes an error with fmt's formatting, `fail_usage(...)` an error about the
// command line, `fail_stopped(...)` one because of Ctrl+C. Messages are whole sentences for the
// user; only the cli folder prints them.
#pragma once

#include <expected>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace wick {

struct Error {
  std::string message;
  bool usage = false;  // the command line is wrong
  int stopped_by = 0;  // a signal: the user ended the work, and the exit status says so
};

template <typename T = void>
using Result = std::expected<T, Error>;

template <typename... Args>
std::unexpected<Error> fail(fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(Error{.message = fmt::format(format, std::forward<Args>(args)...)});
}

template <typename... Args>
std::unexpected<Error> fail_usage(fmt::format_string<Args...> format, Args&&... args) {
  return std::unexpected(
      Error{.message = fmt::format(format, std::forward<Args>(args)...), .usage = true});
}

template <typename... Args>
std::unexpected<Error> fail_stopped(int signal,
                                    fmt::format_string<Args...> format,
                                    Args&&... args) {
  return std::unexpected(
      Error{.message = fmt::format(format, std::forward<Args>(args)...), .stopped_by = signal});
}

}  // namespace wick

// A statement expression (g++ and clang): the only way to write this without exceptions. At most one
// in a statement: a return from the second would leak what the first one gave.
#define TRY(expression)                                      \
  __extension__({                                            \
    auto try_result = (expression);                          \
    if (!try_result) [[unlikely]] {                          \
      return std::unexpected(std::move(try_result).error()); \
    }                                                        \
    std::move(try_result).value();                           \
  })
