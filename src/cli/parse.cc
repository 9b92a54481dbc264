// SPDX-License-Identifier: Apache-2.0
#include "cli/parse.h"

#include <CLI/CLI.hpp>

#include "base/escape.h"
#include "base/flag_check.h"
#include "base/spelling.h"
#include "base/whole_input.h"

namespace wick {
namespace {

std::string option_name(const Flag& flag) {
  std::string name = fmt::format("--{}", flag.name);
  return flag.letter == '\0' ? name : fmt::format("-{},{}", flag.letter, name);
}

// Reads the file that a kFileText flag names.
Result<std::string> text_in(const std::string& path) {
  constexpr size_t kMaxBytes = 16 << 20;
  Input input = TRY(Input::open(path, nullptr));
  WholeInput whole(input);
  if (!whole.error().empty() || whole.text().size() > kMaxBytes) {
    return fail("{} is larger than 16 MiB or damaged, so it is probably the wrong file.",
                terminal_text(path));
  }
  return std::string(whole.text());
}

Result<> store(const Flag& flag, const std::string& value, FlagValues& flags) {
  TRY(check_flag_value(flag, value));
  if (flag.kind == FlagKind::kFileText) {
    flags.set(flag.name, TRY(text_in(value)), value);
  } else {
    flags.set(flag.name, value);
  }
  return {};
}

std::unexpected<Error> unknown_flag(const Command& command, std::string_view word) {
  std::vector<std::string> names = {"--help"};
  for (const Flag& flag : command.flags) {
    names.push_back(fmt::format("--{}", flag.name));
  }
  std::string near = nearest_spelling(word.substr(0, word.find('=')), names);
  if (!near.empty()) {
    return fail_usage(
        "wick {} has no flag {}; did you mean {}?", command.name, terminal_text(word), near);
  }
  return fail_usage(
      "wick {0} has no flag {1}; `wick {0} --help` lists them.", command.name, terminal_text(word));
}

// CLI11 leaves unknown flags and words over. The verb takes the words.
Result<> take_words(const Command& command,
                    const std::vector<std::string>& rest,
                    Invocation& call) {
  for (const std::string& word : rest) {
    if (!call.words_before_dashes && word == "--") {
      call.words_before_dashes = call.words.size();
    } else if (!call.words_before_dashes && word.size() > 1 && word[0] == '-') {
      return unknown_flag(command, word);
    } else {
      call.words.push_back(word);
    }
  }
  return {};
}

// CLI11 drops the value of --csv=name.
Result<> set_switch(const Flag& flag, const CLI::Option& option, FlagValues& flags) {
  for (const std::string& value : option.results()) {
    if (value != "true") {
      return fail_usage("--{} takes no value, but has \"{}\".", flag.name, terminal_text(value));
    }
  }
  flags.set(flag.name, "1");
  return {};
}

CLI::Option* add_flag(CLI::App& app, const Flag& flag, std::string& value) {
  switch (flag.kind) {
    case FlagKind::kSwitch:
      return app.add_flag(option_name(flag));
    case FlagKind::kOptional:
      return app.add_flag(fmt::format("{}{{{}}}", option_name(flag), flag.fallback), value);
    case FlagKind::kTexts:
      return app.add_option(option_name(flag))->expected(1);
    default:
      return app.add_option(option_name(flag), value);
  }
}

}  // namespace

Result<Invocation> parse(const Command& command, const std::vector<std::string>& arguments) {
  Invocation call{.command = &command};
  call.flags.declare(command.flags);
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<std::string> values(command.flags.size());
  std::vector<CLI::Option*> options;
  for (size_t i = 0; i < command.flags.size(); ++i) {
    const Flag& flag = command.flags[i];
    CLI::Option* option = add_flag(app, flag, values[i]);
    option->multi_option_policy(flag.kind == FlagKind::kTexts ? CLI::MultiOptionPolicy::TakeAll
                                                              : CLI::MultiOptionPolicy::TakeLast);
    options.push_back(option);
  }
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ArgumentMismatch& error) {
    // "--by: 1 required TEXT missing"
    std::string_view what = error.what();
    return fail_usage("{} needs a value; `wick {} --help` shows which.",
                      terminal_text(what.substr(0, what.find(':'))),
                      command.name);
  } catch (const CLI::ParseError& error) {
    return fail_usage(
        "{}. `wick {} --help` shows the usage.", terminal_text(error.what()), command.name);
  }
  for (size_t i = 0; i < command.flags.size(); ++i) {
    const Flag& flag = command.flags[i];
    if (*options[i] && flag.kind == FlagKind::kTexts) {
      for (const std::string& value : options[i]->results()) {
        call.flags.add(flag.name, value);
      }
    } else if (*options[i]) {
      TRY(flag.kind == FlagKind::kSwitch ? set_switch(flag, *options[i], call.flags)
                                         : store(flag, values[i], call.flags));
    }
  }
  TRY(take_words(command, app.remaining(), call));
  return call;
}

}  // namespace wick
