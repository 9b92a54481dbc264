// SPDX-License-Identifier: Apache-2.0
// One schema for each profile: virtual tables over its columns, perf's views over these, and focus().
// A query then runs within the bounds, and what SQLite says of a mistake becomes a sentence with the
// nearest name.
#include "query/query.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "base/escape.h"
#include "base/parse_number.h"
#include "base/pattern.h"
#include "base/spelling.h"
#include "profile/frame_match.h"
#include "query/answer_table.h"
#include "query/tables.h"
#include "report/columns.h"

namespace wick::sql {
namespace {

constexpr size_t kAnswerBytes = size_t{1} << 30;
constexpr std::string_view kAsk = "`wick query --schema` lists tables and columns.";

std::string schema_name(size_t profile) {
  return fmt::format("f{}", profile + 1);
}

// ---- focus() ----

// Answers for one profile; each pattern is matched once.
class Focus {
 public:
  explicit Focus(const Profile& profile) : profile_(profile) {}

  Result<bool> matches(std::string_view stack_id, std::string_view pattern) {
    auto known = stacks_.find(pattern);
    if (known == stacks_.end()) {
      constexpr size_t kMostPatterns = 64;  // a query can take patterns from a column
      Pattern compiled = TRY(Pattern::compile(pattern));
      if (stacks_.size() >= kMostPatterns) {
        stacks_.clear();
      }
      known = stacks_
                  .emplace(std::string(pattern),
                           stacks_with(profile_, matching_frames(profile_, compiled)))
                  .first;
    }
    auto id = parse_number<size_t>(stack_id);
    return id && *id > 0 && *id <= known->second.size() && known->second[*id - 1];
  }

