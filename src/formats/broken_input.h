// SPDX-License-Identifier: Apache-2.0
// The loss that a reader reports when an input breaks off: a pipe that fails, a damaged gzip file,
// or a text whose last line has no end. Such a line may lack digits of its number or letters of its
// name, so readers must not use it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "profile/builder.h"

namespace wick {

inline constexpr std::string_view kInputBrokeOff = "the input could not be read to its end";
inline constexpr std::string_view kTextWasCut = "the text ends inside a line: it was cut";

// `error`: the message of the input; empty when it ended normally.
inline void add_unread_rest(const std::string& error, ProfileBuilder& builder) {
  if (!error.empty()) {
    builder.add_loss(
        {.reason = kInputBrokeOff, .what = "rest of the input", .detail = error, .count = 0});
  }
}

// `number`: the last line, which has no end; 0 if it has one.
inline void add_cut_line(uint64_t number, ProfileBuilder& builder) {
  if (number != 0) {
    builder.add_loss({.reason = kTextWasCut,
                      .what = "rest of the input",
                      .detail = fmt::format("line {} has no line end", number),
                      .count = 0});
  }
}

}  // namespace wick
