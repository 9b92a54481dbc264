// SPDX-License-Identifier: Apache-2.0
// Every analysis is a verb: read the files, filter, analyse, show.
#include <algorithm>

#include <unistd.h>

#include "analyze/analyses.h"
#include "answer/answer.h"
#include "cli/commands/commands.h"
#include "cli/load.h"
#include "cli/show.h"

namespace wick {
namespace {

const Analysis& analysis_of(const Command& command) {
  return *std::ranges::find(all_analyses(), command.name, &Analysis::name);
}

struct Words {
  std::vector<std::string> files;
  std::string argument;
};

// The last word is the analysis' argument, if it takes one.
Words split_words(const Invocation& call, const Analysis& analysis) {
  Words words{.files = call.words};
  if (!analysis.argument.empty() && !words.files.empty()) {
    // A single word can be a file or the argument. It is a file if that file exists, and if the
    // argument is optional or there is no recording to read by default. So is the last of several
    // words that exists, if the argument never is a file.
    bool has_default = ::access("profile.wick", F_OK) == 0 || ::access("perf.data", F_OK) == 0;
    bool only_a_file = words.files.size() == 1 && !call.flags.given("input") &&
                       (!has_default || analysis.argument_optional) &&
                       ::access(words.files[0].c_str(), F_OK) == 0;
    bool also_a_file = analysis.argument_optional && !analysis.argument_names_files &&
                       words.files.size() > 1 && ::access(words.files.back().c_str(), F_OK) == 0;
    if (!only_a_file && !also_a_file) {
      words.argument = words.files.back();
      words.files.pop_back();
    }
  }
  return words;
}

Result<int> run_analysis(const Invocation& call) {
  const Analysis& analysis = analysis_of(*call.command);
  Words words = split_words(call, analysis);
  if (!analysis.argument.empty() && !analysis.argument_optional && words.argument.empty()) {
    return fail_usage("Missing {} argument, e.g. {}", analysis.argument, analysis.example);
  }
  std::vector<std::string> paths = TRY(choose_inputs(words.files, call.flags));
  Loaded loaded = TRY(load(paths, call.flags));
  AnswerFiles files{.names = TRY(name_sources(call.flags))};
  double lost_share = loaded.lost_share;
  std::vector<std::string> unused = unused_content(loaded.profile);
  Result<Report> report =
      answer({analysis, words.argument, call.flags}, paths, std::move(loaded), files);
  if (!report) {
    print_warnings(unused);
    return std::unexpected(report.error());
  }
  return show(
      std::move(*report),
      call.flags,
      {.default_view = analysis.view, .page_view = analysis.page, .lost_share = lost_share});
}

}  // namespace

Command analysis_command(const Analysis& analysis) {
  Command command{.name = analysis.name,
                  .help = analysis.help,
                  .words = analysis.argument.empty()    ? "[FILE...]"
                           : analysis.argument_optional ? "[FILE...] [FUNCTION]"
                                                        : "[FILE...] FUNCTION",
                  .examples = {analysis.example},
                  .run = run_analysis};
  append_flags(command.flags, analysis.flags);
  append_flags(command.flags, filter_flags());
  append_flags(command.flags, output_flags(analysis.view));
  append_flags(command.flags, name_flags());
  append_flags(command.flags, input_flags());
  return command;
}

void append_flags(std::vector<Flag>& flags, std::span<const Flag> more) {
  for (const Flag& flag : more) {
    if (std::ranges::find(flags, flag.name, &Flag::name) == flags.end()) {
      flags.push_back(flag);
    }
  }
}

}  // namespace wick
