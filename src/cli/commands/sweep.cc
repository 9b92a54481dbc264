// SPDX-License-Identifier: Apache-2.0
// wick sweep: runs a plan and shows its table and page; shows the results again; or compares two
// sweeps.
#include "experiment/sweep/sweep.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>

#include "analyze/areas.h"
#include "base/escape.h"
#include "cli/commands/commands.h"
#include "cli/show.h"
#include "cli/status_line.h"
#include "cli/tty.h"
#include "experiment/sweep/comparison.h"
#include "experiment/sweep/json.h"
#include "experiment/sweep/machine_check.h"
#include "experiment/sweep/summary.h"
#include "experiment/sweep/texts.h"
#include "pipeline/code_reader.h"
#include "viewer/page.h"
#include "viewer/page_file.h"
#include "views/numbers.h"

namespace wick {
namespace {

constexpr std::array kSweepFlags = {
    Flag{"output",
         'o',
         FlagKind::kPath,
         "DIR",
         "",
         "where to write the results (default PLAN.sweep)"},
    Flag{.name = "dry-run", .letter = 'n', .help = "print the runs and how long they would take"},
    Flag{.name = "retry", .help = "repeat the runs that failed before"},
    Flag{.name = "allow-other-machine",
         .help = "continue runs that were started on another machine, kernel or governor"},
    Flag{"areas",
         '\0',
         FlagKind::kFileText,
         "FILE",
         "",
         "named parts of the program, one NAME = REGEX per line, instead of the plan's [areas]"},
};

// The flags of tables, without the flags that have another meaning for sweeps.
std::vector<Flag> table_flags() {
  std::vector<Flag> flags = output_flags("terminal");
  std::erase_if(
      flags, [](const Flag& flag) { return flag.name == "output" || flag.name == "allow-loss"; });
  return flags;
}

Result<int> show_table(Report report, const FlagValues& given) {
  report.verb = "sweep";
  FlagValues flags;
  flags.declare(output_flags("terminal"));
  for (const Flag& flag : table_flags()) {
    if (given.given(flag.name)) {
      flags.set(flag.name, given.text(flag.name));
    }
  }
  return show(report, std::move(flags), {.default_view = "terminal"});
}

// ---- Results ------------------------------------------------------------------------------------

Result<std::vector<Area>> chosen_areas(const Plan& plan, const FlagValues& flags) {
  if (flags.given("areas")) {
    return parse_areas(flags.text("areas"), flags.path("areas"));
  }
  return areas_of(plan);
}

Result<Sweep> findings_in(const std::string& directory, const FlagValues& flags) {
  SweepResults results = TRY(read_results(directory));
  return findings_of(results, directory, TRY(chosen_areas(results.plan, flags)));
}

Result<std::string> write_sweep_index(const Sweep& sweep,
                                      const Sweep* other,
                                      const std::string& path) {
  std::string json;
  Output text = Output::to_text(json);
  write_sweep_json(sweep, other, text);
  TRY(text.finish());
  Output out = TRY(Output::to_path(path));
  write_sweep_page(sweep.name, json, out);
  TRY(out.finish());
  return path;
}

// 1: runs failed, or wick could not write the page. 4: a check failed.
int status_of(const Sweep& sweep, bool has_page) {
  bool failed = std::ranges::any_of(sweep.points, [](const SweepPoint& point) {
    return point.status == "failed" || point.status == "timeout";
  });
  bool checks = std::ranges::any_of(
      sweep.points, [](const SweepPoint& point) { return !point.failed_checks.empty(); });
  return failed || !has_page ? kFailure : checks ? kConditionMet : kDone;
}

Result<int> show_results(const std::string& directory, const FlagValues& flags) {
  Sweep sweep = TRY(findings_in(directory, flags));
  Result<std::string> page = write_sweep_index(sweep, nullptr, directory + "/index.html");
  Report report = sweep_report(sweep);
  if (flags.is_set("json")) {
    add_details(sweep, report);
  }
  if (flags.is_set("csv")) {
    report.sections.resize(1);  // a CSV file contains one table
  }
  TRY(show_table(std::move(report), flags));
  say(page ? fmt::format("{} shows the results as plots; open it in a browser.",
                         terminal_text(*page))
           : terminal_text(page.error().message));
  return status_of(sweep, page.has_value());
}

Result<int> compare(const std::string& before, const std::string& after, const FlagValues& flags) {
  Sweep first = TRY(findings_in(before, flags));
  Sweep second = TRY(findings_in(after, flags));
  Report report = TRY(compare_sweeps(first, second));
  TRY(show_table(std::move(report), flags));
  if (flags.is_set("json")) {
    return kDone;
  }
  std::string path = flags.given("output") ? flags.text("output") : "comparison.html";
  link_profiles_from(path, first);
  link_profiles_from(path, second);
  std::string page = TRY(write_sweep_index(first, &second, path));
  say(fmt::format("{} shows both as plots.", terminal_text(page)));
  return kDone;
}

// ---- Running ------------------------------------------------------------------------------------

// A terminal shows one line that changes; other outputs get a line from time to time.
void show_progress(const SweepProgress& progress, StatusLine& line) {
  using namespace std::chrono_literals;
  if (!line.is_due(line.is_on() ? 200ms : 10000ms)) {
    return;
  }
  std::string text = progress_text(progress);
  if (line.is_on()) {
    line.show(text);
  } else {
    line.print(text);
  }
}

std::string results_directory(const std::string& path, const FlagValues& flags) {
  return flags.given("output") ? flags.text("output")
                               : std::filesystem::path(path).stem().string() + ".sweep";
}

// Writes the page of a recorded run next to its profile.
Result<> write_page_beside(const Profile& profile, const std::string& path) {
  CodeReader reader({.files = default_file_search()}, {});
  std::string page = std::filesystem::path(path).replace_extension(".html").string();
  return write_profile_page(profile, file_title(path), reader, page);
}

Result<int> run_plan(const std::string& path, const FlagValues& flags) {
  std::string text = TRY(read_plan_text(path));
  Plan plan = TRY(read_plan(path, text));
  std::string directory = results_directory(path, flags);
  if (flags.is_set("dry-run")) {
    std::string runs = TRY(dry_run_text(plan, directory, flags.is_set("retry")));
    std::fputs(runs.c_str(), stdout);
    return kDone;
  }
  TRY(check_against_machine(plan));
  RunLog log = TRY(RunLog::open(directory, plan, text));
  StatusLine line;
  auto print = [&](const std::string& sentence) { line.print(sentence); };
  if (is_anything_left(plan, log, flags.is_set("retry"))) {
    TRY(examine_machine(plan, log, flags.is_set("allow-other-machine"), print));
  }
  SweepCalls calls{
      .progress = [&](const SweepProgress& progress) { show_progress(progress, line); },
      .print = print,

      .recorded = write_page_beside};
  Result<SweepEnd> end = run_sweep(plan, log, flags.is_set("retry"), calls);
  if (!end) {
    return fail("{} ({} finished runs are saved in {}; the same command continues.)",
                end.error().message,
                log.runs().size(),
                terminal_text(directory));
  }
  if (std::string summary = end_text(*end, log, path); !summary.empty()) {
    line.print(summary);
  }
  if (end->stopped_by != 0) {
    return kStopped + end->stopped_by;
  }
  return show_results(directory, flags);
}

Result<int> run_sweep_verb(const Invocation& call) {
  auto is_directory = [](const std::string& word) {
    std::error_code problem;
    return std::filesystem::is_directory(word, problem);
  };
  if (call.words.size() == 1) {
    return is_directory(call.words[0]) ? show_results(call.words[0], call.flags)
                                       : run_plan(call.words[0], call.flags);
  }
  if (call.words.size() == 2 && std::ranges::all_of(call.words, is_directory)) {
    return compare(call.words[0], call.words[1], call.flags);
  }
  return fail_usage(
      "wick sweep takes a plan (`wick sweep plan.toml`), a directory of results, or two of them.");
}

}  // namespace

Command sweep_command() {
  Command command{.name = "sweep",
                  .help = "a matrix of runs from a TOML plan: table, plots, scaling, profiles",
                  .words = "PLAN | RESULTS | BEFORE AFTER",
                  .examples = {"wick sweep threads.toml",
                               "wick sweep threads.toml --dry-run",
                               "wick sweep threads.sweep --csv",
                               "wick sweep before.sweep after.sweep"},
                  .run = run_sweep_verb,
                  .family = VerbFamily::kCompare};
  append_flags(command.flags, kSweepFlags);
  append_flags(command.flags, table_flags());
  return command;
}

}  // namespace wick
