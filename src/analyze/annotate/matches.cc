// SPDX-License-Identifier: Apache-2.0
#include "analyze/annotate/matches.h"

#include <fmt/format.h>

#include "report/columns.h"

namespace wick {

Table matches_table(const Measure& measure, std::span<const HotFunction> functions) {
  std::vector<Cost> selfs;
  ReportColumn name = name_column("function");
  ReportColumn module = module_column();
  ReportColumn address = text_column("address", "address", ColumnRole::kAddress);
  ReportColumn file = text_column("file", "file", ColumnRole::kFile);
  for (const HotFunction& function : functions) {
    if (selfs.size() == kMatchesListed) {
      break;
    }
    selfs.push_back(function.self);
    name.text.push_back(function.name);
    module.text.push_back(function.module);
    address.text.push_back(
        function.hottest.address == 0 ? "" : fmt::format("{:#x}", function.hottest.address));
    file.text.push_back(function.file);
  }
  Table table;
  table.columns.push_back(weight_column(measure, "self", ColumnRole::kSelf, selfs));
  table.columns.push_back(share_column(measure, "self", ColumnRole::kSelf, selfs));
  table.columns.push_back(samples_column(selfs));
  table.columns.push_back(std::move(name));
  table.columns.push_back(std::move(module));
  table.columns.push_back(std::move(address));
  table.columns.push_back(std::move(file));
  return table;
}

}  // namespace wick
