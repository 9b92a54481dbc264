// SPDX-License-Identifier: Apache-2.0
// The kinds of frames that frame_kind() (names.h) returns, and which of them separate functions of
// the same name. The page gets both (viewer/page_words.h).
#pragma once

#include <array>
#include <string_view>

namespace wick {

// "" is the kind of unknown frames.
inline constexpr std::array<std::string_view, 7> kFrameKinds = {
    "", "user", "kernel", "inlined", "jit", "waker", "python"};

// A kernel function and a user function with the same name are two functions. An inlined copy of a
// function is the same function, and so is one that the runtime has compiled: a Java method is
// interpreted, compiled and inlined in one recording.
constexpr bool separates_namesakes(std::string_view kind) {
  return kind == "kernel" || kind == "waker" || kind == "python";
}

}  // namespace wick
