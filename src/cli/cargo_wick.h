// SPDX-License-Identifier: Apache-2.0
// `cargo wick [FLAGS] [-- ARGUMENTS]`: profiles a Rust program as easily as `cargo run` starts it.
//
// cargo runs the program cargo-wick, which is wick under another name:
//
//     1. Split the words between cargo, wick and the program.
//     2. Run `cargo build` with cargo's flags.
//     3. Run `wick run` with the program that cargo built.
//
// The build ends before the recording starts, so the profile never contains cargo or the compiler.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wick {

bool is_cargo_wick(std::string_view program);

struct CargoCall {
  std::vector<std::string> cargo;    // arguments of cargo
  std::vector<std::string> wick;     // flags of `wick run`
  std::vector<std::string> program;  // arguments of the built program
  bool asks_for_help = false;
};
// Flags that `wick run` has go to wick, by their long names; all others go to cargo. Without a flag
// for a cargo profile, cargo makes a release build.
CargoCall split_cargo_words(const std::vector<std::string>& words);

// `arguments` are the words after the program's name. Returns the exit status.
int run_cargo_wick(const std::vector<std::string>& arguments);

}  // namespace wick
