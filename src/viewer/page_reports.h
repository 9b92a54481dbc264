// SPDX-License-Identifier: Apache-2.0
// Reports that travel with the page: what an analysis said about the whole of its data. The page
// computes on samples for whatever its reader filters; where nothing is filtered it shows these,
// word by word and number by number.
//
// In the page's header:
//
//     "report_texts": [text ...]                   all texts of all reports, each once
//     "reports": [{"name", "event", "notes": [sentence ...],
//                  "sections": [{"name", "rows", "columns": [{"name", "kind"} ...]} ...]} ...]
//
// `event` is a row of the page's events. Values are in columns of their own,
// "report.REPORT.SECTION.COLUMN": text (`kind` "text") as numbers of report_texts, numbers
// ("number") as doubles, those with an interval ("interval") with ".low" and ".high" beside them.
#pragma once

#include <string>
#include <vector>

#include "base/json_writer.h"
#include "profile/profile.h"
#include "report/report.h"
#include "viewer/column_packer.h"

namespace wick {

struct PageReport {
  std::string name;   // "diff self share": what the page asks for
  std::string event;  // that it is about
  Report report;      // its tables are packed
};

// Those about an event that the page does not have are left out.
void pack_reports(const std::vector<PageReport>& reports,
                  const Profile& merged,
                  ColumnPacker& columns,
                  JsonWriter& json);

}  // namespace wick
