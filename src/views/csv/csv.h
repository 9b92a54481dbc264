// SPDX-License-Identifier: Apache-2.0
// A report as CSV (RFC 4180), for spreadsheets: a line of column names, then one line a row.
// Sections follow each other after an empty line. Numbers are plain, shares are fractions; a share
// with an interval is three columns. Loss and notes do not fit a table: the verb prints them on
// stderr.
#pragma once

#include "views/views.h"

namespace wick {

Result<> write_csv(const Report& report, const FlagValues& flags, Output& out);

}  // namespace wick
