// SPDX-License-Identifier: Apache-2.0
// wick convert: writes profiles of any readable format in any writable format.
#include <array>
#include <cstdio>

#include "analyze/summary.h"
#include "answer/answer.h"
#include "base/escape.h"
#include "base/output.h"
#include "cli/commands/commands.h"
#include "cli/load.h"
#include "cli/show.h"
#include "cli/tty.h"
#include "formats/target.h"
#include "pipeline/code_blocks.h"

namespace wick {
namespace {

constexpr std::array kConvertFlags = {
    Flag{"to",
         't',
         FlagKind::kText,
         "FORMAT",
         "",
         "format to write (default: from the extension of -o)"},
    Flag{"output",
         'o',
         FlagKind::kPath,
         "FILE",
         "-",
         "where to write, - for standard output; .gz and .zst pack"},
    Flag{.name = "strict", .help = "fail if the format cannot hold everything of the profile"},
};

Result<int> run_convert(const Invocation& call) {
  ConvertTarget target = TRY(choose_target(call.flags.text("to"), call.flags.text("output")));
  const Format* format = target.format;
  std::vector<std::string> paths = TRY(choose_inputs(call.words, call.flags));
  Loaded loaded = TRY(load(paths, call.flags));
  if (format->retains.contains(Property::kBranches)) {
    add_code_blocks(loaded.profile, TRY(name_sources(call.flags)));
  }
  size_t events = call.flags.given("event") ? 0 : loaded.profile.events.size();
  // A file that says how frames were found can still be shown in each way.
  bool holds_origins = format->retains.contains(Property::kOrigins);
  print_warnings(
      TRY(filter_loaded(loaded,
                        call.flags,
                        format->writes_one_event ? KeepEvents::kFirstOrPair : KeepEvents::kAll,
                        holds_origins ? ShownFrames::kRecorded : ShownFrames::kMixed)));
  std::string unretained = unretained_text(*format, loaded.profile, call.flags, events);
  if (call.flags.is_set("strict") && !unretained.empty()) {
    return fail("{} Without --strict, wick writes the rest.", unretained);
  }
  TRY(check_spelled_stacks(*format, loaded.profile));
  // A terminal would execute escape sequences in names.
  bool on_terminal = call.flags.text("output") == "-" && stdout_is_terminal();
  std::string text;
  Output out = on_terminal
                   ? Output::to_text(text)
                   : TRY(Output::to_path(call.flags.text("output"), {.packing = target.packing}));
  TRY(format->write_profile(loaded.profile, call.flags, out));
  TRY(out.finish());
  text = terminal_lines(text);
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (!unretained.empty()) {
    loaded.notes.push_back(std::move(unretained));
  }
  std::vector<std::string> alarmed = alarms(loaded.profile);
  print_cautions(alarmed);
  print_loss_and_notes(loss_lines(loaded.profile), loaded.notes);
  return status_for_loss(loaded.lost_share, !alarmed.empty(), call.flags);
}

}  // namespace

Command convert_command() {
  Command command{.name = "convert",
                  .help = "convert any profile that wick reads to any format that it writes",
                  .words = "[FILE...]",
                  .examples = {"wick convert profile.wick --to folded -o -",
                               "wick convert a.wick b.wick -o both.speedscope.json.gz",
                               "perf record -o - ./program | wick convert - -o new.wick"},
                  .run = run_convert,
                  .family = VerbFamily::kFiles};
  append_flags(command.flags, kConvertFlags);
  for (const Format& format : all_formats()) {
    append_flags(command.flags, format.write_flags);
  }
  append_flags(command.flags, filter_flags());
  append_flags(command.flags, input_flags());
  append_flags(command.flags, loss_flags());
  return command;
}

}  // namespace wick
