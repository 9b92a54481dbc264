// SPDX-License-Identifier: Apache-2.0
// wick convert: writes profiles of any readable format in any writable format.
#include <algorithm>
#include <array>
#include <cstdio>

#include "analyze/summary.h"
#include "base/escape.h"
#include "base/output.h"
#include "cli/commands/commands.h"
#include "cli/load.h"
#include "cli/show.h"
#include "cli/tty.h"

namespace wick {
namespace {

constexpr std::array kFlags = {
    Flag{"to",
         't',
         FlagKind::kText,
         "FORMAT",
         "",
         "format to write (default: from the extension of -o)"},
    Flag{"output", 'o', FlagKind::kPath, "FILE", "-", "where to write, - for standard output"},
};

std::string writable_formats() {
  std::string names;
  for (const Format& format : all_formats()) {
    if (format.write_profile != nullptr) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", format.name);
    }
  }
  return names;
}

Result<const Format*> target_format(const FlagValues& flags) {
  auto writable = [](const Format& format) { return format.write_profile != nullptr; };
  if (flags.given("to")) {
    const Format* format = find_format(flags.text("to"));
    if (format == nullptr || !writable(*format)) {
      return fail_usage("wick cannot write \"{}\"; --to takes one of: {}.",
                        terminal_text(flags.text("to")),
                        writable_formats());
    }
    return format;
  }
  for (const Format& format : all_formats()) {
    if (writable(format) && flags.text("output").ends_with(format.extension)) {
      return &format;
    }
  }
  return fail_usage("Missing output format; use --to with one of: {}.", writable_formats());
}

Result<int> run(const Invocation& call) {
  const Format* format = TRY(target_format(call.flags));
  std::vector<std::string> paths = TRY(choose_inputs(call.words, call.flags));
  Loaded loaded = TRY(load(paths, call.flags));
  print_warnings(TRY(filter_loaded(
      loaded, call.flags, format->writes_one_event ? KeepEvents::kFirstOrPair : KeepEvents::kAll)));
  // A terminal would execute escape sequences in names.
  bool on_terminal = call.flags.text("output") == "-" && stdout_is_terminal();
  std::string text;
  Output out =
      on_terminal ? Output::to_text(text) : TRY(Output::to_path(call.flags.text("output")));
  TRY(format->write_profile(loaded.profile, call.flags, out));
  TRY(out.finish());
  text = terminal_lines(text);
  std::fwrite(text.data(), 1, text.size(), stdout);
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
                               "wick convert old.folded.gz -o new.wick"},
                  .run = run};
  append_flags(command.flags, kFlags);
  for (const Format& format : all_formats()) {
    append_flags(command.flags, format.write_flags);
  }
  append_flags(command.flags, filter_flags());
  append_flags(command.flags, input_flags());
  append_flags(command.flags, loss_flags());
  return command;
}

}  // namespace wick
