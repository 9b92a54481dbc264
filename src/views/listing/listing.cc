// SPDX-License-Identifier: Apache-2.0
// Writes a listing from top to bottom:
//
//     head             the function, its costs and its files
//     hottest lines    the source lines with the most samples
//     parts            the function and its inlined functions
//     code             instructions below their source lines, with arrows for jumps; or, if the
//                      report has no instructions, the lines of a whole file
//     other matches    further functions that fit the question
//     loss and notes
//
// Every row starts with the same cost columns (cost_columns), and the text gets the remaining
// width. So numbers are aligned over all parts, and only text is cut.
#include "views/listing/listing.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/escape.h"
#include "base/path.h"
#include "base/utf8.h"
#include "views/code_tables.h"
#include "views/labels.h"
#include "views/names.h"
#include "views/numbers.h"
#include "views/terminal_look.h"

namespace wick {
namespace {

constexpr size_t kHottestLines = 8;
constexpr size_t kWide = 110;    // from this width on, all numbers are shown
constexpr size_t kTotals = 140;  // and from this width on, the total
constexpr size_t kMinText = 24;

constexpr std::array kListingFlags = {
    kColorFlag,
    kWidthFlag,
    Flag{"context",
         '\0',
         FlagKind::kInteger,
         "ROWS",
         "0",
         "cold rows shown around hot ones, 0 for all (default: 12 on a terminal)"},
    Flag{"full-paths", 'P', FlagKind::kSwitch, "", "", "show source files with their directories"},
    Flag{"asm-raw", '\0', FlagKind::kSwitch, "", "", "also show the bytes of each instruction"},
};

constexpr size_t kLongestName = 4096;  // of names that are not shortened
constexpr size_t kFewestNameColumns = 16;

struct Name {
  std::string text;  // escaped already
  size_t columns = 0;
};

constexpr std::string_view kBold = "1";
constexpr std::string_view kDim = "2";
constexpr std::string_view kSource = "36";
constexpr std::string_view kInlined = "35";

class ListingWriter {
 public:
  ListingWriter(const Report& report, const CodeReport& code, const FlagValues& flags, Output& out)
      : report_(report),
        out_(out),
        code_(code),
        instructions_(code.instructions),
        lines_(code.lines),
        color_(flags.text("color") == "always"),
        width_(flags.integer("width")),
        context_(flags.integer("context")),
        full_paths_(flags.is_set("full-paths")),
        raw_(flags.is_set("asm-raw")) {}

  void write() {
    write_head();
    bool is_file = instructions_.table == nullptr;
    if (!is_file) {
      write_hottest_lines();
      write_parts();
    }
    is_file ? write_source() : write_code();
    write_matches();
    write_end();
  }

 private:
  void put(const std::string& line) {
    std::string trimmed = line;
    trimmed.erase(trimmed.find_last_not_of(' ') + 1);
    out_.write(trimmed + "\n");
  }
  // A line that is too wide becomes several.
  void put_wrapped(const std::string& line, std::string_view code = {}) {
    if (width_ == 0 || display_columns(line) <= width_) {
      put(paint(line, code));
      return;
    }
    for (const std::string& part : wrapped_sentence(line, width_)) {
      put(paint(part, code));
    }
  }
  std::string paint(const std::string& text, std::string_view code) const {
    return !color_ || code.empty() ? text : fmt::format("\x1b[{}m{}\x1b[0m", code, text);
  }
  static std::string_view heat_color(double heat) {
    return heat >= kHotShare ? "1;31" : heat >= kWarmShare ? "33" : heat > 0 ? "32" : "";
  }
  // The rest of the line after `taken` columns.
  size_t room(size_t taken) const {
    return width_ == 0 ? SIZE_MAX : std::max(kMinText, width_ > taken ? width_ - taken : 0);
  }
  bool is_wide() const { return width_ == 0 || width_ >= kWide; }
  bool has_totals() const { return width_ == 0 || width_ >= kTotals; }