 private:
  const Profile& profile_;
  std::map<std::string, std::vector<bool>, std::less<>> stacks_;  // by pattern
};

Result<bool> focus(std::vector<Focus>& profiles, Arguments arguments) {
  if (arguments.size() < 2 || arguments.size() > 3) {
    return fail("focus() takes the id of a stack and a pattern: focus(stack_id, 'main')");
  }
  size_t profile = 0;
  if (arguments.size() == 3) {
    std::string_view schema = arguments[2].value_or("main");
    while (schema != "main" && profile < profiles.size() && schema != schema_name(profile)) {
      ++profile;
    }
    if (profile == profiles.size()) {
      return fail("focus() is asked about {}, which is not a schema", terminal_text(schema));
    }
  }
  return arguments[0] && arguments[1] ? profiles[profile].matches(*arguments[0], *arguments[1])
                                      : Result<bool>(false);
}

// ---- Messages ----

std::vector<std::string> table_names() {
  std::vector<std::string> names;
  for (const SqlTable* table : all_tables()) {
    names.emplace_back(table->name);
  }
  for (const SqlView& view : perf_views()) {
    names.emplace_back(view.name);
  }
  names.emplace_back(kBranchTypesTable);
  return names;
}

std::vector<std::string> column_names() {
  std::vector<std::string> names;
  for (const SqlTable* table : all_tables()) {
    for (const TableColumn& column : table->columns) {
      names.emplace_back(column.name);
    }
  }
  for (std::string_view name : {"symbol", "command", "event", "dso_short_name", "ip_hex", "IPC"}) {
    names.emplace_back(name);
  }
  return names;
}

// "f2.sampels" without its schema or table.
std::string_view last_part(std::string_view name) {
  size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

std::string unknown_name(std::string_view what,
                         std::string_view name,
                         const std::vector<std::string>& known) {
  std::string nearest = nearest_spelling(last_part(name), known);
  std::string text =
      fmt::format("The query names the {} `{}`, which does not exist.", what, terminal_text(name));
  if (!nearest.empty()) {
    text += fmt::format(" Did you mean `{}`?", nearest);
  }
  return text;
}

// A column that only tables have which the query does not read.
std::string column_of_others(std::string_view name) {
  constexpr size_t kNamed = 3;
  std::vector<std::string_view> tables;
  for (const SqlTable* table : all_tables()) {
    if (std::ranges::find(table->columns, last_part(name), &TableColumn::name) !=
        table->columns.end()) {
      tables.push_back(table->name);
    }
  }
  if (tables.empty()) {
    return {};
  }
  std::span named = std::span(tables).first(std::min(kNamed, tables.size()));
  return fmt::format("No table of the query has the column `{}`; {}{} have one.",
                     terminal_text(name),
                     fmt::join(named, ", "),
                     tables.size() > kNamed ? " and others" : "");
}

std::string unknown_column(std::string_view name) {
  std::string text = column_of_others(name);
  return text.empty() ? unknown_name("column", name, column_names()) : text;
}

std::unexpected<Error> explain(const Error& error, const Bounds& bounds) {
  std::string_view message = error.message;
  auto rest_after = [&](std::string_view start) -> std::optional<std::string_view> {
    return message.starts_with(start) ? std::optional(message.substr(start.size())) : std::nullopt;
  };
  if (auto name = rest_after("no such table: ")) {
    return fail_usage("{} {}", unknown_name("table", *name, table_names()), kAsk);
  }
  if (auto name = rest_after("no such column: ")) {
    return fail_usage("{} {} Texts are in single quotes: 'main'.", unknown_column(*name), kAsk);
  }
  if (auto name = rest_after("no such function: ")) {
    return fail_usage(
        "The query calls {}(), which does not exist. Besides SQLite's functions there "
        "is focus(stack_id, pattern).",
        terminal_text(*name));
  }
  if (message == "interrupted") {
    return fail("The query was stopped after {:.4g} seconds; --timeout allows more.",
                bounds.seconds);
  }
  if (message == "out of memory") {
    return fail(
        "The query needs more than {} MB of memory, so wick stopped it. Ask for fewer rows, "
        "or sort and group less.",
        bounds.memory_bytes >> 20);
  }
  if (message == "too many rows") {
    return fail(
        "The answer of the query is larger than {} MB, so wick stopped it. LIMIT returns "
        "fewer rows.",
        kAnswerBytes >> 20);
  }
  if (message.starts_with("not authorized") || message.find("prohibited") != message.npos) {
    return fail_usage("Queries can only read: SELECT, without changes, files or extensions ({}).",
                      terminal_text(message));
  }
  return fail_usage("The query cannot be run: {}.", terminal_text(message));
}

// ---- Running ----

Result<> add_profile(Database& database, const ProfileTables& tables, const std::string& schema) {
  TRY(tables.add_to(database, schema));
  return add_constants_and_views(database, schema);
}

Result<Table> ask(Database& database, std::string_view query) {
  Statement statement = TRY(database.prepare(query));
  return answer_table(statement, kAnswerBytes);
}

}  // namespace

Result<Report> run_query(std::span<const Profile* const> profiles,
                         std::string_view query,
                         const Bounds& bounds) {
  if (profiles.size() > kMaxProfiles) {
    return fail_usage("A query can have at most {} files; merge some with `wick convert`.",
                      kMaxProfiles);
  }
  std::vector<std::unique_ptr<ProfileTables>> tables;
  std::vector<Focus> focuses;
  for (const Profile* profile : profiles) {
    tables.push_back(std::make_unique<ProfileTables>(*profile));
    focuses.emplace_back(*profile);
  }
  Database database = TRY(Database::in_memory());
  TRY(add_profile(database, *tables[0], "main"));
  for (size_t i = 0; i < tables.size() && tables.size() > 1; ++i) {
    TRY(database.add_schema(schema_name(i)));
    TRY(add_profile(database, *tables[i], schema_name(i)));
  }
  TRY(database.add_function("focus",
                            [&](Arguments arguments) { return focus(focuses, arguments); }));
  database.allow_only_reading();
  database.set_bounds(bounds);
  Result<Table> table = ask(database, query);
  database.set_bounds({});
  if (!table) {
    return explain(table.error(), bounds);
  }
  Report report{.title = "Query"};
  if (table->rows() == 0) {
    report.notes.emplace_back("The query returned no rows.");
  }
  report.verb = "query";
  report.sections.push_back({"rows", report.title, std::move(*table)});
  return report;
}

Report schema_report() {
  ReportColumn names = name_column("table");
  ReportColumn kinds = text_column("kind", "kind");
  ReportColumn helps = text_column("help", "description");
  ReportColumn columns = text_column("columns", "columns");
  columns.importance = Importance::kUseful;
  auto add = [&](std::string_view name, std::string_view kind, std::string_view help) {
    names.text.push_back(name);
    kinds.text.push_back(kind);
    helps.text.push_back(help);
  };
  for (const SqlTable* table : all_tables()) {
    add(table->name, "table", table->help);
    std::string list;
    for (const TableColumn& column : table->columns) {
      list += fmt::format("{}{}", list.empty() ? "" : ", ", column.name);
    }
    columns.text.push_back(list);
  }
  add(kBranchTypesTable, "table", kBranchTypesHelp);
  columns.text.push_back("id, name");
  for (const SqlView& view : perf_views()) {
    add(view.name, "view", view.help);
    columns.text.push_back(view.text().columns);
  }
  Report report{.title = "Tables of a profile"};
  report.verb = "query";
  report.sections.push_back(
      {"tables",
       report.title,
       Table{{std::move(names), std::move(kinds), std::move(helps), std::move(columns)}}});
  report.notes.emplace_back(
      "focus(stack_id, 'pattern') says whether --focus with that pattern would retain the stack.");
  return report;
}

}  // namespace wick::sql
