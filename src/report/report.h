// SPDX-License-Identifier: Apache-2.0
// WAIST 3: the report. Analyses return reports, and views draw them; neither includes the other.
//
// A report is self-contained: it has text and numbers, and no ids of a profile. Its body is one or
// more sections, each with one of five shapes. A view finds the data that it draws by the shape of
// a section and by the role of a column or section, never by a name or an English word. So every
// view can show every analysis, or it refuses with a sentence that says what is missing.
//
//     name, title   for programs and for people; views ignore the meaning
//     kind          how to write a value: text, weight, share, count, number
//     role          the relation of a value to its row: the function's name, its self cost ...
//     importance    which columns a narrow line drops first
//     tone          whether a word is good or bad news
//
// A column of kind kWeight counts `unit`s of the report, unless it has its own unit. Shares are
// fractions of `total` (0.25, not 25) and have a 95 % interval if they come from samples. An
// unknown number is NaN.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
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
};

// The words of ColumnRole::kRelation.
inline constexpr std::string_view kCallerRelation = "caller";
inline constexpr std::string_view kFunctionRelation = "function";
inline constexpr std::string_view kCalleeRelation = "callee";

inline constexpr size_t kRoles = static_cast<size_t>(ColumnRole::kBinary) + 1;

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

// Code in its order: one row for each instruction (role kInstruction) or source line (kSource).
struct Code {
  Table rows;
};

using Body = std::variant<Table, Tree, Series, Graph, Code>;

// The relation of a section to its report.
enum class SectionRole : uint8_t {
  kAnswer,   // the answer to the question
  kSubject,  // one row: the function that the report is about
  kParts,    // the parts of the subject
  kOthers,   // other matches of the question
};

struct Section {
  std::string name;   // key in JSON: "areas"
  std::string title;  // heading for people
  Body body;
  SectionRole role = SectionRole::kAnswer;
  // Short by nature, such as the inputs: --limit never cuts it.
  bool is_whole = false;
  size_t left_out = 0;  // rows that --limit cut (limit_rows)
};

// Data that is missing from the numbers, and the reason.
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
  std::string title = {};  // text for people; empty: the name

  const std::string& text() const { return title.empty() ? name : title; }
};

struct Report {
  std::string title;
  std::string headline = {};    // the sentence to read first; may be empty
  std::string unit;             // "samples", "nanoseconds", "bytes" ...
  uint64_t samples = 0;         // number of samples in the numbers
  double total = 0;             // 100 % of all shares, in `unit`
  std::vector<Figure> figures;  // headlines; may be empty
  std::vector<Section> sections;
  std::vector<LossLine> loss;
  std::vector<std::string> notes;
  std::vector<std::string> cautions = {};  // sentences to read before the numbers
  bool is_alarmed = false;                 // one of them says that names or numbers are wrong
  std::string verb = {};                   // name of the question for programs: "report"
  // Sentences about the command line, such as a pattern that matches nothing. They are not about the
  // data, so views leave them out (JSON has them among its notes), and verbs print them to stderr.
  std::vector<std::string> warnings = {};
  std::string subject = {};  // the recorded command, for the title of a picture
  std::string origin = {};   // host, date and filter, for the line below it
};

// A section that --limit never cuts.
inline Section whole_section(std::string name, std::string title, Body body) {
  return {.name = std::move(name),
          .title = std::move(title),
          .body = std::move(body),
          .is_whole = true};
}

// Cuts tables and trees after `limit` rows, except sections that are whole. A note says for each
// how many rows it left out.
void limit_rows(Report& report, size_t limit);

// Converts every shape to plain tables, for views that draw nothing else. A tree gets the columns
// `depth` and `parent` (a row; unknown for roots), a series its time. A graph becomes two tables:
// its nodes and its edges.
std::vector<Section> as_tables(const Section& section);

// Times are nanoseconds for programs and seconds for people.
std::string_view unit_for_programs(std::string_view unit);
double number_for_programs(const ReportColumn& column, double number, std::string_view unit);

// The words in JSON: "table", "weight", "self", "bad".
std::string_view shape_name(const Body& body);
std::string_view kind_name(ColumnKind kind);
std::string_view role_name(ColumnRole role);
std::string_view tone_name(Tone tone);

// Depth of each node of a tree; roots have 0.
std::vector<uint32_t> node_depths(const Tree& tree);

}  // namespace wick
