// SPDX-License-Identifier: Apache-2.0
// The kinds of frames that frame_kind() (names.h) names, and what they mean for groups of frames.
#pragma once

#include <array>
#include <string_view>

namespace wick {

// The first is for frames of which nothing is known.
inline constexpr std::array<std::string_view, 6> kFrameKinds = {
    "", "user", "kernel", "inlined", "jit", "waker"};

// A kernel function and a user function of one name are two; an inlined copy of a function is not
// another.
constexpr bool separates_namesakes(std::string_view kind) {
  return kind == "kernel" || kind == "jit" || kind == "waker";
}

}  // namespace wick
