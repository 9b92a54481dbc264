// SPDX-License-Identifier: Apache-2.0
// Reports inside the page: the result of an analysis for the complete data. The page computes
// results from samples if its user filters them. Without a filter it shows these reports, with the
// same words and numbers.
//
// In the page's header:
//
//     "report_texts": [text ...]                   all texts of all reports, each once
//     "reports": [{"name", "event", "notes": [sentence ...],
//                  "sections": [{"name", "shape", "rows",
//                                "columns": [{"name", "kind", "role"} ...]} ...]} ...]
//
// `event` is a row of the page's events. Each column of a report is a column of the page's data,
// with the name "report.REPORT.SECTION.COLUMN":
//
//     kind "text"        numbers of report_texts
//     kind "number"      doubles
//     kind "interval"    doubles, with two more columns, ".low" and ".high"
//
// Tracks are the tables of as_tables (report.h): one of the shape "tracks", and after it those of
// its points, spans, marks, gaps, arrows and stacks. Their times count from the first sample.
#pragma once

#include <string>
#include <vector>

#include "base/json_writer.h"
#include "profile/profile.h"
#include "report/report.h"
#include "viewer/column_packer.h"

namespace wick {

struct PageReport {
  std::string name;   // the page searches for it: "diff self share"
  std::string event;  // the event of its numbers
  Report report;      // the page gets its tables, series and tracks
};

// Leaves out reports about events that the page does not have.
void pack_reports(const std::vector<PageReport>& reports,
                  const Profile& merged,
                  ColumnPacker& columns,
                  JsonWriter& json);

}  // namespace wick
