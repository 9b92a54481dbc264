// SPDX-License-Identifier: Apache-2.0
#include "cli/recorded_sides.h"

#include <algorithm>
#include <array>

#include "base/escape.h"
#include "cli/load.h"
#include "cli/recording_plan.h"
#include "cli/status_line.h"
#include "experiment/worktree.h"

namespace wick {
namespace {

constexpr uint64_t kMaxRuns = 1000;

constexpr std::array kSideFlags = {
    Flag{"repeat",
         '\0',
         FlagKind::kInteger,
         "N",
         "0",
         "record N alternating runs of two commands: --repeat 5 -- A -- B"},
    kRerunFlag,
    Flag{"git",
         '\0',
         FlagKind::kText,
         "BEFORE..AFTER",
         "",
         "record a command at two commits, each built in its own worktree"},
    Flag{
        "build", '\0', FlagKind::kText, "COMMAND", "", "with --git: the shell command that builds"},
    Flag{"frequency", 'F', FlagKind::kText, "HZ|max", "997", "samples per second while recording"},
    Flag{"keep", '\0', FlagKind::kPath, "DIR", "", "save the recordings in this directory"},
};

Result<std::vector<std::vector<std::string>>> two_commands(const Invocation& call) {
  std::vector<std::vector<std::string>> commands = split_at_dashes(call.words);
  bool from_dashes = call.words_before_dashes && *call.words_before_dashes == 0;
  if (!from_dashes || commands.size() != 2 || commands[0].empty() || commands[1].empty()) {
    return fail_usage("--repeat needs two commands: `wick diff --repeat 5 -- BEFORE -- AFTER`.");
  }
  return commands;
}

// Flags about input files would have no effect on programs.
Result<> check_flags(const FlagValues& flags) {
  for (const Flag& flag : input_flags()) {
    if (flags.given(flag.name)) {
      return fail_usage(
          "--{0} works on files, but this command records programs. Save the recordings with "
          "--keep DIR, then run `wick diff DIR/before-*.wick -- DIR/after-*.wick --{0} ...`.",
          flag.name);
    }
  }
  if (flags.given("build") && !flags.given("git")) {
    return fail_usage("--build needs --git BEFORE..AFTER, which says what to build.");
  }
  return {};
}

Result<SidesRequest> request_of(const Invocation& call) {
  const FlagValues& flags = call.flags;
  TRY(check_flags(flags));
  SidesRequest request{.frequency = flags.text("frequency"),
                       .event = flags.text("event"),
                       .filter = TRY(parse_filter(flags)),
                       .directory = flags.text("keep")};
  request.filter.event.clear();  // the recordings contain only this event
  request.reruns = flags.integer("rerun");
  request.runs = flags.given("repeat") ? flags.integer("repeat") : request.runs;
  if (request.runs == 0 || request.runs > kMaxRuns) {
    return fail_usage("--repeat takes a number of runs from 1 to {}.", kMaxRuns);
  }
  if (!flags.given("git")) {
    request.commands = TRY(two_commands(call));
    return request;
  }
  if (!call.words_before_dashes || *call.words_before_dashes != 0 || call.words.empty()) {
    return fail_usage("Missing command, e.g. `wick diff --git A..B --build make -- ./program`.");
  }
  auto [before, after] = TRY(split_commits(flags.text("git")));
  request.commits = TwoCommits{before, after, flags.text("build")};
  request.commands = {call.words};
  return request;
}

}  // namespace

std::span<const Flag> recorded_sides_flags() {
  return kSideFlags;
}

bool records_sides(const FlagValues& flags) {
  return flags.given("repeat") || flags.given("git");
}

Result<> check_flags_for_files(const FlagValues& flags) {
  for (std::string_view name : {"build", "keep", "frequency", "rerun"}) {
    if (flags.given(name)) {
      return fail_usage("--{} needs --repeat N -- A -- B or --git A..B, which record both sides.",
                        name);
    }
  }
  return {};
}

Result<RecordedSides> record_sides(const Invocation& call, const Analysis& analysis) {
  SidesRequest request = TRY(request_of(call));
  StatusLine line;
  SidesCalls calls{.print = [&](const std::string& sentence) { line.print(sentence); }};
  calls.on_first_pair = [&, runs = request.runs](const Side& first) {
    std::string text = required_runs_text(analysis, first, call.flags, runs);
    if (!text.empty()) {
      line.print(text);
    }
  };
  return record_sides(std::move(request), calls);
}

}  // namespace wick
