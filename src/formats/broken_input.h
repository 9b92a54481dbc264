// SPDX-License-Identifier: Apache-2.0
// The loss that a reader reports when an input breaks off: a pipe that fails, a damaged gzip file.
#pragma once

#include <string>
#include <string_view>

#include "profile/builder.h"

namespace wick {

inline constexpr std::string_view kInputBrokeOff = "the input could not be read to its end";

// `error`: the message of the input; empty when it ended normally.
inline void add_unread_rest(const std::string& error, ProfileBuilder& builder) {
  if (!error.empty()) {
    builder.add_loss(
        {.reason = kInputBrokeOff, .what = "rest of the input", .detail = error, .count = 0});
  }
}

}  // namespace wick
