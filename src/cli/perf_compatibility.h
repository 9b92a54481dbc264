// SPDX-License-Identifier: Apache-2.0
// Accepts perf's flags, because many users know perf's command lines by heart.
//
//     flag with an equivalent     becomes wick's flag
//     flag without effect         is dropped
//     any other known flag        is dropped, and one sentence names wick's way
//
// For a perf verb that wick lacks, a sentence names the replacement. wick does not translate a flag
// that the verb has itself, even if perf has a flag of the same name. The one exception are perf's
// values of --sort.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/flag_translation.h"
#include "cli/command.h"

namespace wick {

// Returns the arguments with perf's flags replaced.
Translated translate_perf_flags(const Command& command, const std::vector<std::string>& arguments);

// For verbs that run a program: inserts "--" before the program's name, so that flags after it
// belong to the program, as with perf, sudo and env.
std::vector<std::string> with_command_marked(const Command& command,
                                             const std::vector<std::string>& arguments);

// The sentence for a perf verb that has another name in wick or does not exist; empty for other
// words.
std::string_view answer_to_perf_verb(std::string_view verb);

}  // namespace wick
