// wick record: a program, a process or the whole machine to a .wick file.
#include <cstdio>

#include "base/escape.h"
#include "cli/commands/commands.h"
#include "cli/recording.h"

namespace wick {
namespace {

Result<int> run(const Invocation& call) {
  RecordingPlan plan = TRY(plan_recording(call));
  Result<Recorded> recorded = record_to_file(plan);
  if (!recorded) {
    // With a program, 1 would be taken for the program's own status.
    if (plan.session.launch.command.empty()) {
      return std::unexpected(recorded.error());
    }
    std::fprintf(stderr, "wick: %s\n", terminal_text(recorded.error().message).c_str());
    return kOwnFailure;
  }
  return recorded->status;
}

}  // namespace

Command record_command() {
  Command command{.name = "record",
                  .help = "launch, attach or watch the whole machine, with whole stacks",
                  .words = "[-- COMMAND...]",
                  .examples = {"wick record -- ./server --port 80",
                               "wick record -p server --duration 10 -o server.wick",
                               "sudo wick record -a -F 499"},
                  .run = run,
                  .runs_command = true};
  append_flags(command.flags, recording_flags());
  return command;
}

}  // namespace wick
