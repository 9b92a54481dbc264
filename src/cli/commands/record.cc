// wick record: a program, a process or the whole machine to a .wick file.
#include <cstdio>

#include "base/escape.h"
#include "base/parse_number.h"
#include "cli/commands/commands.h"
#include "cli/overhead.h"
#include "cli/recording.h"

namespace wick {
namespace {

Result<int> record_as_planned(const Invocation& call, const RecordingPlan& plan) {
  if (!call.flags.given("overhead")) {
    return TRY(record_to_file(plan)).status;
  }
  std::optional<uint64_t> pairs = parse_number<uint64_t>(call.flags.text("overhead"));
  return measure_overhead(plan, pairs.value_or(0));
}

Result<int> run(const Invocation& call) {
  RecordingPlan plan = TRY(plan_recording(call));
  Result<int> status = record_as_planned(call, plan);
  // With a program, 1 would be taken for the program's own status.
  if (!status && !status.error().usage && !plan.session.launch.command.empty()) {
    std::fprintf(stderr, "wick: %s\n", terminal_text(status.error().message).c_str());
    return kOwnFailure;
  }
  return status;
}

}  // namespace

Command record_command() {
  Command command{.name = "record",
                  .help = "record a command, processes or the whole machine, with full stacks",
                  .words = "[-- COMMAND...]",
                  .examples = {"wick record -- ./server --port 80",
                               "wick record -p server --duration 10 -o server.wick",
                               "wick record -p server --marker 'batch ([0-9]+)' -- ./client",
                               "wick record --overhead -- ./program",
                               "sudo wick record -a -F 499"},
                  .run = run,
                  .runs_command = true};
  append_flags(command.flags, recording_flags());
  append_flags(command.flags, overhead_flags());
  return command;
}

}  // namespace wick
