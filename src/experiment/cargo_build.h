// SPDX-License-Identifier: Apache-2.0
// Runs `cargo build` and lists the programs that it built.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wick {

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
