// SPDX-License-Identifier: Apache-2.0
// The profile's tables in the page's data, as profile/schema.h lists them.
//
// Every column of every table has the name "ROW.COLUMN": "frame.line", "sample.time_ns". A column
// in which every row has the initial value has no bytes. The header's "schema" contains that value,
// and lists the tables that have rows:
//
//     "schema": {TABLE: {"row": ROW, "rows": N, "columns": {COLUMN: {"kind", "initial", ...}}}}
//
//     kind        value for the reader                                       more members
//     number      a number, or NaN; for a CPU, -1 means none
//     time        nanoseconds since the start of the run, or none
//     bits        a set of bits
//     text        a row of the strings
//     reference   a row of another table, -1 for none                        "to": TABLE
//     enum        the number of a name                                       "names": [name ...]
//
// Without `initial`, the initial value is 0. It is null for NaN and for unknown times.
//
// With two runs, the tables are those of the merged profile. Rows that belong to one run (samples,
// spans, marks, points, moments of loss) are grouped by run. In a run they are in the order of
// time; rows without a time are first. Their times count from the first sample of their run.
// Threads can belong to both runs: their times count from the first sample of the first run.
#pragma once

#include <array>
#include <vector>

#include "base/json_writer.h"
#include "profile/profile.h"
#include "viewer/column_packer.h"

namespace wick {

// The number of a run's rows in each table, and the time of its first sample.
struct RunRows {
  std::array<size_t, kTableCount> rows = {};
  int64_t start_ns = 0;

  size_t of(ProfileTable table) const { return rows[static_cast<size_t>(table)]; }
};
RunRows rows_of(const Profile& profile, int64_t start_ns);

// Whether each row of the table belongs to one run, and the page contains the table.
bool is_of_runs(ProfileTable table);

// Files can contain any time, so times that do not fit are clamped.
int64_t since(int64_t time_ns, int64_t start_ns);

// Packs all tables and writes the member "schema".
void pack_tables(const Profile& merged,
                 const std::vector<RunRows>& runs,
                 ColumnPacker& columns,
                 JsonWriter& json);

}  // namespace wick
