// SPDX-License-Identifier: Apache-2.0
// WAIST 3: the report. What an analysis returns and a view draws; neither knows the other.
//
// A report is self-contained: it has text and numbers, no ids into a profile. Its body is one or
// more sections, each of one of five shapes. A view draws shapes, and finds what it draws by the
// role of a column or of a section, never by a name or an English word. So every view can show
// every analysis, or refuses with a sentence that says what the report lacks.
//
//     name, title   what programs and people read; only they do
//     kind          how a value is written: text, weight, share, count, number
//     role          what the value says about its row: the function's name, its own cost ...
//     importance    which columns a narrow line drops first
//     tone          whether a word is good or bad news
//
// A column of kind kWeight counts `unit`s of the report, unless it names its own. Shares are
// fractions of `total` (0.25, not 25) and carry their 95 % interval when they come from samples. A
// number that is unknown is NaN.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace wick {

// Text of a column, each distinct value once: a tree of a million nodes has a few thousand names.
class TextValues {
 public:
  void push_back(std::string_view text);
  // For callers that know their distinct values: add them once, then push their numbers.
  uint32_t add_value(std::string text);
  void push_value(uint32_t value) { rows_.push_back(value); }
  void reserve(size_t rows) { rows_.reserve(rows); }

  const std::string& operator[](size_t row) const { return values_[rows_[row]]; }
  // Equal numbers mean equal text (not the other way round).
  uint32_t value_of_row(size_t row) const { return rows_[row]; }
  size_t size() const { return rows_.size(); }
  const std::vector<std::string>& values() const { return values_; }

 private:
  std::vector<std::string> values_;
  std::vector<uint32_t> rows_;
};

enum class ColumnKind {
  kText,    // foreign text: escape it
  kWeight,  // in the report's unit
  kShare,   // fraction of the report's total
  kCount,   // a whole number of things
  kNumber,  // any other number
};

// What a value says about its row. Several columns of a table may share a role if their kinds
// differ: self as a weight and as a share.
enum class ColumnRole : uint8_t {
  kDetail,    // no view looks for it
  kName,      // what the row is: a function, a module, a metric
  kModule,    // the file that the row's code was loaded from
  kCategory,  // the kind of the row: "inlined", "kernel"
  kSelf,      // cost of the row itself: adds up over the rows
  kTotal,     // cost of the row with all that it called
  kPart,      // part of what the section is about: the heat of a line
  kSamples,   // the samples that the row is based on
  kBefore,    // value on the first side of a comparison
  kAfter,     // value on a later side
  kChange,    // after minus before
  kVerdict,   // judgement of the row; has tones
  kUnit,      // what the weights of the row count
  kStart,     // left edge of a node of a flame graph
  kFile,      // source file
  kLine,      // line number in it
  kSource,    // text of that line
  kAddress,   // address of an instruction, first address of a function
  kEnd,       // first address after a function
  kBytes,     // bytes of an instruction, as hexadecimal digits
  kInstruction,
  kTarget,     // address that an instruction jumps to
  kReference,  // name of what an instruction refers to
  kInlined,    // the inlined functions around an instruction
  kBinary,     // path of the file that the code was read from
};

inline constexpr size_t kRoles = static_cast<size_t>(ColumnRole::kBinary) + 1;

// Narrow lines drop kExtra first, then kUseful, and kKey never.
enum class Importance : uint8_t { kKey, kUseful, kExtra };

enum class Tone : uint8_t { kNeutral, kGood, kBad };

struct ReportColumn {
  std::string name;   // key in JSON and CSV: "self_share"
  std::string title;  // heading for people: "self %"
  ColumnKind kind = ColumnKind::kText;
  ColumnRole role = ColumnRole::kDetail;
  Importance importance = Importance::kKey;
  TextValues text = {};              // kText
  std::vector<double> numbers = {};  // every other kind
  std::vector<double> low = {};      // 95 % interval; empty when there is none
  std::vector<double> high = {};
  std::string unit = {};                // what the numbers count, if not the report's unit
  std::vector<std::string> units = {};  // the same by row, if rows count different things
  bool is_difference = false;           // after minus before: shown with its sign
  bool for_programs = false;            // in JSON and CSV only: people have enough columns
  std::vector<Tone> tones = {};         // by row, of words that judge; empty when they do not

