// SPDX-License-Identifier: Apache-2.0
// wick query: SQL over profiles.
#include "query/query.h"

#include <algorithm>
#include <array>

#include <unistd.h>

#include "analyze/summary.h"
#include "answer/answer.h"
#include "base/escape.h"
#include "cli/commands/commands.h"
#include "cli/load.h"
#include "cli/show.h"

namespace wick {
namespace {

constexpr std::array kQueryFlags = {
    Flag{"sql",
         '\0',
         FlagKind::kFileText,
         "FILE",
         "",
         "read the query from a file, or from standard input (-)"},
    Flag{.name = "schema", .help = "list the tables, with a line and the columns of each"},
    Flag{"timeout",
         '\0',
         FlagKind::kNumber,
         "SECONDS",
         "600",
         "stop a query that takes longer; 0: never"},
};

struct QueryWords {
  std::vector<std::string> files;
  std::string query;
};

// The last word is the query, unless --sql gives it.
Result<QueryWords> split_words(const Invocation& call) {
  QueryWords words{.files = call.words};
  if (call.flags.given("sql")) {
    words.query = call.flags.text("sql");
    if (call.flags.path("sql") == "-" && std::ranges::count(words.files, "-") > 0) {
      return fail_usage("Standard input (-) can be read only once.");
    }
    return words;
  }
  if (words.files.empty() || (::access(words.files.back().c_str(), F_OK) == 0 &&
                              words.files.back().find(' ') == std::string::npos)) {
    return fail_usage(
        "Missing query, e.g. wick query profile.wick \"SELECT name, self FROM "
        "functions ORDER BY self DESC LIMIT 10\"; --schema lists the tables.");
  }
  words.query = std::move(words.files.back());
  words.files.pop_back();
  return words;
}

// One profile for each file: they are not merged.
Result<std::vector<Loaded>> load_each(const std::vector<std::string>& paths,
                                      const FlagValues& flags) {
  std::vector<Loaded> files;
  for (const std::string& path : paths) {
    files.push_back(TRY(load({path}, flags)));
    print_warnings(TRY(filter_loaded(files.back(), flags, KeepEvents::kAll)));
  }
  return files;
}

// What every report says: what its files lack, and which part of them remains.
void add_origins(const std::vector<Loaded>& files,
                 const std::vector<std::string>& paths,
                 Report& report) {
  for (size_t i = 0; i < files.size(); ++i) {
    for (LossLine line : loss_lines(files[i].profile)) {
      report.loss.push_back(std::move(line));
    }
    report.notes.insert(report.notes.end(), files[i].notes.begin(), files[i].notes.end());
    for (std::string& alarm : alarms(files[i].profile)) {
      report.cautions.push_back(std::move(alarm));
      report.is_alarmed = true;
    }
    if (files.size() > 1) {
      report.notes.push_back(fmt::format("f{} is {}.", i + 1, paths[i]));
    }
  }
}

Result<int> run_query_verb(const Invocation& call) {
  if (call.flags.is_set("schema")) {
    return show(sql::schema_report(), call.flags, {.default_view = "terminal"});
  }
  QueryWords words = TRY(split_words(call));
  std::vector<std::string> paths = TRY(choose_inputs(words.files, call.flags));
  TRY(check_output(call.flags, {.default_view = "terminal"}));
  std::vector<Loaded> files = TRY(load_each(paths, call.flags));
  std::vector<const Profile*> profiles;
  double lost_share = 0;
  for (const Loaded& file : files) {
    profiles.push_back(&file.profile);
    lost_share = std::max(lost_share, file.lost_share);
  }
  Report report = TRY(
      sql::run_query(profiles,
                     words.query,
                     {.seconds = call.flags.number("timeout"), .memory_bytes = sql::kQueryMemory}));
  add_origins(files, paths, report);
  return show(
      std::move(report), call.flags, {.default_view = "terminal", .lost_share = lost_share});
}

}  // namespace

Command query_command() {
  Command command{.name = "query",
                  .help = "ask a profile in SQL",
                  .words = "[FILE...] QUERY",
                  .examples = {"wick query \"SELECT name, self FROM functions ORDER BY self DESC\"",
                               "wick query perf.data --sql question.sql --csv",
                               "wick query --schema"},
                  .run = run_query_verb};
  append_flags(command.flags, kQueryFlags);
  append_flags(command.flags, filter_flags());
  append_flags(command.flags, output_flags("terminal"));
  append_flags(command.flags, input_flags());
  return command;
}

}  // namespace wick
