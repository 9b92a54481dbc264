// SPDX-License-Identifier: Apache-2.0
// A report as a short JSON object for assistants, which pay for every word of an answer:
//
//     {"verb": "hot", "title": …, "headline": …, "summary": "12,345 samples, 1.23 s", "unit": …,
//      "cautions": [sentence, …], "figures": {…},
//      "sections": {"entries": {"title": …, "left_out": n, "rows": [{"self_share": 0.25, …}, …]}},
//      "loss": [sentence, …], "notes": [sentence, …]}
//
// Names and units are those of docs/json.md. It leaves out what the answer to a question rarely
// needs: descriptions of columns, columns for programs, empty values, costs of 0, all intervals of a
// row but the first, and digits after the fourth. Cautions, loss and notes are always complete.
//
// Rows are chosen by what they cost: the first of a table, the heaviest of a tree, the hottest of
// code with the lines around them. A chain of frames in a tree is one row; `via` has the frames
// above its last one. All text is escaped so that it is visible as it is.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/json_writer.h"
#include "report/report.h"

namespace wick::mcp {

// Retains `limit` rows of each section that is not short by nature, and sets `left_out`. Every
// section is a table or a piece of code afterwards.
void choose_rows(Report& report, uint64_t limit);

// The members of the object, without its brackets.
void write_short_report(const Report& report, JsonWriter& json);

}  // namespace wick::mcp
