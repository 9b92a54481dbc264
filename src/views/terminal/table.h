// SPDX-License-Identifier: Apache-2.0
// One table or tree of a report on a terminal, at most as wide as the terminal.
#pragma once

#include <string_view>

#include "base/output.h"
#include "report/report.h"

namespace wick {

struct TableStyle {
  bool color = false;
  size_t width = 0;  // 0: no limit
  size_t limit = 0;  // most lines of a table; 0: all
  // Of a comparison, leave out rows without evidence, if `limit` is set.
  bool stops_after_evidence = false;
  bool full_names = false;
};

// `tree` is null for a table. Otherwise `table` has the nodes of the tree.
void write_table(const Table& table,
                 const Tree* tree,
                 const TableStyle& style,
                 std::string_view unit,
                 Output& out);

}  // namespace wick
