// SPDX-License-Identifier: Apache-2.0
// wick diff: compares the sides and shows the difference. Sides come from files (file_sides.h), or
// wick records them (recorded_sides.h). One side alone is a plan, unless it is a differential folded
// file, which has two.
#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "analyze/analyses.h"
#include "analyze/diff/conditions.h"
#include "answer/built_programs.h"
#include "base/escape.h"
#include "cli/commands/commands.h"
#include "cli/file_sides.h"
#include "cli/load.h"
#include "cli/recorded_sides.h"
#include "cli/show.h"
#include "cli/tty.h"
#include "experiment/loaded_sides.h"
#include "experiment/turns.h"
#include "views/views.h"

namespace wick {
namespace {

// The report marks each condition of --fail-if that holds with a bad tone.
int status_for_conditions(const Report& report) {
  auto section = std::ranges::find(report.sections, "conditions", &Section::name);
  if (section == report.sections.end()) {
    return kDone;
  }
  const Table& table = std::get<Table>(section->body);
  const ReportColumn& outcome = *table.find("outcome");
  const ReportColumn& name = *table.find("name");
  int status = kDone;
  for (size_t row = 0; row < table.rows(); ++row) {
    if (outcome.tones[row] == Tone::kBad) {
      say(fmt::format("--fail-if \"{}\" is true (status 4).", terminal_text(name.text[row])));
      status = kConditionMet;
    }
  }
  return status;
}

// Writes the flame graph to its own file. Only JSON output also contains it.
Result<> write_picture(Report& report, const FlagValues& flags) {
  auto section = std::ranges::find(report.sections, "flame", &Section::name);
  if (section == report.sections.end()) {
    return {};
  }
  bool shares = flags.text("as") == "share" && !flags.given("per") && report.unit != "bytes";
  Report picture{
      .title = section->title, .unit = shares ? "% of the time" : report.unit, .loss = report.loss};
  picture.cautions = report.cautions;
  picture.sections.push_back(*section);
  const View& svg = *find_view("svg");
  FlagValues svg_values;
  svg_values.declare(svg.flags);
  std::string width = flags.text("flame-width");
  svg_values.set(
      "subtitle",
      fmt::format(
          "Widths: {}. Titles show both.",
          width == "both" ? "mean of before and after, so vanished frames are visible" : width));
  Output out = TRY(Output::to_path(flags.text("flame")));
  TRY(svg.write(picture, svg_values, out));
  TRY(out.finish());
  if (!flags.is_set("json")) {
    report.sections.erase(section);
  }
  return {};
}

// Says which recordings of a stopped experiment remain. Returns the status that a shell would
// return.
int status_of_stop(int number, const FlagValues& flags) {
  std::string saved = "no recordings were saved";
  if (flags.given("keep")) {
    saved = fmt::format("{} contains the complete runs", terminal_text(flags.text("keep")));
  }
  say(fmt::format("{}; nothing was compared, and {}.", stop_text(number), saved));
  return kStopped + number;
}

// The runs take minutes, so mistakes that would waste them are reported first.
Result<> check_before_recording(const FlagValues& flags, const Analysis& analysis) {
  for (const std::string& condition : flags.texts("fail-if")) {
    TRY(parse_condition(condition));
  }
  return check_output(flags, {.default_view = analysis.view, .draws = true});
}

std::vector<std::string> unused_in(std::span<const Side> sides) {
  std::vector<std::string> texts;
  for (const Side& side : sides) {
    for (const Profile& run : side.runs) {
      for (std::string& text : unused_content(run)) {
        if (std::ranges::find(texts, text) == texts.end()) {
          texts.push_back(std::move(text));
        }
      }
    }
  }
  return texts;
}

Result<int> run_diff_verb(const Invocation& call) {
  const Analysis& analysis =
      *std::ranges::find(all_analyses(), call.command->name, &Analysis::name);
  FlagValues flags = call.flags;
  if (flags.text("output").ends_with(".svg") && !flags.given("flame")) {
    flags.set("flame", flags.text("output"));
    flags.set("output", "-");
  }
  RecordedSides loading;
  std::vector<std::string> first_files;  // of each side
  if (records_sides(flags)) {
    if (!flags.given("as")) {
      flags.set("as", "run");  // both sides did the same work
    }
    TRY(check_before_recording(flags, analysis));
    Invocation resolved{.command = call.command,
                        .flags = flags,
                        .words = call.words,
                        .words_before_dashes = call.words_before_dashes};
    loading = TRY(record_sides(resolved, analysis));
    if (loading.stopped_by != 0) {
      return status_of_stop(loading.stopped_by, flags);
    }
  } else {
    TRY(check_flags_for_files(flags));
    acquire::Options options = TRY(input_options(flags));
    FileSides files = TRY(file_sides(call, options));
    std::ranges::transform(files.sides,
                           std::back_inserter(first_files),
                           [](const std::vector<std::string>& side) { return side[0]; });
    Filter filter = TRY(parse_filter(flags));
    loading = TRY(load_sides(files.sides, options, std::move(filter)));
    loading.notes.insert(loading.notes.begin(), files.notes.begin(), files.notes.end());
  }
  Result<Report> compared = analysis.compare(loading.sides, flags);
  if (!compared) {
    print_warnings(unused_in(loading.sides));
    return std::unexpected(compared.error());
  }
  Report report = std::move(*compared);
  report.verb = analysis.name;
  if (report.unit == "bytes") {  // of programs
    std::ranges::move(cautions_about_files(file_search(flags), first_files),
                      std::back_inserter(report.cautions));
  }
  const std::vector<std::string>& unmatched = loading.unmatched.sentences();
  report.warnings.insert(report.warnings.begin(), unmatched.begin(), unmatched.end());
  TRY(write_picture(report, flags));
  report.notes.insert(report.notes.begin(), loading.notes.begin(), loading.notes.end());
  if (std::string retained = retained_share_text(loading.retained.least, loading.retained.most);
      !retained.empty()) {
    report.notes.insert(report.notes.begin(), std::move(retained));
  }
  int shown =
      TRY(show(report,
               flags,
               {.default_view = analysis.view, .draws = true, .lost_share = loading.lost_share}));
  int judged = status_for_conditions(report);
  return judged != kDone ? judged : shown;
}

}  // namespace

Command comparison_command(const Analysis& analysis) {
  Command command{.name = analysis.name,
                  .help = analysis.help,
                  .words = "BEFORE AFTER... | BEFORE... -- AFTER...",
                  .examples = {analysis.example,
                               "wick diff --as run before/*.wick -- after/*.wick",
                               "wick diff old.wick new.wick --fail-if 'total(parse) > +2%'",
                               "wick diff --repeat 5 -- ./old --flag -- ./new --flag",
                               "wick diff --git v1..HEAD --build make -- ./program",
                               "wick diff profile.wick --detect 5"},
                  .run = run_diff_verb,
                  .family = VerbFamily::kCompare};
  append_flags(command.flags, analysis.flags);
  append_flags(command.flags, recorded_sides_flags());
  append_flags(command.flags, filter_flags());
  append_flags(command.flags, output_flags(analysis.view));
  append_flags(command.flags, input_flags());
  return command;
}

}  // namespace wick
