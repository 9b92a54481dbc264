// SPDX-License-Identifier: Apache-2.0
// wick view: opens the viewer in the browser, or writes it as one file. It shows one profile, or
// compares two sides, which it reads as `wick diff` does (file_sides.h).
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <optional>

#include <sys/signalfd.h>
#include <unistd.h>

#include "analyze/summary.h"
#include "answer/answer.h"
#include "base/descriptor.h"
#include "base/escape.h"
#include "cli/commands/commands.h"
#include "cli/file_sides.h"
#include "cli/load.h"
#include "cli/show.h"
#include "cli/tty.h"
#include "experiment/loaded_sides.h"
#include "pipeline/code_reader.h"
#include "pipeline/name_quality.h"
#include "viewer/browser.h"
#include "viewer/page.h"
#include "viewer/page_analyses.h"
#include "viewer/page_code.h"
#include "viewer/page_file.h"
#include "viewer/page_sides.h"
#include "viewer/server.h"
#include "views/choice.h"
#include "views/numbers.h"

namespace wick {
namespace {

constexpr std::array kViewFlags = {
    Flag{"output", 'o', FlagKind::kPath, "FILE", "", "write one file that opens without wick"},
    Flag{"title", '\0', FlagKind::kText, "TEXT", "", "the title of the page (default: the file)"},
    Flag{"port", '\0', FlagKind::kInteger, "N", "0", "serve on this port of 127.0.0.1, 0 for any"},
    Flag{.name = "no-code", .help = "leave source lines and assembly out of the page"},
    Flag{"source-dir",
         '\0',
         FlagKind::kText,
         "DIR|OLD=NEW",
         "",
         "where sources are now, several separated by ':'"},
    Flag{.name = "no-browser", .help = "only print the address"},
};

using Paths = std::vector<std::string>;

struct LoadedRuns {
  std::vector<PageRun> runs;
  UnmatchedPatterns unmatched = {};
  double lost_share = 0;
  std::vector<std::string> alarms;
  std::vector<std::string> unused;  // sentences about what the recordings hold and no view shows
};

Result<std::vector<PageCode>> code_of(const Profile& profile, const FlagValues& flags) {
  if (flags.is_set("no-code")) {
    return std::vector<PageCode>();
  }
  CodeReader reader(TRY(name_sources(flags)),
                    {.source_dirs = split_source_dirs(flags.text("source-dir"))});
  return hottest_code(profile, reader);
}

// What belongs on the first view, before the other notes.
void put_first(const Profile& profile,
               const FlagValues& flags,
               std::vector<std::string>& notes,
               LoadedRuns& result) {
  std::vector<std::string> first;
  if (std::string note = note_of_unnamed_time(profile, file_search(flags)); !note.empty()) {
    first.push_back(std::move(note));
  }
  result.unused = unused_content(profile);
  first.insert(first.end(), result.unused.begin(), result.unused.end());
  notes.insert(notes.begin(), first.begin(), first.end());
}

// Several files are one profile, as for all verbs.
Result<LoadedRuns> load_one(const Paths& paths, const FlagValues& flags) {
  LoadedRuns result;
  Loaded loaded = TRY(load(paths, flags));
  print_warnings(TRY(filter_loaded(loaded, flags, KeepEvents::kAll, ShownFrames::kRecorded)));
  result.lost_share = loaded.lost_share;
  result.alarms = alarms(loaded.profile);
  std::string title =
      paths.size() == 1 ? file_title(paths[0]) : fmt::format("{} files", paths.size());
  if (paths.size() == 1 && is_before_after(loaded.profile)) {
    result.runs = TRY(before_and_after(loaded.profile, title));
    return result;
  }
  put_first(loaded.profile, flags, loaded.notes, result);
  std::vector<PageCode> code = TRY(code_of(loaded.profile, flags));
  result.runs.push_back({.profile = std::move(loaded.profile),
                         .title = std::move(title),
                         .notes = std::move(loaded.notes),
                         .code = std::move(code)});
  return result;
}

// A side of a comparison: one run, or several, which the page also shows added up. Adds to the
// result what concerns all sides.
Result<PageRun> load_run(const Paths& paths,
                         const acquire::Options& options,
                         const FlagValues& flags,
                         LoadedRuns& result) {
  Filter filter = TRY(parse_filter(flags));
  filter.keep_events = KeepEvents::kAll;
  filter.usual_frames = ShownFrames::kRecorded;  // the page has a switch
  LoadedSide loaded = TRY(load_side(paths, options, filter));
  result.lost_share = std::max(result.lost_share, loaded.lost_share);
  result.unmatched.take(loaded.unmatched.sentences());
  PageRun run = TRY(run_of_side(std::move(loaded.side), std::move(loaded.notes)));
  std::ranges::move(alarms(run.profile), std::back_inserter(result.alarms));
  put_first(run.profile, flags, run.notes, result);
  run.code = TRY(code_of(run.profile, flags));  // before paths change
  use_common_names(run);
  return run;
}

Result<LoadedRuns> load_runs(const Invocation& call) {
  acquire::Options options = TRY(input_options(call.flags));
  FileSides files = TRY(file_sides(call, options));
  print_warnings(files.notes);
  if (files.sides.size() == 1) {
    return load_one(files.sides[0], call.flags);
  }
  if (files.sides.size() > 2) {
    return fail_usage(
        "A page compares two sides, and these are {}. Write -- between the files before and the "
        "files after; `wick diff` compares more sides, and `wick convert A B C -o all.wick` adds "
        "files up.",
        files.sides.size());
  }
  LoadedRuns result;
  for (const Paths& paths : files.sides) {
    result.runs.push_back(TRY(load_run(paths, options, call.flags, result)));
  }
  print_warnings(result.unmatched.sentences());
  return result;
}

std::string page_title(const LoadedRuns& runs, const FlagValues& flags) {
  if (flags.given("title")) {
    return flags.text("title");
  }
  return runs.runs.size() == 1
             ? runs.runs[0].title
             : fmt::format("{} against {}", runs.runs[0].title, runs.runs[1].title);
}

// The status of a server that ended: a signal ended it, or the tab was closed.
int status_of_end(int signals) {
  signalfd_siginfo info = {};
  bool stopped = ::read(signals, &info, sizeof info) == sizeof info;
  return stopped ? kStopped + static_cast<int>(info.ssi_signo) : kDone;
}

Result<int> serve(LoadedRuns runs, const std::string& title, const FlagValues& flags) {
  uint64_t port = flags.integer("port");
  if (port > 65'535) {
    return fail_usage("--port takes a number up to 65535.");
  }
  std::vector<PageReport> reports = reports_for_page(runs.runs);
  std::vector<std::string> parts = TRY(pack_page(std::move(runs.runs), reports));
  std::string page = served_page(title, parts.size());
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &signals, nullptr);
  Descriptor stop(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
  ViewServer server =
      TRY(ViewServer::start(std::move(page), std::move(parts), static_cast<uint16_t>(port)));
  std::printf("%s\n", server.url().c_str());
  std::fflush(stdout);
  std::optional<BrowserPage> browser_page;  // exists until the server ends
  if (!flags.is_set("no-browser") && BrowserPage::has_display()) {
    if (Result<BrowserPage> made = BrowserPage::leading_to(server.url())) {
      browser_page.emplace(std::move(*made));
    }
  }
  bool opened = browser_page && browser_page->open();
  if (stderr_is_terminal()) {
    say(fmt::format(
        "{}. The server stops when you close the tab or press Ctrl+C; -o page.html writes a file "
        "instead.",
        opened ? "opened in the browser" : "open this address in a browser on this machine"));
    if (!opened && std::getenv("SSH_CONNECTION") != nullptr) {
      say(fmt::format("on your own machine, run first: ssh -L {}:127.0.0.1:{} THIS-HOST",
                      server.port(),
                      server.port()));
    }
  }
  TRY(server.serve(stop.get()));
  return status_of_end(stop.get());
}

Result<int> run_view(const Invocation& call) {
  TRY(check_page_name(call.flags.text("output")));
  LoadedRuns runs = TRY(load_runs(call));
  std::string title = page_title(runs, call.flags);
  double lost_share = runs.lost_share;
  bool is_alarmed = !runs.alarms.empty();
  print_cautions(runs.alarms);
  print_warnings(runs.unused);
  if (!call.flags.given("output")) {
    return serve(std::move(runs), title, call.flags);
  }
  const std::string& path = call.flags.text("output");
  TRY(write_page_file(std::move(runs.runs), title, path));
  if (path != "-" && stderr_is_terminal()) {
    say(fmt::format("wrote {}.", terminal_text(path)));
  }
  return status_for_loss(lost_share, is_alarmed, call.flags);
}

}  // namespace

Command view_command() {
  Command command{.name = "view",
                  .help = "open the viewer, or write it as one HTML file; compares two sides",
                  .words = "[FILE] | BEFORE AFTER | BEFORE... -- AFTER...",
                  .examples = {"wick view profile.wick",
                               "wick view profile.wick -o page.html",
                               "wick view before.wick after.wick",
                               "wick view -o page.html before/*.wick -- after/*.wick"},
                  .run = run_view};
  append_flags(command.flags, kViewFlags);
  append_flags(command.flags, filter_flags());
  append_flags(command.flags, input_flags());
  append_flags(command.flags, loss_flags());
  return command;
}

}  // namespace wick
