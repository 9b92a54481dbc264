// WAIST 3: the report. What an analysis returns and a view draws; neither knows the other.
//
// A report stands alone: it holds text and numbers, no ids into a profile. Its body is one or more
// sections, each of one of four shapes; a view draws shapes, so every analysis can be shown by
// every view.
//
// Units are said once for the whole report: a column of kind kWeight counts `unit`s, unless its
// rows are different things and say their own. Shares are fractions of `total` (0.25, not 25) and
// carry their 95 % interval when they come from samples.
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

struct ReportColumn {
  std::string name;   // key in JSON and CSV: "self_share"
  std::string title;  // heading for people: "self %"
  ColumnKind kind = ColumnKind::kText;
  TextValues text = {};              // kText
  std::vector<double> numbers = {};  // every other kind
  std::vector<double> low = {};      // 95 % interval; empty when there is none
  std::vector<double> high = {};
  std::vector<std::string> units = {};  // kWeight whose rows count different things: by row
  bool is_difference = false;           // after minus before: shown with its sign
  bool for_programs = false;            // in JSON and CSV only: people have enough columns

  size_t size() const { return kind == ColumnKind::kText ? text.size() : numbers.size(); }
  // What a row's number counts, in a report that counts `unit`s.
  std::string_view unit_of(size_t row, std::string_view unit) const {
    return units.empty() ? unit : units[row];
  }
};

struct Table {
  std::vector<ReportColumn> columns;

  size_t rows() const { return columns.empty() ? 0 : columns[0].size(); }
  const ReportColumn* find(std::string_view name) const;
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

using Body = std::variant<Table, Tree, Series, Graph>;

struct Section {
  std::string name;   // key in JSON: "areas"
  std::string title;  // heading for people
  Body body;
};

// What did not make it into the numbers, and why.
struct LossLine {
  std::string reason;
  std::string what;    // "samples", "lines"
  std::string detail;  // the first occurrence, may be empty
  uint64_t count = 0;  // 0: nobody can know
  bool data_loss = true;
};

// A number about the whole report: "complete" 12345.
struct Figure {
  std::string name;  // key in JSON, and what people read
  double value = 0;
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
};

// Every shape as plain tables, for views that draw nothing else: a tree gains the columns `depth`
// and `parent`, a series its time, a graph becomes its nodes and its edges.
std::vector<Section> as_tables(const Section& section);

// Depth of each node of a tree, 0 for roots.
std::vector<uint32_t> node_depths(const Tree& tree);

}  // namespace wick
