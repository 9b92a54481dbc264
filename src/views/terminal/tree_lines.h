// SPDX-License-Identifier: Apache-2.0
// The lines of a tree on a terminal, with guides that show the depth.
//
// A call tree begins with a chain of frames that each call one other: _start, main, run. On the
// screen such a chain is one line, which shows the numbers of its last row; the names of the others
// come before its name. So the depth of a line is the number of forks above it, and guides remain
// narrow. A chain can also leave out siblings, if the caller says that they are too small to
// matter:
//
//     _start > main > run
//     ├ parse
//     │ └ read > copy
//     └ write
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/report.h"

namespace wick {

struct TreeLine {
  std::vector<size_t> chain;  // its rows, the outermost first; the last one has the numbers
  std::string guide;
  uint32_t depth = 0;
  size_t row() const { return chain.back(); }
};

// Whether the first child of a line's last row joins the line. Other children of that row are then
// left out.
using IsLink = std::function<bool(const TreeLine& line, size_t child, bool is_only_child)>;

// At most `limit` lines (0: all), in the order of the rows.
std::vector<TreeLine> tree_lines(const Tree& tree, size_t limit, const IsLink& is_link);

// The rows that the lines do not show.
size_t rows_left_out(const Tree& tree, const std::vector<TreeLine>& lines);

}  // namespace wick
