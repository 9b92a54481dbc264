// SPDX-License-Identifier: Apache-2.0
// The profile's tables in the page's data, as profile/schema.h lists them.
//
// Every column of every table is packed as "ROW.COLUMN": "frame.line", "sample.time_ns". A column
// in which every row has its initial value is not packed; the header's "schema" says what that
// value is, and lists the tables that have rows:
//
//     "schema": {TABLE: {"row": ROW, "rows": N, "columns": {COLUMN: {"kind", "initial", ...}}}}
//
//     kind        what the reader gets                                       more members
//     number      a number, or NaN; of a CPU -1 for none
//     time        nanoseconds since the start of the run, or none
//     bits        a set of bits
//     text        a row of the strings
//     reference   a row of another table, -1 for none                        "to": TABLE
//     enum        the number of a name                                       "names": [name ...]
//
// `initial` is 0 where it is not mentioned, and null for NaN and for times that are not known.
//
// With two runs the tables are those of the merged profile. Rows that belong to one run (samples,
// spans, marks, points, moments of loss) follow each other run by run, and in a run they are in the
// order of time, rows without a time first. Their times count from the first sample of their run.
// Threads may belong to both: their times count from the first sample of the first run.
#pragma once

#include <array>
#include <vector>

#include "base/json_writer.h"
#include "profile/profile.h"
#include "viewer/column_packer.h"

namespace wick {

// The rows of a run in each table of its own profile, and its first sample.
struct RunRows {
  std::array<size_t, kTableCount> rows = {};
  int64_t start_ns = 0;

  size_t of(ProfileTable table) const { return rows[static_cast<size_t>(table)]; }
};
RunRows rows_of(const Profile& profile, int64_t start_ns);

// Whether a table's rows belong to one run, and are in the page.
bool is_of_runs(ProfileTable table);

// Files may claim any time: what does not fit stays at the end of the scale.
int64_t since(int64_t time_ns, int64_t start_ns);

// Packs all tables and writes the member "schema".
void pack_tables(const Profile& merged,
                 const std::vector<RunRows>& runs,
                 ColumnPacker& columns,
                 JsonWriter& json);

}  // namespace wick
