// SPDX-License-Identifier: Apache-2.0
// The graphs of a report in the language of Graphviz: `wick flow FILE --dot | dot -Tsvg`. Boxes have
// the name of a node and its numbers; arrows have the first number of an edge, and are the thicker
// the larger it is. A report without a graph is refused.
#pragma once

#include "views/views.h"

namespace wick {

Result<> write_dot(const Report& report, const FlagValues& flags, Output& out);

}  // namespace wick
