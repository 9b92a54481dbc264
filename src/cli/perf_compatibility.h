// SPDX-License-Identifier: Apache-2.0
// perf's habits: people's fingers know perf. A perf flag that means something here is turned into
// the wick flag, one that changes nothing is accepted, and the rest get one sentence with the wick
// way. The same for perf's verbs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

namespace wick {

struct Translated {
  std::vector<std::string> arguments;
  std::vector<std::string> notes;  // sentences for stderr
};

// Arguments of a verb with perf's flags replaced. A flag that the verb has itself keeps its own
// meaning.
Translated translate_perf_flags(const Command& command, const std::vector<std::string>& arguments);

// For verbs that run a program: "--" stands before its first word, so that the program keeps its
// own flags, as with perf, sudo and env.
std::vector<std::string> with_command_marked(const Command& command,
                                             const std::vector<std::string>& arguments);

// What to say to a perf verb that wick calls otherwise or does not have; empty for other words.
std::string_view answer_to_perf_verb(std::string_view verb);

}  // namespace wick
