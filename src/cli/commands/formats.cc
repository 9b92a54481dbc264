// SPDX-License-Identifier: Apache-2.0
// wick formats: lists the formats that wick reads and writes.
#include "formats/formats.h"

#include "cli/commands/commands.h"
#include "cli/help.h"
#include "cli/show.h"
#include "report/columns.h"

namespace wick {
namespace {

Result<int> run(const Invocation& call) {
  if (!call.words.empty()) {
    return fail_usage("wick formats takes no file; `wick info FILE` shows the format of a file.");
  }
  Table table{.columns = {name_column("format"),
                          text_column("extension", "extension"),
                          text_column("reads", "reads"),
                          text_column("writes", "writes"),
                          text_column("help", "description")}};
  for (const Format& format : all_formats()) {
    bool reads = format.read_profile != nullptr || format.read_events != nullptr;
    table.columns[0].text.push_back(format.name);
    table.columns[1].text.push_back(format.extension);
    table.columns[2].text.push_back(reads ? "yes" : "no");
    table.columns[3].text.push_back(format.write_profile != nullptr ? "yes" : "no");
    table.columns[4].text.push_back(format.help);
  }
  Report report{.title = "Formats, recognised by content"};
  report.verb = "formats";
  report.sections.push_back({"formats", report.title, std::move(table)});
  report.notes.emplace_back("wick also opens gzip and zstd files of any of them, and UTF-16 text.");
  return show(report, call.flags, {.default_view = "terminal"});
}

}  // namespace

Command formats_command() {
  return {.name = "formats",
          .help = "list the formats that wick reads and writes",
          .words = "",
          .examples = {"wick formats"},
          .flags = output_flags("terminal"),
          .run = run,
          .more_help = format_flags_help};
}

}  // namespace wick
