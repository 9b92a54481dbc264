// SPDX-License-Identifier: Apache-2.0
// Scripts with which bash, zsh and fish complete the verbs, flags and choices of wick.
//
// They come from the same rows as parsing and --help (base/flags.h), so they are never out of date.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/flags.h"

namespace wick {

struct CompletedVerb {
  std::string_view name;
  std::string_view help;
  std::span<const Flag> flags;
  bool is_hidden = false;  // its flags are completed, its name is not
};

// `shell` is "bash", "zsh" or "fish"; empty for any other.
std::string completion_script(std::string_view shell, std::span<const CompletedVerb> verbs);

}  // namespace wick
