// SPDX-License-Identifier: Apache-2.0
// Texts about the end of a stack, in addition to its name (names.h): its class, and advice for a
// better recording. `wick quality` and the page show the same texts.
#pragma once

#include <string_view>
#include <vector>

#include "profile/profile.h"
#include "profile/runtimes.h"

namespace wick {

// "complete", "truncated", "broken" or "unknown".
std::string_view stack_end_class(StackEnd ending);

// How frames of an origin were found; empty for the sampled frame, and if the origin is unknown.
std::string_view origin_meaning(FrameOrigin origin);

// For a recording about which nothing else is known. Empty for complete stacks.
std::string_view stack_end_advice(StackEnd ending);

// Advice that fits a profile: the language of the code, and what the recorder did already.
class StackAdvice {
 public:
  explicit StackAdvice(const Profile& profile);

  // By the name of the module of the outermost frame.
  std::string_view text(StackEnd ending, std::string_view module_name) const;

  // Where it differs from stack_end_advice(). An empty module is any module.
  struct Special {
    std::string_view module;
    StackEnd ending = StackEnd::kUnknown;
    std::string_view text;
  };
  std::vector<Special> specials() const;

 private:
  GeneratingRuntimes runtimes_;
  bool is_copied_with_bpf_ = false;
  bool has_callers_ = false;  // some sample has more than one frame
};

// The fact of a recording whose stacks a BPF program has copied whole.
inline constexpr std::string_view kStackCopiesFact = "copies of stacks";
inline constexpr std::string_view kCopiedWithBpf = "whole, up to 254 KB, with BPF";

}  // namespace wick
