// SPDX-License-Identifier: Apache-2.0
// The help pages. A verb has about forty flags, and most of them are the same for every verb. So
// the pages group them: the verb's own flags, filters, output, input. A flag belongs to the group
// whose table has its row. The flags of one format are on the format's own page.
#include "cli/help.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/flag_help.h"
#include "cli/load.h"
#include "cli/show.h"
#include "profile/filter.h"
#include "views/views.h"

namespace wick {
namespace {

constexpr size_t kVerbColumn = 14;

enum class Family : uint8_t { kOwn, kFilter, kOutput, kInput, kFormat };

// Compares the help texts, too: two tables can have flags of the same name.
bool has_row(std::span<const Flag> rows, const Flag& flag) {
  return std::ranges::any_of(
      rows, [&](const Flag& row) { return row.name == flag.name && row.help == flag.help; });
}

bool is_of_a_format(const Flag& flag) {
  return std::ranges::any_of(all_formats(), [&](const Format& format) {
    return has_row(format.read_flags, flag) || has_row(format.write_flags, flag);
  });
}

bool is_of_a_view(const Flag& flag) {
  return std::ranges::any_of(
      all_views(), [&](const View& view) { return has_row(output_flags(view.name), flag); });
}

Family family_of(const Flag& flag) {
  return is_of_a_format(flag)            ? Family::kFormat
         : has_row(filter_flags(), flag) ? Family::kFilter
         : is_of_a_view(flag)            ? Family::kOutput
         : has_row(input_flags(), flag)  ? Family::kInput
                                         : Family::kOwn;
}

std::string flag_blocks(const Command& command) {
  constexpr std::array<std::string_view, 4> kHeadings = {"Flags", "Filters", "Output", "Input"};
  std::array<std::vector<Flag>, 5> families;
  for (const Flag& flag : command.flags) {
    families[static_cast<size_t>(family_of(flag))].push_back(flag);
  }
  std::string text;
  for (size_t family = 0; family < kHeadings.size(); ++family) {
    text += flag_block(kHeadings[family], families[family]);
  }
  if (!families[static_cast<size_t>(Family::kFormat)].empty()) {
    text += "\nSome formats have flags of their own: `wick help formats` lists them.\n";
  }
  return text;
}

std::string flags_of_format(const Format& format, std::string_view heading_end) {
  std::vector<Flag> reads(format.read_flags.begin(), format.read_flags.end());
  std::vector<Flag> writes;
  for (const Flag& flag : format.write_flags) {
    if (!has_row(format.read_flags, flag)) {
      writes.push_back(flag);
    }
  }
  return flag_block(fmt::format("Reading{}", heading_end), reads) +
         flag_block(fmt::format("Writing{} (wick convert)", heading_end), writes);
}

}  // namespace

std::string general_help() {
  constexpr std::array<std::string_view, 4> kHeadings = {
      "Record", "Look at a profile", "Compare and measure", "Files and help"};
  std::string text =
      "wick shows where a program's time goes.\n\n"
      "  wick run -- ./program         record it, report, write the viewer's page\n"
      "  wick report FILE              a table of the hottest functions\n"
      "  wick view FILE                flame graph, timeline and callers in the browser\n";
  for (size_t family = 0; family < kHeadings.size(); ++family) {
    text += fmt::format("\n{}:\n", kHeadings[family]);
    for (const Command& command : all_commands()) {
      if (!command.hidden && static_cast<size_t>(command.family) == family) {
        text += fmt::format("  {:<12}{}\n", command.name, wrapped_help(command.help, kVerbColumn));
      }
    }
  }
  text +=
      "\n"
      "FILE is a profile in any format that `wick formats` lists, plain or compressed;\n"
      "\"-\" is standard input. Without FILE, wick reads the newer of ./profile.wick and\n"
      "./perf.data. `wick VERB --help` describes a verb, `wick help FORMAT` a format.\n"
      "Exit status: 0 success, 1 a problem with the input or the machine, 2 a wrong\n"
      "command line, 3 success, but more was lost than --allow-loss allows, 4 a check\n"
      "failed (diff --fail-if, sweep). With a command: its own status, 125 if wick\n"
      "failed, 126 if the command cannot be executed, 127 if it does not exist.\n";
  return text;
}

std::string command_help(const Command& command) {
  std::string text = fmt::format("wick {}: ", command.name);
  text += wrapped_help(command.help, text.size()) + "\n\n";
  std::string_view blank = command.words.empty() ? "" : " ";
  // Flags come first: those after "--" belong to the command.
  text += fmt::format("usage: wick {}{}{}{}\n",
                      command.name,
                      command.flags.empty() ? "" : " [FLAGS]",
                      blank,
                      command.words);
  for (std::string_view example : command.examples) {
    text += fmt::format("       {}\n", example);
  }
  text += flag_blocks(command);
  return text + (command.more_help == nullptr ? "" : command.more_help());
}

std::string format_help(const Format& format) {
  bool reads = format.read_profile != nullptr || format.read_events != nullptr;
  bool writes = format.write_profile != nullptr;
  std::string text = fmt::format("{}: ", format.name);
  text += wrapped_help(format.help, text.size()) + "\n\n";
  text += fmt::format("wick {} it{}.\n",
                      reads && writes ? "reads and writes"
                      : reads         ? "reads"
                                      : "writes",
                      reads ? ", whatever the file is called" : "");
  return text + flags_of_format(format, "");
}

std::string format_flags_help() {
  std::string text =
      "\nSome formats have flags of their own. Every verb that reads such a file takes\n"
      "them; `wick help FORMAT` shows those of one format.\n";
  for (const Format& format : all_formats()) {
    text += flags_of_format(format, fmt::format(" {}", format.name));
  }
  return text;
}

}  // namespace wick
