// SPDX-License-Identifier: Apache-2.0
// `cargo wick [FLAGS] [-- ARGUMENTS]`: cargo runs the program called cargo-wick, which is wick
// under another name. Builds as `cargo build` would with the same flags, then does `wick run` with
// what was built, and with nothing else: neither cargo nor the compiler is in the profile.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wick {

bool is_cargo_wick(std::string_view program);

struct CargoCall {
  std::vector<std::string> cargo;    // arguments of cargo
  std::vector<std::string> wick;     // flags of `wick run`
  std::vector<std::string> program;  // arguments of what was built
  bool asks_for_help = false;
};
// Flags of `wick run` by their long names are wick's, all others cargo's. Without a profile among
// them it is a release build.
CargoCall split_cargo_words(const std::vector<std::string>& words);

// Everything after the name of the program; the result is the exit status.
int run_cargo_wick(const std::vector<std::string>& arguments);

}  // namespace wick
