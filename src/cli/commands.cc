// SPDX-License-Identifier: Apache-2.0
// The table of verbs. Every analysis is a verb (analyze/analyses.cc). Each other verb is a file in
// cli/commands/ and one line in this table.
#include "cli/commands/commands.h"

#include <algorithm>

#include "analyze/analyses.h"

namespace wick {

const std::vector<Command>& all_commands() {
  static const std::vector<Command> kCommands = [] {
    std::vector<Command> commands;
    for (const Analysis& analysis : all_analyses()) {
      commands.push_back(analysis.compare != nullptr ? comparison_command(analysis)
                                                     : analysis_command(analysis));
    }
    commands.push_back(record_command());
    commands.push_back(run_command());
    commands.push_back(stat_command());
    commands.push_back(view_command());
    commands.push_back(sweep_command());
    commands.push_back(query_command());
    commands.push_back(convert_command());
    commands.push_back(symbolize_command());
    commands.push_back(info_command());
    commands.push_back(size_command());
    commands.push_back(formats_command());
    commands.push_back(mcp_command());
    commands.push_back(doctor_command());
    commands.push_back(help_command());
    commands.push_back(completion_command());
    return commands;
  }();
  return kCommands;
}

const Command* find_command(std::string_view name) {
  auto found = std::ranges::find(all_commands(), name, &Command::name);
  return found == all_commands().end() ? nullptr : &*found;
}

std::vector<std::vector<std::string>> split_at_dashes(const std::vector<std::string>& words) {
  std::vector<std::vector<std::string>> parts(1);
  for (const std::string& word : words) {
    if (word == "--") {
      parts.emplace_back();
    } else {
      parts.back().push_back(word);
    }
  }
  return parts;
}

}  // namespace wick
