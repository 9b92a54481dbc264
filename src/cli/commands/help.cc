// wick help [VERB].
#include "cli/help.h"

#include <cstdio>

#include "base/escape.h"
#include "cli/commands/commands.h"

namespace wick {
namespace {

Result<int> run(const Invocation& call) {
  std::string text = general_help();
  if (!call.words.empty()) {
    const Command* command = find_command(call.words[0]);
    if (command == nullptr) {
      return fail_usage("There is no verb \"{}\"; `wick help` lists them.",
                        terminal_text(call.words[0]));
    }
    text = command_help(*command);
  }
  std::fputs(text.c_str(), stdout);
  return kDone;
}

}  // namespace

Command help_command() {
  return {.name = "help",
          .help = "show this page, or help for a verb",
          .words = "[VERB]",
          .examples = {"wick help report"},
          .run = run};
}

}  // namespace wick
