// SPDX-License-Identifier: Apache-2.0
// A graph as a picture without script: a box for each node with its name and numbers, darker the
// larger its first number is, and an arrow for each edge with its first number, the thicker the
// larger it is. graph_layout.h says where they are.
#pragma once

#include "base/output.h"
#include "report/report.h"
#include "views/svg/options.h"

namespace wick {

void write_graph_form(const Report& report,
                      const Graph& graph,
                      const SvgOptions& options,
                      Output& out);

}  // namespace wick
