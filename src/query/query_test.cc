// SPDX-License-Identifier: Apache-2.0
#include "query/query.h"

#include <gtest/gtest.h>

#include "formats/folded/folded.h"
#include "formats/round_trip_testing.h"
#include "profile/builder.h"
#include "query/tables.h"

namespace wick::sql {
namespace {

constexpr Bounds kBounds = {.seconds = 20, .memory_bytes = 256 << 20};

Result<Report> ask(const Profile& profile, std::string_view query) {
  const Profile* profiles[] = {&profile};
  return run_query(profiles, query, kBounds);
}

std::string cell_text(const ReportColumn& column, size_t row) {
  return column.kind == ColumnKind::kText ? column.text[row]
                                          : fmt::format("{}", column.numbers[row]);
}

// "a,1\nb,2\n": the rows of an answer, or its error.
std::string text_of(const Result<Report>& report) {
  if (!report) {
    return report.error().message;
  }
  const auto& table = std::get<Table>(report->sections[0].body);
  std::string text;
  for (size_t row = 0; row < table.rows(); ++row) {
    for (const ReportColumn& column : table.columns) {
      text +=
          fmt::format("{}{}", &column == table.columns.data() ? "" : ",", cell_text(column, row));
    }
    text += "\n";
  }
  return text;
}

std::string answer(const Profile& profile, std::string_view query) {
  return text_of(ask(profile, query));
}

Profile folded(std::string_view text) {
  return folded::from_text(text);
}

TEST(Query, FunctionsHaveTheCostsOfAReport) {
  Profile profile = folded("main;work;hot 7\nmain;work 2\nmain;main 1\n");
  EXPECT_EQ(answer(profile, "SELECT name, self, total, samples FROM functions ORDER BY name"),
            "hot,7,7,7\nmain,1,10,1\nwork,2,9,2\n");
  EXPECT_EQ(answer(profile, "SELECT sum(weight), sum(count) FROM costs"), "10,10\n");
  EXPECT_EQ(answer(profile, "SELECT sum(period) FROM samples"), "10\n");
}

TEST(Query, StacksHaveTheirTextAndAskFocus) {
  Profile profile = folded("main;work;hot 7\nmain;idle 2\n");
  EXPECT_EQ(answer(profile, "SELECT folded, self FROM stacks WHERE self > 0 ORDER BY self"),
            "main;idle,2\nmain;work;hot,7\n");
  EXPECT_EQ(answer(profile, "SELECT sum(weight) FROM costs WHERE focus(stack_id, 'wor.$')"), "7\n");
  EXPECT_EQ(answer(profile, "SELECT focus(NULL, 'x'), focus(99, 'main'), focus('no', 'main')"),
            "0,0,0\n");
  EXPECT_TRUE(answer(profile, "SELECT focus(1, '(')").starts_with("The query cannot be run:"));
}

TEST(Query, PerfsTablesHaveTheirUnknownRow) {
  Profile profile = testing::generated_profile(3);
  for (const SqlTable& table : perf_tables()) {
    std::string count =
        answer(profile, fmt::format("SELECT count(*) FROM {} WHERE id = 0", table.name));
    EXPECT_EQ(count, table.has_unknown_row ? "1\n" : "0\n") << table.name;
  }
  EXPECT_EQ(answer(profile, "SELECT * FROM threads WHERE id = 0"), "0,0,0,-1,-1\n");
  EXPECT_EQ(answer(profile, "SELECT symbol, dso_short_name FROM samples_view WHERE id = 0"),
            "unknown,unknown\n");
  EXPECT_EQ(answer(profile, "SELECT pid, tid FROM threads WHERE id = process_id AND id > 0"),
            "7,7\n");
}

// Whatever way SQLite chooses to find rows, it finds the same.
TEST(Query, EveryTableAndViewCanBeRead) {
  Profile profile = testing::generated_profile(5);
  for (const SqlTable* table : all_tables()) {
    std::string all = answer(profile, fmt::format("SELECT * FROM {}", table->name));
    EXPECT_FALSE(all.starts_with("The query")) << all;
    EXPECT_EQ(answer(profile,
                     fmt::format("SELECT b.* FROM {0} a JOIN {0} b ON b.id = a.id ORDER BY a.id",
                                 table->name)),
              all);
  }
  for (const SqlView& view : perf_views()) {
    Result<Report> rows = ask(profile, fmt::format("SELECT * FROM {}", view.name));
    ASSERT_TRUE(rows) << view.name << ": " << rows.error().message;
    std::string names;
    for (const ReportColumn& column : std::get<Table>(rows->sections[0].body).columns) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", column.name);
    }
    EXPECT_EQ(names, view.text().columns);
  }
}

TEST(Query, IndexesFindWhatAScanFinds) {
  Profile profile = testing::generated_profile(8);
  for (const char* condition : {"thread_id = 2",
                                "thread_id = 2.0",
                                "thread_id = NULL",
                                "time > 3000000 AND time <= 9000000",
                                "time >= 2.5e6 AND time < 1e30",
                                "cpu BETWEEN 1 AND 2",
                                "id > 3 AND id < 9",
                                "id >= 9223372036854775807",
                                "id > 9223372036854775807",
                                "id < -9223372036854775807"}) {
    std::string scan = condition;
    scan.insert(scan.find(' '), " + 0");  // an expression has no index
    for (const char* order : {"id", "time", "time DESC", "id DESC", "cpu, id"}) {
      constexpr const char* kQuery = "SELECT id, time, cpu FROM costs WHERE {} ORDER BY {}";
      EXPECT_EQ(answer(profile, fmt::format(fmt::runtime(kQuery), condition, order)),
                answer(profile, fmt::format(fmt::runtime(kQuery), scan, order)))
          << condition << " by " << order;
    }
  }
}

// SQLite converts the text to the column's type.
TEST(Query, TextsThatAreNumbersFindRows) {
  Profile profile = testing::generated_profile(8);
  EXPECT_EQ(answer(profile, "SELECT id FROM costs WHERE thread_id = '2'"),
            answer(profile, "SELECT id FROM costs WHERE thread_id = 2"));
}

TEST(Query, SeveralProfilesAreSeveralSchemas) {
  Profile before = folded("main;a 3\nmain;b 1\n");
  Profile after = folded("main;a 5\nmain;c 1\n");
  const Profile* profiles[] = {&before, &after};
  auto both = [&](std::string_view query) { return text_of(run_query(profiles, query, kBounds)); };
  EXPECT_EQ(both("SELECT x.name, y.self - x.self FROM f1.functions x JOIN f2.functions y "
                 "USING (name) WHERE y.self > x.self"),
            "a,2\n");
  EXPECT_EQ(both("SELECT count(*) FROM functions"), "3\n");
  EXPECT_EQ(both("SELECT sum(weight) FROM f2.costs WHERE focus(stack_id, 'c', 'f2')"), "1\n");
  EXPECT_TRUE(both("SELECT focus(1, 'c', 'f3')").find("f3, which is not a schema") !=
              std::string::npos);
}

TEST(Query, MistakesGetTheNearestName) {
  Profile profile = folded("main 1\n");
  auto says = [&](std::string_view query, std::string_view words) {
    std::string text = answer(profile, query);
    EXPECT_NE(text.find(words), std::string::npos) << query << ": " << text;
  };
  says("SELECT * FROM smaples", "Did you mean `samples`?");
  says("SELECT * FROM main.functoins", "Did you mean `functions`?");
  says("SELECT nme FROM functions", "Did you mean `name`?");
  says("SELECT f.slef FROM functions f", "Did you mean `self`?");
  says("SELECT name FROM samples_view",
       "No table of the query has the column `name`; selected_events, symbols");
  says("SELECT name FROM functions WHERE name = \"main\"", "single quotes");
  says("SELECT focuss(1, 'x')", "focuss(), which does not exist");
  says("SELEC 1", "syntax error");
  says("", "empty");
  says("-- nothing", "empty");
  says("SELECT 1; SELECT 2", "one query at a time");
  EXPECT_EQ(answer(profile, "SELECT 1; -- the end"), "1\n");
}

TEST(Query, OnlyReads) {
  Profile profile = folded("main 1\n");
  for (const char* query : {"DELETE FROM functions",
                            "UPDATE functions SET name = 'x'",
                            "INSERT INTO branch_types VALUES (7, 'x')",
                            "CREATE TABLE t (a)",
                            "CREATE TEMP VIEW v AS SELECT 1",
                            "DROP VIEW samples_view",
                            "ATTACH '/tmp/x.db' AS x",
                            "VACUUM INTO '/tmp/x.db'",
                            "PRAGMA journal_mode = WAL",
                            "PRAGMA writable_schema = 1",
                            "BEGIN",
                            "SELECT load_extension('/tmp/x.so')",
                            "SELECT fts3_tokenizer('simple', x'00')",
                            "CREATE VIRTUAL TABLE t USING fts5(a)"}) {
    Result<Report> report = ask(profile, query);
    ASSERT_FALSE(report) << query;
    EXPECT_TRUE(report.error().usage) << query;
  }
  EXPECT_EQ(answer(profile,
                   "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 3) "
                   "SELECT sum(x) FROM n"),
            "6\n");
}

TEST(Query, EndlessQueriesAreStopped) {
  Profile profile = folded("main 1\n");
  const Profile* profiles[] = {&profile};
  std::string endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) ";
  EXPECT_EQ(text_of(run_query(profiles, endless + "SELECT count(*) FROM n", {.seconds = 0.05})),
            "The query was stopped after 0.05 seconds; --timeout allows more.");
  EXPECT_EQ(text_of(run_query(profiles,
                              endless + "SELECT count(DISTINCT x) FROM n",
                              {.seconds = 20, .memory_bytes = 8 << 20})),
            "The query needs more than 8 MB of memory, so wick stopped it. Ask for fewer rows, or "
            "sort and group less.");
}