  std::string location(const std::string& file, uint32_t line) const {
    std::string_view name = full_paths_ ? std::string_view(file) : file_name_of(file);
    return line == 0 ? terminal_text(name) : fmt::format("{}:{}", terminal_text(name), line);
  }
  static std::string source_text(const std::string& text) {
    return terminal_text(without_tabs(text));
  }

  void write_head() {
    for (const std::string& line : opening_lines(report_, width_, color_)) {
      put(line);
    }
    const CostTable& function = code_.function;
    if (function.rows() == 0) {
      put(paint(terminal_text(report_.title), kBold) + fmt::format(": {}", summary_text(report_)));
      put("");
      return;
    }
    // Some names have a million characters.
    put_wrapped(cut_middle(terminal_text(report_.title), width_ == 0 ? SIZE_MAX : 4096), kBold);
    std::string self = weight_text(function.self->numbers[0], report_.unit);
    std::string share = share_text(function.self_share->numbers[0]) + " %";
    if (has_samples()) {
      self += " in " + samples_text(function.samples->numbers[0]);
      share += fmt::format(" ({})", interval_text(*function.self_share, 0, report_.unit));
    }
    put_wrapped(fmt::format("  self     {}: {} of {}", self, share, summary_text(report_)));
    put(fmt::format("  total    {}: {} %, including callees",
                    weight_text(function.total->numbers[0], report_.unit),
                    share_text(function.total_share->numbers[0])));
    if (instructions_.table != nullptr) {
      std::string range = fmt::format(", {} to {}, {} instructions",
                                      function.text(ColumnRole::kAddress, 0),
                                      function.text(ColumnRole::kEnd, 0),
                                      count_text(static_cast<double>(instructions_.rows())));
      std::string binary = terminal_text(function.text(ColumnRole::kBinary, 0));
      put("  code     " + cut_middle(binary, room(11 + range.size())) + range);
    }
    main_file_ = function.text(ColumnRole::kFile, 0);
    if (!main_file_.empty()) {
      put("  source   " + cut_middle(terminal_text(main_file_), room(11)));
    }
    put("");
  }

  // A heading, and rows of text with their costs on the left.
  void write_hottest_lines() {
    std::vector<size_t> order = lines_.hottest();
    if (order.empty()) {
      return;
    }
    size_t listed = std::min(order.size(), kHottestLines);
    size_t location_width = 0;
    for (size_t i = 0; i < listed; ++i) {
      location_width = std::max(location_width, display_columns(line_location(order[i])));
    }
    put(paint(fmt::format("{}  {}", cost_heading(), "hottest lines"), kBold));
    for (size_t i = 0; i < listed; ++i) {
      size_t row = order[i];
      std::string where = pad_right(line_location(row), location_width);
      std::string text = source_text(lines_.text(ColumnRole::kSource, row));
      text.erase(0, text.find_first_not_of(' '));
      size_t taken = cost_columns() + 2 + display_columns(where) + 2;
      put(costs(lines_, row) + "  " + where + "  " + paint(cut_text(text, room(taken)), kSource));
    }
    if (listed < order.size()) {
      put(paint(std::string(cost_columns() + 2, ' ') +
                    fmt::format("({} more lines have samples; --json and --csv list them)",
                                order.size() - listed),
                kDim));
    }
    put("");
  }
  std::string line_location(size_t row) const {
    return location(lines_.text(ColumnRole::kFile, row), lines_.line(row));
  }

  void write_parts() {
    const CostTable& parts = code_.parts;
    std::vector<size_t> order = parts.hottest();
    if (parts.rows() < 2 || order.empty()) {
      return;
    }
    put(paint(fmt::format("{}  {}", cost_heading(), "the function and its inlined functions"),
              kBold));
    constexpr std::string_view kMark = " (inlined)";
    std::vector<Name> names;
    for (size_t row : order) {
      names.push_back({terminal_text(parts.text(ColumnRole::kName, row)),
                       room(cost_columns() + 2 + kMark.size())});
    }
    std::vector<std::string> labels = short_names(names);
    for (size_t i = 0; i < order.size(); ++i) {
      bool inlined = !parts.text(ColumnRole::kCategory, order[i]).empty();
      std::string name = labels[i] + std::string(inlined ? kMark : "");
      put(costs(parts, order[i]) + "  " + paint(name, inlined ? kInlined : ""));
    }
    put("");
  }

