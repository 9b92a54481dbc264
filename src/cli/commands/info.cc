// SPDX-License-Identifier: Apache-2.0
// wick info: describes the contents of a file, before any analysis.
#include "answer/answer.h"
#include "cli/commands/commands.h"
#include "cli/load.h"
#include "cli/show.h"

namespace wick {
namespace {

Result<int> run_info(const Invocation& call) {
  std::vector<std::string> paths = TRY(choose_inputs(call.words, call.flags));
  Loaded loaded = TRY(load(paths, call.flags));
  std::string title = paths.size() == 1 ? paths[0] : fmt::format("{} files", paths.size());
  return show(info_report(loaded, std::move(title)),
              call.flags,
              {.default_view = "terminal", .lost_share = loaded.lost_share});
}

}  // namespace

Command info_command() {
  Command command{.name = "info",
                  .help = "describe a file: format, events, time, threads, stacks, loss",
                  .words = "[FILE...]",
                  .examples = {"wick info profile.wick"},
                  .run = run_info,
                  .family = VerbFamily::kFiles};
  append_flags(command.flags, output_flags("terminal"));
  append_flags(command.flags, input_flags());
  return command;
}

}  // namespace wick
