// SPDX-License-Identifier: Apache-2.0
#include "report/columns.h"

namespace wick {
namespace {

ReportColumn made(std::string name, std::string title, ColumnKind kind, ColumnRole role) {
  return {.name = std::move(name), .title = std::move(title), .kind = kind, .role = role};
}

}  // namespace

ReportColumn text_column(std::string name, std::string title, ColumnRole role) {
  return made(std::move(name), std::move(title), ColumnKind::kText, role);
}

ReportColumn weight_column(std::string name, std::string title, ColumnRole role) {
  return made(std::move(name), std::move(title), ColumnKind::kWeight, role);
}

ReportColumn share_column(std::string name, std::string title, ColumnRole role) {
  return made(std::move(name), std::move(title), ColumnKind::kShare, role);
}

ReportColumn count_column(std::string name, std::string title, ColumnRole role) {
  return made(std::move(name), std::move(title), ColumnKind::kCount, role);
}

ReportColumn number_column(std::string name, std::string title, ColumnRole role) {
  return made(std::move(name), std::move(title), ColumnKind::kNumber, role);
}

ReportColumn name_column(std::string title) {
  return text_column("name", std::move(title), ColumnRole::kName);
}

ReportColumn module_column() {
  ReportColumn column = text_column("module", "module", ColumnRole::kModule);
  column.importance = Importance::kUseful;
  return column;
}

ReportColumn verdict_column(std::string name, std::string title) {
  return text_column(std::move(name), std::move(title), ColumnRole::kVerdict);
}

ReportColumn for_programs(ReportColumn column) {
  column.for_programs = true;
  return column;
}

ReportColumn in_unit(std::string unit, ReportColumn column) {
  column.unit = std::move(unit);
  return column;
}

ReportColumn difference(ReportColumn column) {
  column.is_difference = true;
  return column;
}

}  // namespace wick