  // Costs that were measured have no samples, and no intervals.
  bool has_samples() const { return report_.samples > 0; }

  // func %, samples; in wide lines: self %, 95 %; in wider lines: total %.
  size_t cost_columns() const { return cost_heading().size(); }
  std::string cost_heading() const {
    std::string text = fmt::format("{:>7}", "func %");
    text += has_samples() ? fmt::format("{:>9}", "samples") : "";
    text += is_wide() ? fmt::format("{:>8}", "self %") : "";
    text += is_wide() && has_samples() ? fmt::format("{:>14}", "95 %") : "";
    return text + (has_totals() ? fmt::format("{:>9}", "total %") : "");
  }
  std::string costs(const CostTable& table, size_t row) const {
    bool sampled = table.is_sampled(row);
    std::string here = sampled ? share_text(table.heat(row)) : "";
    std::string samples = sampled ? count_text(table.samples->numbers[row]) : "";
    std::string text = paint(fmt::format("{:>7}", here), heat_color(table.heat(row)));
    text += has_samples() ? fmt::format("{:>9}", samples) : "";
    text += is_wide()
                ? fmt::format("{:>8}", sampled ? share_text(table.self_share->numbers[row]) : "")
                : "";
    if (is_wide() && has_samples()) {
      std::string interval =
          sampled ? interval_text(*table.self_share, row, report_.unit) : std::string();
      text += paint(fmt::format("{:>14}", interval), kDim);
    }
    if (has_totals()) {
      bool passes = table.total_share != nullptr && table.total_share->numbers[row] > 0;
      text += fmt::format("{:>9}", passes ? share_text(table.total_share->numbers[row]) : "");
    }
    return text;
  }

  // Whether each row is near enough to a row with samples.
  std::vector<bool> shown_rows(const CostTable& table) const {
    std::vector<bool> shown(table.rows(), context_ == 0 || table.hottest().empty());
    for (size_t row = 0; row < table.rows(); ++row) {
      if (!table.is_sampled(row)) {
        continue;
      }
      size_t last = std::min(table.rows() - 1, row + context_);
      for (size_t near = row - std::min(row, context_); near <= last; ++near) {
        shown[near] = true;
      }
    }
    // A single hidden row takes the same space as the line that says it is hidden.
    for (size_t row = 0; row < shown.size(); ++row) {
      bool fills_a_gap =
          (row == 0 || shown[row - 1]) && (row + 1 == shown.size() || shown[row + 1]);
      shown[row] = shown[row] || fills_a_gap;
    }
    return shown;
  }
  void write_fold(size_t rows, const char* what) {
    put(paint(std::string(cost_columns() + 2, ' ') +
                  fmt::format("... {} {} without samples; --context 0 shows them",
                              count_text(static_cast<double>(rows)),
                              what),
              kDim));
  }

  void write_code() {
    std::vector<std::pair<uint32_t, uint32_t>> jumps = wick::jumps(instructions_);
    drawn_ = draw_jumps(jumps, instructions_.rows(), is_wide() ? 8 : 4);
    for (size_t row = 0; row < instructions_.rows(); ++row) {
      address_columns_ = std::max(address_columns_, address(row).size());
    }
    put(paint(cost_heading() + "  source and instructions", kBold));
    std::vector<bool> shown = shown_rows(instructions_);
    for (size_t row = 0, folded = 0; row < instructions_.rows(); ++row) {
      folded += shown[row] ? 0U : 1U;
      if (!shown[row]) {
        if (row + 1 == instructions_.rows() || shown[row + 1]) {
          write_fold(folded, "instructions");
          folded = 0;
          inlined_ = "";
          at_ = "";
        }
        continue;
      }
      write_where(row);
      write_instruction(row);
    }
  }

  std::string address(size_t row) const {
    const std::string& text = instructions_.text(ColumnRole::kAddress, row);
    return text.starts_with("0x") ? text.substr(2) : text;
  }

