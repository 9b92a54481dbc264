// SPDX-License-Identifier: Apache-2.0
// Databases as perf's exporter makes them, written by wick, and made by strangers.
#include "formats/sqlite/sqlite.h"

#include <gtest/gtest.h>

#include "formats/round_trip_testing.h"
#include "profile/names.h"
#include "profile/validate.h"
#include "query/sqlite.h"

namespace wick::sqlite {
namespace {

std::string database(const std::string& statements) {
  sql::Database made = *sql::Database::in_memory();
  EXPECT_TRUE(made.run("PRAGMA page_size = 512"));
  Result<> done = made.run(statements);
  EXPECT_TRUE(done) << done.error().message;
  std::string bytes;
  EXPECT_TRUE(made.use_file([&](std::string_view file) { bytes = file; }));
  return bytes;
}

Result<Profile> read_bytes(std::string bytes) {
  Input input = Input::from_text("x.db", std::move(bytes));
  return read(input, {});
}

std::string bytes_of(const Profile& profile) {
  std::string bytes;
  Output out = Output::to_text(bytes);
  EXPECT_TRUE(write(profile, {}, out));
  return bytes;
}

// The tables of an export with call chains, and their rows of unknown values.
constexpr const char* kPerfTables = R"(
CREATE TABLE selected_events (id integer NOT NULL PRIMARY KEY, name varchar(80));
CREATE TABLE threads (id integer NOT NULL PRIMARY KEY, machine_id bigint, process_id bigint, pid integer, tid integer);
CREATE TABLE comms (id integer NOT NULL PRIMARY KEY, comm varchar(16), c_thread_id bigint, c_time bigint, exec_flag boolean);
CREATE TABLE dsos (id integer NOT NULL PRIMARY KEY, machine_id bigint, short_name varchar(256), long_name varchar(4096), build_id varchar(64));
CREATE TABLE symbols (id integer NOT NULL PRIMARY KEY, dso_id bigint, sym_start bigint, sym_end bigint, binding integer, name varchar(2048));
CREATE TABLE samples (id integer NOT NULL PRIMARY KEY, evsel_id bigint, machine_id bigint, thread_id bigint, comm_id bigint,
  dso_id bigint, symbol_id bigint, sym_offset bigint, ip bigint, time bigint, cpu integer, period bigint, call_path_id bigint);
CREATE TABLE call_paths (id integer NOT NULL PRIMARY KEY, parent_id bigint, symbol_id bigint, ip bigint);
INSERT INTO selected_events VALUES (0, 'unknown'), (1, 'cpu-clock:u');
INSERT INTO threads VALUES (0, 0, 0, -1, -1), (1, 1, 1, 70, 70), (2, 1, 1, 70, 71);
INSERT INTO comms VALUES (0, 'unknown', 0, 0, 0), (1, 'prog', 1, 0, 1), (2, 'worker', 2, 0, 0);
INSERT INTO dsos VALUES (0, 0, 'unknown', 'unknown', ''), (1, 1, 'prog', '/bin/prog', 'abcd'),
  (2, 1, '[kernel.kallsyms]', '[kernel.kallsyms]', '');
INSERT INTO symbols VALUES (0, 0, 0, 0, 0, 'unknown'), (1, 1, 4096, 4200, 1, 'main'), (2, 1, 4300, 4400, 0, 'work'),
  (3, 2, -2000, -1000, 1, 'schedule'), (4, 1, 8100, 8100, 0, 'unknown');
INSERT INTO call_paths VALUES (0, 0, 0, 0), (1, 0, 0, 0), (2, 1, 1, 94000), (3, 2, 2, 94200), (4, 3, 3, -1500), (5, 2, 4, 98000);
)";

std::string perf_export() {
  return database(std::string(kPerfTables) +
                  "INSERT INTO samples VALUES (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),"
                  "(1, 1, 1, 1, 1, 1, 2, 7, 94207, 5000, 3, 1000, 3),"
                  "(2, 1, 1, 2, 1, 2, 3, 500, -1500, 6000, -1, 2000, 4),"
                  "(3, 1, 1, 2, 1, 1, 2, 7, 94207, 7000, 0, 500, 0),"
                  "(4, 1, 1, 2, 1, 1, 4, 0, 98000, 8000, 0, 1, 5)");
}

TEST(Sqlite, ReadsPerfsExport) {
  Profile profile = *read_bytes(perf_export());
  ASSERT_TRUE(validate(profile));
  EXPECT_EQ(testing::stacks_text(profile),
            "main;prog+0x1fa4 1\nmain;work 1000\nmain;work;schedule_[k] 2000\nwork 500\n");
  ASSERT_EQ(profile.samples.size(), 4U);
  Sample second = profile.samples[1];
  EXPECT_EQ(second.time_ns, 6000);
  EXPECT_EQ(second.cpu, kNoCpu);
  EXPECT_EQ(profile.samples.cpu[0], 3);
  EXPECT_EQ(thread_name(profile, second.thread), "worker 71");
  EXPECT_EQ(process_name(profile, profile.threads[second.thread].process), "prog 70");
  const Event& event = profile.events[second.event];
  EXPECT_EQ(profile.strings[event.unit], "nanoseconds");
  EXPECT_EQ(event.kind, Quantity::kCpuTime);
  const Frame& kernel = profile.frames[profile.stacks.frame(second.stack)];
  EXPECT_EQ(kernel.address, static_cast<uint64_t>(-1500));
  // The caller's address follows from where samples found the program.
  StackId caller = profile.stacks.parent(profile.stacks.parent(second.stack));
  EXPECT_EQ(profile.frames[profile.stacks.frame(caller)].address, 4100U);
  EXPECT_EQ(profile.strings[profile.modules[ModuleId(0)].build_id], "abcd");
  EXPECT_TRUE(profile.losses.empty());
}

TEST(Sqlite, CallsAreSpans) {
  Profile profile = *read_bytes(database(
      std::string(kPerfTables) +
      "CREATE TABLE calls (id integer NOT NULL PRIMARY KEY, thread_id bigint, comm_id bigint, "
      "call_path_id bigint, call_time bigint, return_time bigint, parent_id bigint);"
      "INSERT INTO calls VALUES (0, 0, 0, 0, 0, 0, 0), (1, 1, 1, 2, 100, 900, 0), "
      "(2, 1, 1, 3, 200, 100, 1), (3, 1, 1, 3, 300, 400, 77)"));
  ASSERT_EQ(profile.spans.size(), 3U);
  EXPECT_EQ(profile.strings[profile.spans[0].name], "main");
  EXPECT_EQ(profile.spans[1].parent, SpanId(0));
  EXPECT_EQ(profile.spans[1].end_ns, 200);
  EXPECT_FALSE(profile.spans[2].parent.valid());
  EXPECT_TRUE(validate(profile));
}

TEST(Sqlite, SameBytesAndTheWholeProfileBack) {
  Profile profile = testing::generated_profile(4);
  std::string bytes = bytes_of(profile);
  EXPECT_EQ(bytes, bytes_of(profile));
  Profile again = *read_bytes(bytes);
  ASSERT_TRUE(validate(again));
  EXPECT_EQ(bytes_of(again), bytes);
}

TEST(Sqlite, FractionsAndInlinedFramesComeBack) {
  const Format& folded = *find_format("folded");
  FlagValues flags;
  flags.declare(folded.read_flags);
  Input input = Input::from_text("x", "main;work_[i];x 1.25\nmain 2.5\n");
  Profile profile = *folded.read_profile(input, flags);
  Profile again = *read_bytes(bytes_of(profile));
  EXPECT_EQ(testing::stacks_text(again), testing::stacks_text(profile));
}

TEST(Sqlite, OnlyPlainTablesAreRead) {
  const std::string start = "CREATE TABLE other (id integer PRIMARY KEY, a);";
  for (const char* hostile : {"CREATE VIEW samples AS SELECT 1 AS id",
                              "CREATE VIEW samples AS SELECT * FROM samples_2; CREATE VIEW "
                              "samples_2 AS SELECT * FROM samples",
                              "CREATE VIRTUAL TABLE samples USING fts5(id, period)"}) {
    Result<Profile> profile = read_bytes(database(start + hostile));
    ASSERT_FALSE(profile) << hostile;
    EXPECT_NE(profile.error().message.find("no table `samples`"), std::string::npos);
  }
  // A computed column would run a function of the schema.
  Result<Profile> computed = read_bytes(database(
      "CREATE TABLE samples (id integer PRIMARY KEY, period AS (length(zeroblob(99999))))"));
  ASSERT_TRUE(computed);
  EXPECT_EQ(computed->samples.size(), 0U);
  Result<Profile> no_id = read_bytes(database("CREATE TABLE samples (period)"));
  ASSERT_TRUE(no_id);
  EXPECT_EQ(no_id->losses.size(), 1U);
}

TEST(Sqlite, WeightsThatCannotBeAddedUpAreCounted) {
  Profile profile = *read_bytes(
      database(std::string(kPerfTables) +
               "INSERT INTO samples (id, evsel_id, period) VALUES (1, 1, 4611686018427387903), "
               "(2, 1, 4611686018427387903), (3, 1, 7)"));
  EXPECT_TRUE(validate(profile));
  ASSERT_EQ(profile.losses.size(), 1U);
}

TEST(Sqlite, WriteAheadLogsAreNotRead) {
  std::string bytes = perf_export();
  bytes[18] = 2;
  bytes[19] = 2;
  Profile profile = *read_bytes(bytes);
  EXPECT_EQ(profile.samples.size(), 4U);
  EXPECT_EQ(profile.losses.size(), 1U);
}

std::string small_export() {
  return database(
      "CREATE TABLE symbols (id integer NOT NULL PRIMARY KEY, dso_id bigint, name varchar(2048));"
      "CREATE TABLE samples (id integer NOT NULL PRIMARY KEY, symbol_id bigint, period bigint);"
      "INSERT INTO symbols VALUES (1, 0, 'main'), (2, 0, 'work');"
      "INSERT INTO samples VALUES (1, 1, 10), (2, 2, 20), (3, 1, 30)");
}

TEST(Sqlite, CutAtEveryByte) {
  std::string bytes = small_export();
  ASSERT_EQ(read_bytes(bytes)->samples.size(), 3U);
  for (size_t size = 0; size < bytes.size(); ++size) {
    Result<Profile> cut = read_bytes(bytes.substr(0, size));
    ASSERT_TRUE(!cut || validate(*cut)) << size;
    EXPECT_TRUE(!cut || cut->samples.size() == 3 || !cut->losses.empty()) << size;
  }
}

TEST(Sqlite, EveryByteChanged) {
  std::string bytes = small_export();
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (int change : {0x01, 0xFF}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      Result<Profile> profile = read_bytes(damaged);
      ASSERT_TRUE(!profile || validate(*profile)) << at << " " << change;
    }
  }
}

}  // namespace
}  // namespace wick::sqlite
