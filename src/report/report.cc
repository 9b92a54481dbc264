// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/check.h"
#include "report/columns.h"

namespace wick {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 6> kShapeNames = {
    "table", "tree", "series", "graph", "code", "tracks"};
constexpr std::array<std::string_view, 5> kKindNames = {
    "text", "weight", "share", "count", "number"};
constexpr std::array<std::string_view, kRoles> kRoleNames = {
    "detail",    "name",    "module", "category", "mark",     "relation", "self",        "total",
    "part",      "samples", "before", "after",    "change",   "verdict",  "unit",        "start",
    "file",      "line",    "source", "address",  "end",      "bytes",    "instruction", "target",
    "reference", "inlined", "binary", "track",    "to_track", "time",     "until",       "depth",
    "parent",    "state",   "stack",  "value",    "reason"};
constexpr std::array<std::string_view, 5> kToneNames = {"neutral", "good", "bad", "more", "less"};
static_assert(!kRoleNames.back().empty(), "every role has a name");
static_assert(std::variant_size_v<Body> == kShapeNames.size(), "every shape has a name");

}  // namespace

void TextValues::push_back(std::string_view text) {
  // Neighbouring rows often have the same value (a module column). An index of all values would
  // take more memory than it saves.
  if (rows_.empty() || values_[rows_.back()] != text) {
    add_value(std::string(text));
    rows_.push_back(static_cast<uint32_t>(values_.size() - 1));
  } else {
    rows_.push_back(rows_.back());
  }
}

uint32_t TextValues::add_value(std::string text) {
  values_.push_back(std::move(text));
  return static_cast<uint32_t>(values_.size() - 1);
}

const ReportColumn* Table::find(std::string_view name) const {
  auto found = std::ranges::find(columns, name, &ReportColumn::name);
  return found == columns.end() ? nullptr : &*found;
}

const ReportColumn* Table::find(ColumnRole role) const {
  auto found = std::ranges::find(columns, role, &ReportColumn::role);
  return found == columns.end() ? nullptr : &*found;
}

const ReportColumn* Table::find(ColumnRole role, ColumnKind kind) const {
  auto found = std::ranges::find_if(columns, [&](const ReportColumn& column) {
    return column.role == role && column.kind == kind;
  });
  return found == columns.end() ? nullptr : &*found;
}

std::vector<uint32_t> node_depths(const Tree& tree) {
  std::vector<uint32_t> depths(tree.parent.size());
  for (size_t node = 0; node < depths.size(); ++node) {
    uint32_t parent = tree.parent[node];
    CHECK(parent <= node);
    depths[node] = parent == node ? 0 : depths[parent] + 1;
  }
  return depths;
}

namespace {

void drop_after(size_t rows, Table& table) {
  for (ReportColumn& column : table.columns) {
    column.text.drop_after(rows);
    for (std::vector<double>* numbers : {&column.numbers, &column.low, &column.high}) {
      numbers->resize(std::min(rows, numbers->size()));
    }
    column.units.resize(std::min(rows, column.units.size()));
    column.tones.resize(std::min(rows, column.tones.size()));
  }
}

// Returns the number of rows that it left out. Parents of a tree come first, so a tree stays one.
size_t limit_rows(Body& body, size_t limit) {
  auto* tree = std::get_if<Tree>(&body);
  Table* table = tree != nullptr ? &tree->nodes : std::get_if<Table>(&body);
  if (table == nullptr || table->rows() <= limit) {
    return 0;
  }
  size_t left_out = table->rows() - limit;
  drop_after(limit, *table);
  if (tree != nullptr) {
    tree->parent.resize(limit);
  }
  return left_out;
}

}  // namespace

void limit_rows(Report& report, size_t limit) {
  for (Section& section : report.sections) {
    section.left_out = section.is_whole ? 0 : limit_rows(section.body, limit);
    if (section.left_out > 0) {
      report.notes.push_back(fmt::format("--limit {} leaves out {} row{} of \"{}\".",
                                         limit,
                                         section.left_out,
                                         section.left_out == 1 ? "" : "s",
                                         section.title));
    }
  }
}

std::string_view unit_for_programs(std::string_view unit) {
  return unit == "seconds" ? "nanoseconds" : unit;
}

double number_for_programs(const ReportColumn& column, double number, std::string_view unit) {
  bool in_seconds = column.kind == ColumnKind::kWeight && unit == "seconds";
  return in_seconds ? 1e9 * number : number;
}

std::string_view shape_name(const Body& body) {
  return kShapeNames.at(body.index());
}

std::string_view kind_name(ColumnKind kind) {
  return kKindNames.at(static_cast<size_t>(kind));
}

std::string_view role_name(ColumnRole role) {
  return kRoleNames.at(static_cast<size_t>(role));
}

std::string_view tone_name(Tone tone) {
  return kToneNames.at(static_cast<size_t>(tone));
}

}  // namespace wick