  // A word that judges its row.
  void judge(std::string_view word, Tone tone) {
    text.push_back(word);
    tones.push_back(tone);
  }
  size_t size() const { return kind == ColumnKind::kText ? text.size() : numbers.size(); }
  // What a row's number counts, in a report that counts `report_unit`s.
  std::string_view unit_of(size_t row, std::string_view report_unit) const {
    return !units.empty() ? units[row] : !unit.empty() ? unit : report_unit;
  }
};

struct Table {
  std::vector<ReportColumn> columns;

  size_t rows() const { return columns.empty() ? 0 : columns[0].size(); }
  // The first such column, null when there is none. Names are for those that made the table.
  const ReportColumn* find(std::string_view name) const;
  const ReportColumn* find(ColumnRole role) const;
  const ReportColumn* find(ColumnRole role, ColumnKind kind) const;
};

// A table whose rows form trees. A parent has a smaller row number than its children; a root names
// itself.
struct Tree {
  Table nodes;
  std::vector<uint32_t> parent;
};

// Lines over time.
struct Series {
  std::vector<int64_t> time_ns;
  std::vector<ReportColumn> lines;
};

// Nodes, and edges between their row numbers; edge_values has a row for each edge.
struct Graph {
  Table nodes;
  std::vector<std::pair<uint32_t, uint32_t>> edges;
  Table edge_values;
};

// Code in its order: a row for each instruction (role kInstruction) or source line (kSource).
struct Code {
  Table rows;
};

using Body = std::variant<Table, Tree, Series, Graph, Code>;

// What a section is in its report.
enum class SectionRole : uint8_t {
  kAnswer,   // what was asked for
  kSubject,  // one row: the function that the report is about
  kParts,    // what the subject consists of
  kOthers,   // what else the question fits
};

struct Section {
  std::string name;   // key in JSON: "areas"
  std::string title;  // heading for people
  Body body;
  SectionRole role = SectionRole::kAnswer;
};

// What did not make it into the numbers, and why.
struct LossLine {
  std::string reason;
  std::string what;    // "samples", "lines"
  std::string detail;  // the first occurrence, may be empty
  uint64_t count = 0;  // 0: unknown
  bool data_loss = true;
};

// A number about the whole report: "complete" 12345.
struct Figure {
  std::string name;  // key in JSON: "no_evidence"
  double value = 0;
  std::string title = {};  // what people read; empty: the name

  const std::string& text() const { return title.empty() ? name : title; }
};

struct Report {
  std::string title;
  std::string unit;             // "samples", "nanoseconds", "bytes" ...
  uint64_t samples = 0;         // how many samples the numbers rest on
  double total = 0;             // what all shares are fractions of, in `unit`
  std::vector<Figure> figures;  // headlines, when the analysis has any
  std::vector<Section> sections;
  std::vector<LossLine> loss;
  std::vector<std::string> notes;
  std::string verb = {};  // the question, as programs know it: "report"
};

// Every shape as plain tables, for views that draw nothing else: a tree gains the columns `depth`
// and `parent` (a row; unknown for roots), a series its time, a graph becomes its nodes and edges.
std::vector<Section> as_tables(const Section& section);

// Programs read all times in nanoseconds; seconds are for people.
std::string_view unit_for_programs(std::string_view unit);
double number_for_programs(const ReportColumn& column, double number, std::string_view unit);

// The words of JSON: "table", "weight", "self", "bad".
std::string_view shape_name(const Body& body);
std::string_view kind_name(ColumnKind kind);
std::string_view role_name(ColumnRole role);
std::string_view tone_name(Tone tone);

// Depth of each node of a tree, 0 for roots.
std::vector<uint32_t> node_depths(const Tree& tree);

}  // namespace wick
