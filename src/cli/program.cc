// SPDX-License-Identifier: Apache-2.0
#include "cli/program.h"

#include <algorithm>
#include <cstdio>

#include "base/escape.h"
#include "base/spelling.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/parse.h"
#include "cli/perf_compatibility.h"
#include "cli/tty.h"

namespace wick {
namespace {

int print_error(const Error& error) {
  // A message can contain text from files; terminal_text escapes it.
  say(terminal_text(error.message));
  if (error.stopped_by != 0) {
    return kStopped + error.stopped_by;
  }
  return error.usage ? kUsageError : kFailure;
}

int unknown_verb(std::string_view word) {
  std::string_view answer = answer_to_perf_verb(word);
  if (!answer.empty()) {
    say(std::string(answer));
    return kUsageError;
  }
  std::vector<std::string> names;
  for (const Command& command : all_commands()) {
    names.emplace_back(command.name);
  }
  std::string near = nearest_spelling(word, names);
  say(fmt::format("unknown verb \"{}\"; {}",
                  terminal_text(word),
                  near.empty() ? "`wick --help` lists them." : "did you mean " + near + "?"));
  return kUsageError;
}

bool asks_for_help(const std::vector<std::string>& arguments) {
  auto end = std::ranges::find(arguments, "--");
  return std::find_if(arguments.begin(), end, [](const std::string& word) {
           return word == "--help" || word == "-h";
         }) != end;
}

}  // namespace

int run_program(const std::vector<std::string>& arguments) {
  // 1. Without a verb: help or version.
  if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
    std::fputs(general_help().c_str(), stdout);
    return kDone;
  }
  if (arguments[0] == "--version" || arguments[0] == "-V") {
    std::fputs("wick " WICK_VERSION "\n", stdout);
    return kDone;
  }
  // 2. The verb, or its help.
  const Command* command = find_command(arguments[0]);
  if (command == nullptr) {
    return unknown_verb(arguments[0]);
  }
  std::vector<std::string> rest =
      with_command_marked(*command, {arguments.begin() + 1, arguments.end()});
  if (asks_for_help(rest)) {
    std::fputs(command_help(*command).c_str(), stdout);
    return kDone;
  }
  // 3. Its words, with perf's flags translated.
  Translated translated = translate_perf_flags(*command, rest);
  for (const std::string& note : translated.notes) {
    say(note);
  }
  Result<Invocation> call = parse(*command, translated.arguments);
  if (!call) {
    return print_error(call.error());
  }
  // 4. Run it.
  Result<int> status = command->run(*call);
  if (!status) {
    return print_error(status.error());
  }
  if (std::fflush(stdout) != 0) {
    return print_error({.message = "Cannot write to standard output."});
  }
  return *status;
}

}  // namespace wick
