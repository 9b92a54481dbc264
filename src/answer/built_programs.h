// SPDX-License-Identifier: Apache-2.0
// What to know about the builds of programs before their numbers, where no profile says it: wick
// reads their files, and only after runs, to leave the caches alone.
//
// The answers are whole sentences: what differs from the first program, then those that are for
// debugging.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "symbolize/module_files.h"

namespace wick {

// `words`: the first words of commands, which are searched as a shell does.
std::vector<std::string> cautions_about_commands(std::span<const std::string> words);

std::vector<std::string> cautions_about_files(FileSearch search,
                                              std::span<const std::string> paths);

}  // namespace wick