TEST(Query, ColumnsHaveTheTypesOfTheirValues) {
  Profile profile = folded("main 1\n");
  Result<Report> report =
      ask(profile,
          "SELECT 1 AS a, 1.5 AS b, 'x' AS c, NULL AS d, 9007199254740993 AS e, "
          "2 AS a UNION ALL SELECT NULL, 2, 3.25, 4, 5, 6");
  ASSERT_TRUE(report);
  const auto& table = std::get<Table>(report->sections[0].body);
  ASSERT_EQ(table.columns.size(), 6U);
  EXPECT_EQ(table.columns[0].kind, ColumnKind::kCount);
  EXPECT_EQ(table.columns[1].kind, ColumnKind::kNumber);
  EXPECT_EQ(table.columns[2].kind, ColumnKind::kText);
  EXPECT_EQ(table.columns[2].text[1], "3.25");
  EXPECT_EQ(table.columns[3].kind, ColumnKind::kCount);
  EXPECT_EQ(table.columns[4].text[0], "9007199254740993");
  EXPECT_EQ(table.columns[4].text[1], "5");
  EXPECT_EQ(table.columns[5].name, "a_2");
}

Profile profile_with_spans() {
  ProfileBuilder builder;
  ProcessId process = builder.process({.pid = 9, .name = builder.string("prog")});
  ThreadId thread =
      builder.thread({.tid = 10, .process = process, .name = builder.string("worker")});
  SpanId outer = builder.add_span({.begin_ns = 100,
                                   .end_ns = 900,
                                   .thread = thread,
                                   .name = builder.string("request"),
                                   .kind = SpanKind::kRequest});
  builder.add_span({.begin_ns = 200,
                    .end_ns = 300,
                    .thread = thread,
                    .name = builder.string("wait"),
                    .kind = SpanKind::kOffCpu,
                    .parent = outer});
  builder.add_span({.begin_ns = 400,
                    .end_ns = 500,
                    .thread = thread,
                    .name = builder.string("parse"),
                    .parent = outer});
  builder.event({.name = builder.string("cpu-clock"), .unit = builder.string("nanoseconds")});
  return builder.finish();
}

TEST(Query, MainThreadsHaveRowsWithoutSamples) {
  Profile profile = profile_with_spans();
  EXPECT_EQ(answer(profile, "SELECT command, pid, tid FROM comm_threads_view"),
            "prog,9,10\nprog,9,9\n");
  EXPECT_EQ(answer(profile, "SELECT process_id, tid FROM threads WHERE id > 0"), "2,10\n2,9\n");
}

TEST(Query, SpansAreCalls) {
  Profile profile = profile_with_spans();
  EXPECT_EQ(answer(profile,
                   "SELECT tid, command, symbol, elapsed_time, parent_call_path_id, parent_id "
                   "FROM calls_view WHERE id > 0"),
            "10,prog,request,800,1,0\n10,prog,parse,100,2,1\n");
  EXPECT_EQ(answer(profile, "SELECT comm, has_calls FROM comms WHERE id > 0"),
            "prog,1\nworker,nan\n");
  EXPECT_EQ(answer(profile, "SELECT name, milliseconds FROM spans WHERE parent_id = 1"),
            "wait,0.0001\nparse,0.0001\n");
}

}  // namespace
}  // namespace wick::sql