  // The innermost function as far as it fits, and the number of functions around it.
  std::string inlined_text(const std::string& chain, size_t columns) const {
    constexpr std::string_view kInlinedHere = "inlined ";
    constexpr std::string_view kWithin = " < ";
    std::string text = terminal_text(chain);
    size_t first = text.find(kWithin);
    if (columns == SIZE_MAX || kInlinedHere.size() + display_columns(text) <= columns) {
      return std::string(kInlinedHere) + cut_middle(text, kLongestName);
    }
    size_t around = 0;
    for (size_t at = first; at != std::string::npos; at = text.find(kWithin, at + 1)) {
      ++around;
    }
    std::string rest = around == 0 ? "" : fmt::format("{}{} more", kWithin, around);
    size_t taken = kInlinedHere.size() + rest.size();
    return std::string(kInlinedHere) +
           label_of(text.substr(0, first), columns - std::min(columns, taken)) + rest;
  }

  // Names that are shortened together, so that different functions look different. In a pipe
  // nothing is shortened, except names of a million characters.
  std::vector<std::string> short_names(const std::vector<Name>& names) const {
    std::vector<std::string> texts;
    std::vector<LabelRow> rows;
    for (const Name& name : names) {
      texts.push_back(width_ == 0 ? cut_middle(name.text, kLongestName) : "");
      rows.push_back({name.text, name.columns});
    }
    return width_ == 0 ? texts : labels_of(rows);
  }

  // Writes the source line and the inlined functions if they changed. If the text of a line is
  // unknown, its number goes beside the instruction.
  void write_where(size_t row) {
    beside_.clear();
    std::string lanes = drawn_.above[row] + (drawn_.width == 0 ? "" : " ");
    std::string margin = std::string(cost_columns() + 2, ' ') + paint(lanes, kDim);
    size_t margin_columns = cost_columns() + 2 + display_columns(lanes);
    const std::string& inlined = instructions_.text(ColumnRole::kInlined, row);
    if (inlined != inlined_ && !inlined.empty()) {
      put(margin + paint(inlined_text(inlined, room(margin_columns)), kInlined));
    }
    const std::string& file = instructions_.text(ColumnRole::kFile, row);
    // The head already shows the function's file.
    bool is_main = file == main_file_ && !full_paths_ && instructions_.line(row) != 0;
    std::string at = is_main ? fmt::format("{}", instructions_.line(row))
                             : location(file, instructions_.line(row));
    if (!at.empty() && (at != at_ || inlined != inlined_) && lines_.table != nullptr) {
      std::string text = source_text(line_text(row));
      size_t taken = margin_columns + display_columns(at) + 2;
      if (text.empty()) {
        beside_ = is_main ? "line " + at : at;
      } else {
        put(margin + paint(at + ":", kDim) + " " + paint(cut_text(text, room(taken)), kSource));
      }
    }
    inlined_ = inlined;
    at_ = at;
  }

  const std::string& line_text(size_t row) {
    if (texts_.empty()) {
      for (size_t line = 0; line < lines_.rows(); ++line) {
        texts_[{lines_.text(ColumnRole::kFile, line), lines_.line(line)}] = line;
      }
    }
    auto found = texts_.find({instructions_.text(ColumnRole::kFile, row), instructions_.line(row)});
    static const std::string kNone;
    return found == texts_.end() ? kNone : lines_.text(ColumnRole::kSource, found->second);
  }

  void write_instruction(size_t row) {
    bool is_cold = !instructions_.is_sampled(row);
    std::string line = costs(instructions_, row) + "  ";
    size_t taken = cost_columns() + 2 + drawn_.width + 1 + address_columns_ + 2;
    line += paint(drawn_.at[row], kDim) + (drawn_.width == 0 ? "" : " ");
    line += paint(fmt::format("{:>{}}", address(row), address_columns_), kDim) + "  ";
    std::string text = terminal_text(instructions_.text(ColumnRole::kInstruction, row));
    if (raw_) {
      text = fmt::format("{:<22}{}", instructions_.text(ColumnRole::kBytes, row), text);
    }
    const std::string& refers = instructions_.text(ColumnRole::kReference, row);
    std::string shown = cut_text(text, room(taken));
    line += is_cold ? shown : paint(shown, heat_color(instructions_.heat(row)));
    size_t left = room(taken) == SIZE_MAX
                      ? 4096
                      : room(taken) - std::min(room(taken), display_columns(shown));
    if (left > 8) {
      line += paint(beside_instruction(terminal_text(refers), left), kDim);
    }
    put(line);
  }

