// SPDX-License-Identifier: Apache-2.0
// wick formats: lists the formats that wick reads and writes.
#include "formats/formats.h"

#include "cli/commands/commands.h"
#include "cli/help.h"
#include "cli/show.h"
#include "report/columns.h"

namespace wick {
namespace {

std::string_view versions(bool is_supported, std::string_view versions) {
  return !is_supported ? "no" : versions.empty() ? "yes" : versions;
}

Result<int> run_formats(const Invocation& call) {
  if (!call.words.empty()) {
    return fail_usage("wick formats takes no file; `wick info FILE` shows the format of a file.");
  }
  Table table{.columns = {name_column("format"),
                          text_column("extension", "extension"),
                          text_column("reads", "reads"),
                          text_column("writes", "writes"),
                          text_column("retains", "retains"),
                          text_column("help", "description")}};
  for (const Format& format : all_formats()) {
    bool reads = format.read_profile != nullptr || format.read_events != nullptr;
    table.columns[0].text.push_back(format.name);
    table.columns[1].text.push_back(format.extension);
    table.columns[2].text.push_back(versions(reads, format.versions_read));
    table.columns[3].text.push_back(
        versions(format.write_profile != nullptr, format.version_written));
    table.columns[4].text.push_back(property_names(format.retains));
    table.columns[5].text.push_back(format.help);
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
          .run = run_formats,
          .more_help = format_flags_help,
          .family = VerbFamily::kFiles};
}

}  // namespace wick
