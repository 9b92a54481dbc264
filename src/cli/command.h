// SPDX-License-Identifier: Apache-2.0
// A verb: what it is called, what it takes and what it does. Help, completion and the reference
// page are made from these rows; cli/commands.cc lists them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/flags.h"
#include "base/result.h"

namespace wick {

struct Command;

// One call of a verb, parsed.
struct Invocation {
  const Command* command = nullptr;
  FlagValues flags;
  std::vector<std::string> words;  // what is neither a flag nor a flag's value
  // How many of the words stand before the first "--", which is not among them; nothing without it.
  std::optional<size_t> words_before_dashes = {};
};

// Words up to each "--", which are commands of their own.
std::vector<std::vector<std::string>> split_at_dashes(const std::vector<std::string>& words);

struct Command {
  std::string_view name;
  std::string_view help;   // one line
  std::string_view words;  // "FILE..." as usage shows it
  std::vector<std::string_view> examples;
  std::vector<Flag> flags;
  // The exit status, or an error that main prints.
  Result<int> (*run)(const Invocation& call);
  std::string (*more_help)() = nullptr;  // what its page of help ends with
  bool hidden = false;                   // works, but is not listed
  bool runs_command = false;             // the words are a program and its own arguments
};

// Exit statuses of every verb.
inline constexpr int kDone = 0;
inline constexpr int kWorldWrong = 1;
inline constexpr int kUsageWrong = 2;
inline constexpr int kTooMuchLost = 3;
inline constexpr int kConditionMet = 4;  // diff --fail-if

const std::vector<Command>& all_commands();
const Command* find_command(std::string_view name);

}  // namespace wick
