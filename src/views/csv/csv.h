// SPDX-License-Identifier: Apache-2.0
// A report as CSV (RFC 4180), for spreadsheets.
//
//     name,name,...        the columns of the first section
//     value,value,...      one line for each row
//                          an empty line
//     name,name,...        the next section
//
// Numbers are plain, and shares are fractions. A share with an interval takes three columns. Loss
// and notes do not fit into a table: the verb prints them to stderr.
#pragma once

#include "views/views.h"

namespace wick {

Result<> write_csv(const Report& report, const FlagValues& flags, Output& out);

}  // namespace wick
