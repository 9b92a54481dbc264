// SPDX-License-Identifier: Apache-2.0
// A report as one JSON object, for programs. docs/json.md describes it for users.
//
//     {"wick_json": 1, "verb": "report", "title": …, "cautions": [sentence, …], "unit": …,
//      "samples": n, "total": n,
//      "figures": {"complete": n, …},
//      "sections": {"functions": {"title": …, "shape": "table",
//                                 "columns": [{"name", "title", "kind", "role", "unit"}, …],
//                                 "rows": [{"self": n, …, "name": "main"}, …]}, …},
//      "loss": [{"reason", "what", "count", "detail", "data_loss"}, …],
//      "notes": [sentence, …]}
//
// The structure is the same for every verb. Only the names in `sections` and `columns` differ.
// Sections have the order in which the terminal shows them. Rows are objects by column name, so a
// new column breaks no script. A column with `"interval": true` adds the keys NAME_low and
// NAME_high, a column with `"tones": true` adds NAME_tone. Times are nanoseconds. An unknown value
// is null.
#pragma once

#include "views/views.h"

namespace wick {

// Increase it if a script that follows docs/json.md could break.
inline constexpr uint64_t kJsonVersion = 1;

Result<> write_json(const Report& report, const FlagValues& flags, Output& out);

}  // namespace wick
