// SPDX-License-Identifier: Apache-2.0
// Columns, tables and trees: what the shapes of a report (report.h) are made of.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wick {

// The texts of a column. It stores equal neighbours once: a tree of a million nodes has a few
// thousand names.
class TextValues {
 public:
  void push_back(std::string_view text);
  // For callers that know their distinct values: add each value once, then push its number.
  uint32_t add_value(std::string text);
  void push_value(uint32_t value) { rows_.push_back(value); }
  void reserve(size_t rows) { rows_.reserve(rows); }
  void drop_after(size_t rows) { rows_.resize(std::min(rows, rows_.size())); }

  const std::string& operator[](size_t row) const { return values_[rows_[row]]; }
  // Equal numbers mean equal text. The reverse is not true.
  uint32_t value_of_row(size_t row) const { return rows_[row]; }
  size_t size() const { return rows_.size(); }
  const std::vector<std::string>& values() const { return values_; }

 private:
  std::vector<std::string> values_;
  std::vector<uint32_t> rows_;
};

enum class ColumnKind {
  kText,    // untrusted text: escape it
  kWeight,  // in the report's unit
  kShare,   // fraction of the report's total
  kCount,   // a whole number
  kNumber,  // any other number
};

// The relation of a value to its row. Several columns of a table can share a role if their kinds
// differ: self as a weight and self as a share.
enum class ColumnRole : uint8_t {
  kDetail,    // no view looks for it
  kName,      // name of the row: a function, a module, a metric
  kModule,    // the file that the row's code was loaded from
  kCategory,  // the kind of the row: "inlined", "kernel"
  kMark,      // a word of warning about the row, explained in a note: "late"; empty for most rows
  kRelation,  // to the section's subject: kCallerRelation ...
  kSelf,      // cost of the row itself: adds up over the rows
  kTotal,     // cost of the row with all functions that it called
  kPart,      // part of the section's subject: the heat of a line
  kSamples,   // number of samples of the row
  kBefore,    // value on the first side of a comparison
  kAfter,     // value on a later side
  kChange,    // after minus before
  kVerdict,   // judgement of the row; has tones
  kUnit,      // unit of the row's weights
  kStart,     // left edge of a node of a flame graph
  kFile,      // source file
  kLine,      // line number in it
  kSource,    // text of that line
  kAddress,   // address of an instruction, first address of a function
  kEnd,       // first address after a function
  kBytes,     // bytes of an instruction, as hexadecimal digits
  kInstruction,
  kTarget,     // address that an instruction jumps to
  kReference,  // name of the function or data that an instruction refers to
  kInlined,    // the inlined functions around an instruction
  kBinary,     // path of the file that the code was read from
  kTrack,      // row of the track that the row belongs to
  kToTrack,    // row of the track that an arrow points to
  kTime,       // time of the row, or its begin
  kUntil,      // time of its end
  kDepth,      // how many rows are above the row in its tree, or spans around it in its lane
  kParent,     // row of the tree's parent
  kState,      // what a thread does: "running"
  kStack,      // row of the innermost frame of its stack
  kValue,      // a value over time
  kReason,     // why there are no data
};

// The words of ColumnRole::kRelation.
inline constexpr std::string_view kCallerRelation = "caller";
inline constexpr std::string_view kFunctionRelation = "function";
inline constexpr std::string_view kCalleeRelation = "callee";

inline constexpr size_t kRoles = static_cast<size_t>(ColumnRole::kReason) + 1;

// Narrow lines drop kExtra first, then kUseful. They never drop kKey.
enum class Importance : uint8_t { kKey, kUseful, kExtra };

// kMore and kLess are changes that are neither good nor bad: a function's share of the whole also
// changes if another function does.
enum class Tone : uint8_t { kNeutral, kGood, kBad, kMore, kLess };

struct ReportColumn {
  std::string name;   // key in JSON and CSV: "self_share"
  std::string title;  // heading for people: "self %"
  ColumnKind kind = ColumnKind::kText;
  ColumnRole role = ColumnRole::kDetail;
  Importance importance = Importance::kKey;
  TextValues text = {};              // kText
  std::vector<double> numbers = {};  // every other kind
  std::vector<double> low = {};      // 95 % interval; empty: no interval
  std::vector<double> high = {};
  std::string unit = {};                // unit of the numbers, if not the report's unit
  std::vector<std::string> units = {};  // unit of each row, if rows have different units
  bool is_difference = false;           // after minus before: shown with its sign
  bool for_programs = false;            // only in JSON and CSV, to leave tables readable
  std::vector<Tone> tones = {};         // tone of each row's word; empty: no tones

  // Adds a row with a word that judges it.
  void judge(std::string_view word, Tone tone) {
    text.push_back(word);
    tones.push_back(tone);
  }
  size_t size() const { return kind == ColumnKind::kText ? text.size() : numbers.size(); }
  // The unit of a row's number. `report_unit` is the unit of the report.
  std::string_view unit_of(size_t row, std::string_view report_unit) const {
    return !units.empty() ? units[row] : !unit.empty() ? unit : report_unit;
  }
};

struct Table {
  std::vector<ReportColumn> columns;

  size_t rows() const { return columns.empty() ? 0 : columns[0].size(); }
  // The first such column, or null. Only code that knows the analysis may search by name.
  const ReportColumn* find(std::string_view name) const;
  const ReportColumn* find(ColumnRole role) const;
  const ReportColumn* find(ColumnRole role, ColumnKind kind) const;
};

// A table whose rows form trees. A parent has a smaller row number than its children; a root is its
// own parent.
struct Tree {
  Table nodes;
  std::vector<uint32_t> parent;
};

}  // namespace wick
