// SPDX-License-Identifier: Apache-2.0
// wick size: shows which parts of a program take how many bytes.
//
// formats/elf_size reads an ELF file as a profile whose weights are bytes. This verb shows that
// profile as a table of symbols and sections, as a tree, or as a flame graph.
#include <algorithm>
#include <array>
#include <iterator>

#include "analyze/section_sizes.h"
#include "answer/answer.h"
#include "answer/built_programs.h"
#include "base/escape.h"
#include "cli/commands/commands.h"
#include "cli/load.h"
#include "cli/show.h"
#include "formats/elf_size/elf_size.h"
#include "views/numbers.h"

namespace wick {
namespace {

constexpr std::array kSizeFlags = {
    Flag{.name = "tree", .help = "sections, namespaces, types and symbols as a tree"},
    Flag{.name = "sort",
         .letter = 's',
         .kind = FlagKind::kChoice,
         .value = "self|total|name",
         .fallback = "self",
         .help = "sort by symbols (self) or by namespaces (total)"},
};

// The line about debug information, which the sizes do not include; empty if there is none.
std::string note_of_debug(const Profile& profile) {
  double bytes = 0;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    const Event& event = profile.events[profile.samples.event[row]];
    if (profile.strings[event.name] == elf_size::kDebugEvent) {
      bytes += static_cast<double>(profile.samples.weight[row]);
    }
  }
  return bytes == 0 ? ""
                    : fmt::format(
                          "{} of debug information are not part of these sizes: programs "
                          "run without it. `--event {}` lists its sections.",
                          weight_text(bytes, "bytes"),
                          elf_size::kDebugEvent);
}

Result<int> run_size(const Invocation& call) {
  if (call.words.empty()) {
    return fail_usage(
        "No file given; wick size takes ELF files: programs, libraries, object files.");
  }
  std::vector<std::string> paths = TRY(choose_inputs(call.words, call.flags));
  Loaded loaded = TRY(load(paths, call.flags));
  for (size_t i = 0; i < paths.size(); ++i) {
    if (!loaded.formats[i]->has_sizes) {
      return fail("{} is not an ELF file; `wick report` shows profiles.", terminal_text(paths[i]));
    }
  }
  std::string debug_note = note_of_debug(loaded.profile);
  std::vector<std::string> warnings = TRY(filter_loaded(loaded, call.flags, KeepEvents::kFirst));
  if (!debug_note.empty() && !call.flags.given("event")) {
    std::erase_if(loaded.notes, [](const std::string& note) {
      return note.starts_with("Several events: ");  // the sentence says it better
    });
    loaded.notes.push_back(std::move(debug_note));
  }
  bool picture = call.flags.text("output").ends_with(".svg");
  std::string_view sort = call.flags.text("sort");
  Report report = TRY(size_report(loaded.profile,
                                  picture                     ? SizeShape::kFlame
                                  : call.flags.is_set("tree") ? SizeShape::kTree
                                  : sort == "total"           ? SizeShape::kByTotal
                                  : sort == "name"            ? SizeShape::kByName
                                                              : SizeShape::kBySelf));
  report.verb = "size";
  report.warnings = std::move(warnings);
  if (paths.size() == 1) {
    std::ranges::move(cautions_about_files(file_search(call.flags), paths),
                      std::back_inserter(report.cautions));
  }
  report.title = paths.size() == 1 ? "Bytes of " + paths[0] : "Bytes";
  report.notes.insert(report.notes.begin(), loaded.notes.begin(), loaded.notes.end());
  FlagValues flags = call.flags;
  if (picture && !flags.given("width")) {
    flags.set("width", "1200");  // a picture has no terminal's width
  }
  return show(report,
              std::move(flags),
              {.default_view = picture ? "svg" : "terminal", .lost_share = loaded.lost_share});
}

}  // namespace

Command size_command() {
  Command command{.name = "size",
                  .help = "show the size of a program by section, namespace and symbol",
                  .words = "ELF...",
                  .examples = {"wick size build/server",
                               "wick size build/server -o size.svg",
                               "wick size build/server --tree"},
                  .run = run_size,
                  .family = VerbFamily::kFiles};
  append_flags(command.flags, kSizeFlags);
  append_flags(command.flags, filter_flags());
  append_flags(command.flags, output_flags("terminal"));
  append_flags(command.flags, output_flags("svg"));
  append_flags(command.flags, input_flags());
  return command;
}

}  // namespace wick
