// SPDX-License-Identifier: Apache-2.0
// WAIST 3: the report. Analyses return reports, and views draw them; neither includes the other.
//
// A report is self-contained: it has text and numbers, and no ids of a profile. Its body is one or
// more sections, each with one of six shapes. A view finds the data that it draws by the shape of
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

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "report/table.h"
#include "report/tracks.h"

namespace wick {

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

using Body = std::variant<Table, Tree, Series, Graph, Code, Tracks>;

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
  std::string title = {};     // text for people; empty: the name
  bool for_programs = false;  // only in JSON: sentences of the report have it for people

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

// A section, or a part of it, as a plain table.
struct ShapedTable {
  std::string name;
  std::string title;
  std::string_view shape;  // the section's, or what the part has: "edges", "spans"
  Table table;
  size_t left_out = 0;
};

// Converts every shape to plain tables, for views that draw nothing else. A tree gets the columns
// `depth` and `parent` (a row; unknown for roots), a series its time. A graph becomes two tables:
// its nodes and its edges. Tracks become one table for the list of tracks and one for each kind of
// rows, and gaps are a table of their own. Parts without rows are left out, except for the first.
std::vector<ShapedTable> as_tables(const Section& section);

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
