// SPDX-License-Identifier: Apache-2.0
// wick completion: a script with which a shell completes wick's verbs, flags and choices.
//
// `make install` installs the scripts; without it: eval "$(wick completion bash)".
#include "base/completion.h"

#include <cstdio>

#include "cli/commands/commands.h"

namespace wick {
namespace {

Result<int> run_completion(const Invocation& call) {
  std::vector<CompletedVerb> verbs;
  for (const Command& command : all_commands()) {
    verbs.push_back({command.name, command.help, command.flags, command.hidden});
  }
  std::string script = call.words.size() == 1 ? completion_script(call.words[0], verbs) : "";
  if (script.empty()) {
    return fail_usage("wick completion has scripts for bash, zsh and fish: name one of them.");
  }
  std::fputs(script.c_str(), stdout);
  return kDone;
}

}  // namespace

Command completion_command() {
  return {.name = "completion",
          .help = "completion script for bash, zsh or fish",
          .words = "bash|zsh|fish",
          .examples = {"eval \"$(wick completion bash)\""},
          .run = run_completion,
          .hidden = true,
          .family = VerbFamily::kFiles};
}

}  // namespace wick