  // "  <called function>  line 17"
  std::string beside_instruction(const std::string& refers, size_t columns) const {
    std::string rest = beside_.empty() ? "" : "  " + beside_;
    if (refers.empty()) {
      return cut_middle(rest, columns);
    }
    constexpr size_t kAngles = 4;  // with the blanks
    size_t taken = kAngles + display_columns(rest);
    bool fits = columns >= taken + kFewestNameColumns;
    std::string name =
        short_names({{refers, columns - (fits ? taken : std::min(columns, kAngles))}})[0];
    return "  <" + name + ">" + (fits ? rest : "");
  }

  // A whole file: the lines with samples and the lines around them.
  void write_source() {
    put(paint(cost_heading() + "  line", kBold));
    std::vector<bool> shown = shown_rows(lines_);
    size_t folded = 0;
    for (size_t row = 0; row < lines_.rows(); ++row) {
      folded += shown[row] ? 0U : 1U;
      if (!shown[row]) {
        if (row + 1 == lines_.rows() || shown[row + 1]) {
          write_fold(folded, "lines");
          folded = 0;
        }
        continue;
      }
      std::string number = fmt::format("{:>5}", lines_.line(row));
      std::string text =
          cut_text(source_text(lines_.text(ColumnRole::kSource, row)), room(cost_columns() + 9));
      put(costs(lines_, row) + "  " + paint(number, kDim) + "  " +
          paint(text, lines_.is_sampled(row) ? heat_color(lines_.heat(row)) : ""));
    }
  }

  void write_matches() {
    const CostTable& matches = code_.others;
    if (matches.rows() == 0) {
      return;
    }
    put("");
    put(paint(" self %  other matches", kBold));
    std::vector<Name> names;
    std::vector<std::string> places;
    for (size_t row = 0; row < matches.rows(); ++row) {
      const std::string& file = matches.text(ColumnRole::kFile, row);
      places.push_back(fmt::format("  {}:{}{}",
                                   terminal_text(matches.text(ColumnRole::kModule, row)),
                                   matches.text(ColumnRole::kAddress, row),
                                   file.empty() ? "" : "  " + location(file, 0)));
      size_t taken = 9 + display_columns(places.back());
      names.push_back({terminal_text(matches.text(ColumnRole::kName, row)),
                       std::max(room(taken), std::min(room(9), kFewestNameColumns))});
    }
    std::vector<std::string> labels = short_names(names);
    for (size_t row = 0; row < matches.rows(); ++row) {
      put(fmt::format("{:>7}  {}",
                      share_text(matches.self_share->numbers[row]),
                      cut_middle(labels[row] + places[row], std::min(room(9), kLongestName * 2))));
    }
  }

  void write_end() {
    if (!report_.loss.empty() || !report_.notes.empty()) {
      put("");
    }
    for (const std::string& line : closing_lines(report_, width_)) {
      put(line);
    }
  }

  const Report& report_;
  Output& out_;
  const CodeReport& code_;
  const CostTable& instructions_;
  const CostTable& lines_;
  bool color_;
  size_t width_;
  size_t context_;
  bool full_paths_;
  bool raw_;
  DrawnJumps drawn_;
  size_t address_columns_ = 0;
  std::string main_file_;
  std::string inlined_;
  std::string at_;
  std::string beside_;                                        // text beside the next instruction
  std::map<std::pair<std::string, uint32_t>, size_t> texts_;  // rows of lines_ by location
};

}  // namespace

std::span<const Flag> listing_flags() {
  return kListingFlags;
}

Result<> write_listing(const Report& report, const FlagValues& flags, Output& out) {
  CodeReport code = TRY(code_report(report));
  ListingWriter(report, code, flags, out).write();
  return {};
}

}  // namespace wick
