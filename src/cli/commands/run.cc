// SPDX-License-Identifier: Apache-2.0
// wick run: profiles a program with one command. It records, prints the top of the report and
// writes the viewer's page.
#include <algorithm>
#include <array>

#include <sys/stat.h>

#include "analyze/analyses.h"
#include "base/check.h"
#include "base/escape.h"
#include "cli/commands/commands.h"
#include "cli/recording.h"
#include "cli/show.h"
#include "cli/tty.h"
#include "experiment/run_and_wait.h"
#include "experiment/turns.h"
#include "pipeline/code_reader.h"
#include "profile/filter.h"
#include "profile/lost_share.h"
#include "viewer/page_file.h"

namespace wick {
namespace {

constexpr std::array kRunFlags = {
    Flag{"build",
         '\0',
         FlagKind::kText,
         "COMMAND",
         "",
         "a shell command to run first, unrecorded, such as \"make\""},
    Flag{.name = "svg", .help = "also draw a flame graph, as flamegraph.svg"},
};

constexpr std::string_view kPicture = "flamegraph.svg";  // the name that other tools use

Result<> build(const std::string& command) {
  record::HeldSignals signals;
  MeasuredRun run = TRY(run_build(command, "", signals));
  if (run.stopped_by != 0) {
    return fail_stopped(
        run.stopped_by, "{} during the build; nothing was recorded.", stop_text(run.stopped_by));
  }
  if (run.status != 0) {
    return fail("The build failed, so nothing was recorded: {}", terminal_text(command));
  }
  return {};
}

Result<> show_analysis(const Profile& profile,
                       std::string_view name,
                       const std::vector<std::pair<std::string_view, std::string>>& settings) {
  auto analysis = std::ranges::find(all_analyses(), name, &Analysis::name);
  CHECK(analysis != all_analyses().end());
  std::vector<Flag> rows(analysis->flags.begin(), analysis->flags.end());
  append_flags(rows, output_flags(analysis->view));
  FlagValues flags;
  flags.declare(rows);
  for (const auto& [flag, value] : settings) {
    flags.set(flag, value);
  }
  Report report = TRY(analysis->run(profile, "", flags));
  TRY(show(report, flags, {.default_view = analysis->view}));
  return {};
}

Result<int> record_and_show(const RecordingPlan& plan, bool draw) {
  if (plan.request.path == "-") {
    return fail_usage(
        "`wick run` prints a report and writes a page next to the file, so it needs a name: -o "
        "FILE.");
  }
  capture::Recording recorded = TRY(record_to_file(plan));
  if (!recorded.ran) {
    return recorded.status;
  }
  const std::string& path = plan.request.path;
  std::string page = path.substr(0, path.rfind(".wick")) + ".html";
  CodeReader reader({.files = default_file_search()}, {});
  Result<> written = write_profile_page(recorded.profile, file_title(path), reader, page);
  // The table shows one event; the file and the page contain all events.
  Filter filter;
  filter.keep_events = KeepEvents::kFirst;
  Filtered shown = TRY(apply_filter(std::move(recorded.profile), filter));
  Result<> printed = show_analysis(shown.profile, "report", {{"limit", "15"}});
  // The user closed the terminal: the files are complete, and the status is that of `wick record`.
  if (!printed && !stdout_has_hung_up()) {
    return std::unexpected(printed.error());
  }
  if (draw) {
    ::umask(S_IRWXG | S_IRWXO);  // private, as the recording and its page are
    TRY(show_analysis(shown.profile, "flame", {{"output", std::string(kPicture)}}));
  }
  if (!written) {
    return fail("{} The recording is complete: `wick view {} -o FILE` writes the page elsewhere.",
                written.error().message,
                terminal_text(path));
  }
  say(fmt::format(
      "{} shows the rest; open it in a browser. `wick tree {}` and other verbs show more.",
      terminal_text(page),
      terminal_text(path)));
  return recorded.status;
}

Result<int> run_and_show(const Invocation& call) {
  if (call.flags.given("build")) {
    TRY(build(call.flags.text("build")));
  }
  RecordingPlan plan = TRY(plan_recording(call));
  plan.request.session.launch.dies_with_us = true;
  plan.request.session.launch.leaves_processes = true;
  return own_status(record_and_show(plan, call.flags.is_set("svg")),
                    !plan.request.session.launch.command.empty());
}

}  // namespace

Command run_command() {
  Command command{
      .name = "run",
      .help = "record, print the top of the report and write a viewer page with the rest",
      .words = "[-- COMMAND...]",
      .examples = {"wick run -- ./program --flag",
                   "wick run --build make -- ./program",
                   "wick run -p server --duration 10"},
      .run = run_and_show,
      .runs_command = true,
      .family = VerbFamily::kRecord};
  append_flags(command.flags, kRunFlags);
  append_flags(command.flags, recording_flags());
  return command;
}

}  // namespace wick
