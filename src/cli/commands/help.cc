// SPDX-License-Identifier: Apache-2.0
// wick help [VERB|FORMAT]: prints the help of wick, of a verb or of a format.
#include "cli/help.h"

#include <cstdio>

#include "base/escape.h"
#include "cli/commands/commands.h"

namespace wick {
namespace {

Result<int> run_help(const Invocation& call) {
  std::string text = general_help();
  if (!call.words.empty()) {
    const Command* command = find_command(call.words[0]);
    const Format* format = find_format(call.words[0]);
    if (command == nullptr && format == nullptr) {
      return fail_usage("Unknown verb or format \"{}\"; `wick help` and `wick formats` list them.",
                        terminal_text(call.words[0]));
    }
    text = command != nullptr ? command_help(*command) : format_help(*format);
  }
  std::fputs(text.c_str(), stdout);
  return kDone;
}

}  // namespace

Command help_command() {
  return {.name = "help",
          .help = "show this page, or help for a verb or a format",
          .words = "[VERB|FORMAT]",
          .examples = {"wick help report", "wick help redox"},
          .run = run_help,
          .family = VerbFamily::kFiles};
}

}  // namespace wick
