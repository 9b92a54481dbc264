// SPDX-License-Identifier: Apache-2.0
#include "answer/answer.h"

#include <array>

#include "base/escape.h"
#include "pipeline/code_blocks.h"
#include "pipeline/code_reader.h"
#include "pipeline/name_quality.h"
#include "profile/shorten_names.h"
#include "report/columns.h"

namespace wick {
namespace {

constexpr std::array kNameFlags = {
    Flag{.name = "short-names", .help = "names without template arguments and parameters"},
};

Result<Report> analysed(const Question& question,
                        const Profile& profile,
                        const AnswerFiles& files) {
  const Analysis& analysis = question.analysis;
  if (analysis.run_on_code == nullptr) {
    return analysis.run(profile, question.argument, question.flags);
  }
  bool intel = question.flags.text("disassembler-style") == "intel";
  CodeReader code(files.names,
                  {.syntax = intel ? AssemblySyntax::kIntel : AssemblySyntax::kAtt,
                   .source_dirs = split_source_dirs(question.flags.text("source-dir")),
                   .may_show_source = files.may_show_source});
  return analysis.run_on_code(profile, question.argument, question.flags, code);
}

// Only this machine's files show why names are missing. Analyses do not read files, so this section
// comes from outside of them.
void add_name_quality(const Profile& profile, const FileSearch& search, Report& report) {
  std::vector<MissingNames> modules = modules_without_names(profile, search);
  if (modules.empty()) {
    return;
  }
  Table table{.columns = {count_column("samples", "samples", ColumnRole::kSamples),
                          name_column("module"),
                          text_column("lacks", "missing"),
                          text_column("reason", "why"),
                          text_column("fix", "what would help"),
                          text_column("looked_in", "searched")}};
  table.columns.back().importance = Importance::kExtra;
  for (const MissingNames& missing : modules) {
    table.columns[0].numbers.push_back(static_cast<double>(missing.samples));
    table.columns[1].text.push_back(missing.module);
    table.columns[2].text.push_back(missing.what);
    table.columns[3].text.push_back(missing.why);
    table.columns[4].text.push_back(missing.remedy);
    table.columns[5].text.push_back(missing.searched);
  }
  report.sections.push_back({"names", "Modules without names or lines", std::move(table)});
}

void note_sizes(const std::vector<std::string>& paths, acquire::Acquired& loaded) {
  for (size_t i = 0; i < paths.size(); ++i) {
    if (loaded.formats[i]->has_sizes) {
      loaded.notes.push_back(fmt::format(
          "{} is a program or library: this shows its size, not its time; `wick record` records "
          "it.",
          terminal_text(paths[i])));
    }
  }
}

}  // namespace

std::span<const Flag> name_flags() {
  return kNameFlags;
}

Result<std::vector<std::string>> filter_loaded(acquire::Acquired& loaded,
                                               const FlagValues& flags,
                                               KeepEvents keep_events,
                                               ShownFrames frames) {
  Filter filter = TRY(parse_filter(flags));
  filter.keep_events = keep_events;
  filter.usual_frames = frames;
  filter.names_tasks = flags.is_declared("by") && flags.text("by") == "task";
  Filtered filtered = TRY(apply_filter(std::move(loaded.profile), filter));
  loaded.profile = std::move(filtered.profile);
  loaded.notes.insert(loaded.notes.end(), filtered.notes.begin(), filtered.notes.end());
  if (filtered.retained < 1) {
    loaded.notes.push_back(retained_share_text(filtered.retained, filtered.retained));
  }
  return std::move(filtered.unmatched);
}

Result<Report> answer(const Question& question,
                      const std::vector<std::string>& paths,
                      acquire::Acquired loaded,
                      const AnswerFiles& files) {
  const Analysis& analysis = question.analysis;
  note_sizes(paths, loaded);
  KeepEvents keep = analysis.compares_events ? KeepEvents::kAll
                    : analysis.takes_pairs   ? KeepEvents::kFirstOrPair
                                             : KeepEvents::kFirst;
  std::vector<std::string> warnings =
      TRY(filter_loaded(loaded, question.flags, keep, analysis.usual_frames));
  if (question.flags.is_set("short-names")) {
    shorten_names(loaded.profile);
  }
  if (analysis.needs_code_blocks) {
    add_code_blocks(loaded.profile, files.names);
  }
  Report report = TRY(analysed(question, loaded.profile, files));
  report.verb = analysis.name;
  report.warnings.insert(report.warnings.begin(), warnings.begin(), warnings.end());
  report.notes.insert(report.notes.begin(), loaded.notes.begin(), loaded.notes.end());
  if (analysis.notes_unnamed_time) {
    std::string note = note_of_unnamed_time(loaded.profile, files.names.files);
    if (!note.empty()) {
      report.notes.insert(report.notes.begin(), std::move(note));
    }
  }
  if (analysis.lists_missing_names) {
    add_name_quality(loaded.profile, files.names.files, report);
  }
  return report;
}

}  // namespace wick
