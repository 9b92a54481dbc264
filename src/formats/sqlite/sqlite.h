// SPDX-License-Identifier: Apache-2.0
// Databases of SQLite with a profile: perf's export (export-to-sqlite.py), and wick's, which has the
// same tables and views and its own beside them. query/tables.h lists all of them.
//
// Written: every table that `wick query` has, with the same rows, except for the text of stacks,
// which the view stacks_view computes. The same profile gives the same bytes.
//
// Read: wick's tables if they are there (wick_tables.cc), else perf's (perf_tables.cc). Of perf's:
//
//     samples           one row each; the weight is the period. Row 0 of each table is "unknown"
//     call_paths        the tree of stacks; without it, a stack is the sampled function
//     symbols, dsos     functions and modules. perf writes addresses of the process. Those as linked
//                       follow from the samples, unless a dso was at several addresses
//     threads, comms    threads; a process has the name of the command of its samples
//     calls             spans
//
// A database is somebody else's program: its schema is text that SQLite parses. Only plain tables
// are read, by name and column; views, triggers, virtual tables and functions of the schema never
// run (query/sqlite.h). Damage ends a table, and is counted.
#pragma once

#include "formats/formats.h"

namespace wick::sqlite {

bool sniff(Bytes head);
Result<Profile> read(Input& input, const FlagValues& flags);
Result<> write(const Profile& profile, const FlagValues& flags, Output& out);

}  // namespace wick::sqlite
