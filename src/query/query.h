// SPDX-License-Identifier: Apache-2.0
// SQL over profiles: `wick query`. tables.h says which tables there are.
//
// Tables read the columns of the profile directly; nothing is copied first. With several profiles,
// the tables of the first are in the schemas main and f1, those of the next in f2, f3 ... Besides
// SQLite's functions there is focus(stack_id, pattern [, schema]): whether --focus with this pattern
// would retain the stack.
//
// Queries only read, and they are bounded: a query that runs too long, needs too much memory or
// returns too much ends with a sentence that says so.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "profile/profile.h"
#include "query/sqlite.h"
#include "report/report.h"

namespace wick::sql {

inline constexpr int64_t kQueryMemory = int64_t{2} << 30;
inline constexpr double kQuerySeconds = 600;
// SQLite attaches at most ten databases.
inline constexpr size_t kMaxProfiles = 9;

// The rows of one query as a table, in the query's order.
Result<Report> run_query(std::span<const Profile* const> profiles,
                         std::string_view query,
                         const Bounds& bounds);

// The tables and views with a line and the columns of each.
Report schema_report();

}  // namespace wick::sql
