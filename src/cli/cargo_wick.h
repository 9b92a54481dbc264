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

// `arguments` are the words after the program's name. Returns the exit status.
int run_cargo_wick(const std::vector<std::string>& arguments);

}  // namespace wick
