// SPDX-License-Identifier: Apache-2.0
// Every analysis is a verb: read the files, filter, analyse, show.
#include <algorithm>
#include <array>

#include <unistd.h>

#include "analyze/analyses.h"
#include "base/escape.h"
#include "cli/commands/commands.h"
#include "cli/load.h"
#include "cli/show.h"
#include "pipeline/code_reader.h"
#include "pipeline/name_quality.h"
#include "profile/shorten_names.h"
#include "report/columns.h"

namespace wick {
namespace {

constexpr std::array kNameFlags = {
    Flag{.name = "short-names", .help = "names without template arguments and parameters"},
};

const Analysis& analysis_of(const Command& command) {
  return *std::ranges::find(all_analyses(), command.name, &Analysis::name);
}

struct Words {
  std::vector<std::string> files;
  std::string argument;
};

// The last word is the analysis' argument, if it takes one.
Words split_words(const Invocation& call, const Analysis& analysis) {
  Words words{.files = call.words};
  if (!analysis.argument.empty() && !words.files.empty()) {
    // A single word can be a file or the argument. It is a file if that file exists, and if the
    // argument is optional or there is no recording to read by default.
    bool has_default = ::access("profile.wick", F_OK) == 0 || ::access("perf.data", F_OK) == 0;
    bool only_a_file = words.files.size() == 1 && !call.flags.given("input") &&
                       (!has_default || analysis.argument_optional) &&
                       ::access(words.files[0].c_str(), F_OK) == 0;
    if (!only_a_file) {
      words.argument = words.files.back();
      words.files.pop_back();
    }
  }
  return words;
}

Result<Report> analysed(const Analysis& analysis,
                        const Profile& profile,
                        const std::string& argument,
                        const FlagValues& flags) {
  if (analysis.run_on_code == nullptr) {
    return analysis.run(profile, argument, flags);
  }
  bool intel = flags.text("disassembler-style") == "intel";
  CodeReader code(TRY(name_sources(flags)),
                  {.syntax = intel ? AssemblySyntax::kIntel : AssemblySyntax::kAtt,
                   .source_dirs = split_source_dirs(flags.text("source-dir"))});
  return analysis.run_on_code(profile, argument, flags, code);
}

// Only this machine's files show why names are missing. Analyses do not read files, so the verb
// adds this section.
void add_name_quality(const Profile& profile, const FlagValues& flags, Report& report) {
  std::vector<ModuleLack> lacking = lacking_names(profile, file_search(flags));
  if (lacking.empty()) {
    return;
  }
  Table table{.columns = {count_column("samples", "samples", ColumnRole::kSamples),
                          name_column("module"),
                          text_column("lacks", "missing"),
                          text_column("reason", "why"),
                          text_column("fix", "what would help"),
                          text_column("looked_in", "searched")}};
  table.columns.back().importance = Importance::kExtra;
  for (const ModuleLack& lack : lacking) {
    table.columns[0].numbers.push_back(static_cast<double>(lack.samples));
    table.columns[1].text.push_back(lack.module);
    table.columns[2].text.push_back(lack.lacks);
    table.columns[3].text.push_back(lack.why);
    table.columns[4].text.push_back(lack.remedy);
    table.columns[5].text.push_back(lack.looked_in);
  }
  report.sections.push_back({"names", "Modules without names or lines", std::move(table)});
}

Result<int> run_analysis(const Invocation& call) {
  const Analysis& analysis = analysis_of(*call.command);
  Words words = split_words(call, analysis);
  if (!analysis.argument.empty() && !analysis.argument_optional && words.argument.empty()) {
    return fail_usage("Missing {} argument, e.g. {}", analysis.argument, analysis.example);
  }
  std::vector<std::string> paths = TRY(choose_inputs(words.files, call.flags));
  Loaded loaded = TRY(load(paths, call.flags));
  for (size_t i = 0; i < paths.size(); ++i) {
    if (loaded.formats[i]->has_sizes) {
      loaded.notes.push_back(fmt::format(
          "{} is a program or library: this shows its size, not its time; `wick record` records "
          "it.",
          terminal_text(paths[i])));
    }
  }
  KeepEvents keep = analysis.takes_pairs ? KeepEvents::kFirstOrPair : KeepEvents::kFirst;
  std::vector<std::string> warnings = TRY(filter_loaded(loaded, call.flags, keep));
  if (call.flags.is_set("short-names")) {
    shorten_names(loaded.profile);
  }
  Report report = TRY(analysed(analysis, loaded.profile, words.argument, call.flags));
  report.verb = analysis.name;
  report.warnings.insert(report.warnings.begin(), warnings.begin(), warnings.end());
  report.notes.insert(report.notes.begin(), loaded.notes.begin(), loaded.notes.end());
  if (analysis.notes_unnamed_time) {
    std::string note = note_of_unnamed_time(loaded.profile, file_search(call.flags));
    if (!note.empty()) {
      report.notes.insert(report.notes.begin(), std::move(note));
    }
  }
  if (analysis.lists_missing_names) {
    add_name_quality(loaded.profile, call.flags, report);
  }
  return show(
      report,
      call.flags,
      {.default_view = analysis.view, .page_view = analysis.page, .lost_share = loaded.lost_share});
}

}  // namespace

Command analysis_command(const Analysis& analysis) {
  Command command{.name = analysis.name,
                  .help = analysis.help,
                  .words = analysis.argument.empty()    ? "[FILE...]"
                           : analysis.argument_optional ? "[FILE...] [FUNCTION]"
                                                        : "[FILE...] FUNCTION",
                  .examples = {analysis.example},
                  .run = run_analysis};
  append_flags(command.flags, analysis.flags);
  append_flags(command.flags, filter_flags());
  append_flags(command.flags, output_flags(analysis.view));
  append_flags(command.flags, kNameFlags);
  append_flags(command.flags, input_flags());
  return command;
}

void append_flags(std::vector<Flag>& flags, std::span<const Flag> more) {
  for (const Flag& flag : more) {
    if (std::ranges::find(flags, flag.name, &Flag::name) == flags.end()) {
      flags.push_back(flag);
    }
  }
}

}  // namespace wick
