// SPDX-License-Identifier: Apache-2.0
// Splits the words of `cargo wick`, runs `cargo build` and lists the programs that it built.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/flags.h"

namespace wick {

struct CargoCall {
  std::vector<std::string> cargo;    // arguments of cargo
  std::vector<std::string> wick;     // flags of `wick run`
  std::vector<std::string> program;  // arguments of the built program
  bool asks_for_help = false;
};
// `wick_flags` are the flags of `wick run`. They go to wick, by their long names; all others go to
// cargo. Without a flag for a cargo profile, cargo makes a release build.
CargoCall split_cargo_words(const std::vector<std::string>& words,
                            std::span<const Flag> wick_flags);

struct CargoBuild {
  int status = 0;                     // of cargo, as a shell reports it
  std::vector<std::string> programs;  // each once
};
// `words` are cargo's arguments; they must ask for messages as JSON. Messages for people go to
// stderr. Release builds have line tables unless the environment says otherwise.
CargoBuild build_with_cargo(const std::vector<std::string>& words);

// The program that a line of `cargo build --message-format=json` reports, if it reports one.
std::optional<std::string> built_program(std::string_view json_line);

}  // namespace wick
