// SPDX-License-Identifier: Apache-2.0
#include "cli/file_sides.h"

#include <algorithm>

#include "base/escape.h"
#include "cli/load.h"

namespace wick {
namespace {

using Paths = std::vector<std::string>;

// Without "--": each file is a side, but the CPUs of one recording are one side together.
Result<FileSides> sides_of_words(const Invocation& call, const acquire::Options& options) {
  Paths files = TRY(choose_inputs(call.words, call.flags));
  FileSides result{.sides = TRY(acquire::runs_of(files, options)), .notes = {}};
  for (const Paths& side : result.sides) {
    if (side.size() > 1) {
      result.notes.push_back(fmt::format(
          "The {} files {} are the CPUs of one recording, so they are one run. To compare the "
          "CPUs, write -- between the files.",
          side.size(),
          terminal_text(fmt::format("{} to {}", side.front(), side.back()))));
    }
  }
  return result;
}

Result<std::vector<Paths>> sides_between_dashes(const Invocation& call) {
  auto first_end = call.words.begin() + static_cast<std::ptrdiff_t>(*call.words_before_dashes);
  std::vector<Paths> sides = {Paths(call.words.begin(), first_end), {}};
  for (auto word = first_end; word != call.words.end(); ++word) {
    if (*word == "--") {
      sides.emplace_back();
    } else if (word->size() > 1 && word->starts_with('-')) {
      return fail_usage("Put flags before the first --; wick takes {} for a file.",
                        terminal_text(*word));
    } else {
      sides.back().push_back(*word);
    }
  }
  if (std::ranges::any_of(sides, &Paths::empty)) {
    return fail_usage(
        "One side has no files: write `wick {} A1 A2 -- B1 B2`, or, to record and compare two "
        "commands, `wick diff --repeat 5 -- OLD -- NEW`.",
        call.command->name);
  }
  return sides;
}

}  // namespace

Result<FileSides> file_sides(const Invocation& call, const acquire::Options& options) {
  if (!call.words_before_dashes) {
    return sides_of_words(call, options);
  }
  TRY(choose_inputs(call.words, call.flags));  // fails if an input is also the output
  return FileSides{.sides = TRY(sides_between_dashes(call)), .notes = {}};
}

}  // namespace wick
