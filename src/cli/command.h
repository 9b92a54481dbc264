// SPDX-License-Identifier: Apache-2.0
// A verb such as `wick report`: its name, its flags and the function that runs it.
//
// A Command is one row, and cli/commands.cc lists all rows. Parsing, help, completion and the
// reference page read these rows, so a flag that works is also documented and completed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/flags.h"
#include "base/result.h"

namespace wick {

struct Command;

// One call of a verb, after parsing.
struct Invocation {
  const Command* command = nullptr;
  FlagValues flags;
  std::vector<std::string> words;  // words that are neither flags nor values of flags
  // Number of words before the first "--". `words` does not contain that "--". Empty without "--".
  std::optional<size_t> words_before_dashes = {};
};

// Splits the words at each "--": every part is a command.
std::vector<std::vector<std::string>> split_at_dashes(const std::vector<std::string>& words);

// The headings of `wick help`, in this order.
enum class VerbFamily : uint8_t { kRecord, kReport, kCompare, kFiles };

struct Command {
  std::string_view name;
  std::string_view help;   // one line
  std::string_view words;  // the words in the usage line: "FILE..."
  std::vector<std::string_view> examples;
  std::vector<Flag> flags;
  // Returns the exit status, or an error that main prints.
  Result<int> (*run)(const Invocation& call);
  std::string (*more_help)() = nullptr;  // text at the end of its help page
  bool hidden = false;                   // works, but is not listed
  bool runs_command = false;             // the words are a program and its own arguments
  VerbFamily family = VerbFamily::kReport;
};

// Exit statuses of every verb.
inline constexpr int kDone = 0;
inline constexpr int kFailure = 1;
inline constexpr int kUsageError = 2;
inline constexpr int kTooMuchLost = 3;
inline constexpr int kConditionMet = 4;  // diff --fail-if
inline constexpr int kStopped = 128;     // plus the number of the signal: Ctrl+C is 130

const std::vector<Command>& all_commands();
const Command* find_command(std::string_view name);

}  // namespace wick
