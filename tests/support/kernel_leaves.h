// SPDX-License-Identifier: Apache-2.0
// Profiles whose samples end in kernel functions, for the mark of late samples.
#pragma once

#include <initializer_list>
#include <string_view>
#include <utility>

#include "profile/builder.h"

namespace wick::testing {

// Kernel functions below main, each with its own time, in a recording of `event`.
inline Profile kernel_leaves(std::string_view event,
                             std::initializer_list<std::pair<std::string_view, int64_t>> leaves) {
  ProfileBuilder builder;
  EventId id = builder.event({.name = builder.string(event), .unit = builder.string("ns")});
  auto frame = [&](std::string_view name, Mode mode) {
    return builder.frame(
        {.function = builder.function({.name = builder.string(name)}), .mode = mode});
  };
  StackId main = builder.stack(kEmptyStack, frame("main", Mode::kUser));
  for (auto [name, weight] : leaves) {
    StackId stack = builder.stack(main, frame(name, Mode::kKernel));
    builder.add_sample({.weight = weight, .count = 1, .stack = stack, .event = id});
  }
  return builder.finish();
}

}  // namespace wick::testing
