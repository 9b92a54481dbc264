// SPDX-License-Identifier: Apache-2.0
// The rows of a query as a table of a report. SQLite has a type for each value, a report one for
// each column: whole numbers are counts, other numbers are numbers, and a column with any text, or
// with whole numbers beyond 2^53, is text. NULL is an unknown number or an empty text.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "query/sqlite.h"
#include "report/table.h"

namespace wick::sql {

// Reads all rows. An error if they need more than `most_bytes`.
Result<Table> answer_table(Statement& rows, size_t most_bytes);

}  // namespace wick::sql
