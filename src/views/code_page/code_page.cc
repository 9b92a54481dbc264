// SPDX-License-Identifier: Apache-2.0
#include "views/code_page/code_page.h"

#include <algorithm>
#include <map>

#include "base/escape.h"
#include "views/code_page/embedded.h"
#include "views/code_tables.h"
#include "views/numbers.h"

namespace wick {
namespace {

constexpr size_t kLanes = 8;

class PageWriter {
 public:
  PageWriter(const Report& report, const CodeReport& code, Output& out)
      : report_(report),
        out_(out),
        code_(code),
        instructions_(code.instructions),
        lines_(code.lines) {
    for (size_t row = 0; row < lines_.rows(); ++row) {
      line_rows_[{lines_.text(ColumnRole::kFile, row), lines_.line(row)}] = row;
    }
  }

  void write() {
    out_.print(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n"
        "<title>{} - wick</title>\n<style>\n{}</style>\n<body>\n",
        xml_text(report_.title),
        kCodePageStyle);
    write_head();
    bool both = lines_.rows() > 0 && instructions_.rows() > 0;
    out_.print("<main class=\"{}\">\n", both ? "both" : "single");
    write_lines();
    write_instructions();
    out_.write("</main>\n");
    write_end();
    out_.print("<script>\n{}</script>\n</body>\n</html>\n", kCodePageScript);
  }

 private:
  void write_head() {
    const CostTable& function = code_.function;
    out_.print("<header>\n<h1>{}</h1>\n<p>",
               xml_text(function.rows() > 0 ? function.text(ColumnRole::kName, 0) : report_.title));
    for (const std::string& caution : report_.cautions) {
      out_.print("<b>Caution: {}</b><br>", xml_text(caution));
    }
    if (function.rows() > 0) {
      out_.print("<b>{} %</b>{} of {}: {}{}; including callees {} %<br>",
                 share_text(function.self_share->numbers[0]),
                 interval_of(function, 0),
                 xml_text(summary_text(report_)),
                 xml_text(weight_text(function.self->numbers[0], report_.unit)),
                 has_samples() ? " in " + samples_text(function.samples->numbers[0]) : "",
                 share_text(function.total_share->numbers[0]));
      if (code_.instructions.table != nullptr) {
        out_.print("{} {} to {}",
                   xml_text(function.text(ColumnRole::kBinary, 0)),
                   function.text(ColumnRole::kAddress, 0),
                   function.text(ColumnRole::kEnd, 0));
      } else {
        out_.write(xml_text(function.text(ColumnRole::kFile, 0)));
      }
    } else {
      out_.write(xml_text(summary_text(report_)));
    }
    out_.write(
        "</p>\n<p id=\"keys\" hidden><kbd>h</kbd> hottest <kbd>n</kbd> <kbd>p</kbd> next and "
        "previous by heat <kbd>j</kbd> <kbd>k</kbd> down and up <kbd>s</kbd> other side</p>\n");
    write_parts();
    out_.write("</header>\n");
  }

  // Costs that were measured have no samples, and no intervals.
  bool has_samples() const { return report_.samples > 0; }
  std::string interval_of(const CostTable& table, size_t row) const {
    return has_samples() ? fmt::format(" ({})", interval_text(*table.self_share, row, report_.unit))
                         : std::string();
  }

  void write_parts() {
    const CostTable& parts = code_.parts;
    std::vector<size_t> order = parts.hottest();
    if (parts.rows() < 2 || order.empty()) {
      return;
    }
    out_.write("<ul class=\"parts\">\n");
    for (size_t row : order) {
      out_.print("<li style=\"--h:{:.4f}\"><b>{} %</b> {}{}</li>\n",
                 parts.heat(row),
                 share_text(parts.heat(row)),
                 xml_text(parts.text(ColumnRole::kName, row)),
                 parts.text(ColumnRole::kCategory, row).empty() ? "" : " <i>inlined</i>");
    }
    out_.write("</ul>\n");
  }

  // The cells that both lines and instructions have. The title contains the exact numbers.
  std::string cost_cells(const CostTable& table, size_t row) const {
    bool passes = table.total_share != nullptr && table.total_share->numbers[row] > 0;
    std::string title = passes ? fmt::format("including callees {} % of all",
                                             share_text(table.total_share->numbers[row]))
                               : "";
    if (!table.is_sampled(row)) {
      return fmt::format("<td class=\"n\"{}></td><td class=\"n\"></td>",
                         passes ? fmt::format(" title=\"{}\"", title) : "");
    }
    title = fmt::format("{} %{} of all, {}; {}",
                        share_text(table.self_share->numbers[row]),
                        interval_of(table, row),
                        xml_text(weight_text(table.self->numbers[row], report_.unit)),
                        title);
    return fmt::format("<td class=\"n\" title=\"{}\">{}</td><td class=\"n\">{}</td>",
                       title,
                       share_text(table.heat(row)),
                       count_text(table.samples->numbers[row]));
  }
  // The attributes of a row that the script reads.
  static std::string row_head(const CostTable& table,
                              size_t row,
                              std::string_view side,
                              int64_t line) {
    std::string head = fmt::format("<tr id=\"{}{}\"", side, row);
    head += line >= 0 ? fmt::format(" data-line=\"{}\"", line) : "";
    if (table.is_sampled(row)) {
      head += fmt::format(" class=\"hot\" data-heat=\"{:.6f}\" style=\"--h:{:.4f}\"",
                          table.heat(row),
                          table.heat(row));
    }
    return head + ">";
  }

  void write_lines() {
    if (lines_.rows() == 0) {
      return;
    }
    out_.write(
        "<section id=\"source\" tabindex=\"0\"><table>\n<thead><tr><th>func %<th>samples<th>line"
        "<th class=\"t\">source</thead>\n");
    std::string file;
    for (size_t row = 0; row < lines_.rows(); ++row) {
      if (lines_.text(ColumnRole::kFile, row) != file) {
        file = lines_.text(ColumnRole::kFile, row);
        out_.print("<tr class=\"file\"><td colspan=\"4\">{}\n", xml_text(file));
      }
      uint32_t number = lines_.line(row);
      out_.print("{}{}<td class=\"a\">{}<td class=\"t\">{}\n",
                 row_head(lines_, row, "l", static_cast<int64_t>(row)),
                 cost_cells(lines_, row),
                 number == 0 ? "" : fmt::format("{}", number),
                 xml_text(without_tabs(lines_.text(ColumnRole::kSource, row))));
    }
    out_.write("</table></section>\n");
  }

  void write_instructions() {
    if (instructions_.rows() == 0) {
      return;
    }
    out_.write(
        "<section id=\"code\" tabindex=\"0\"><table>\n<thead><tr><th>func %<th>samples<th>"
        "<th>address<th class=\"t\">instruction</thead>\n");
    DrawnJumps drawn = draw_jumps(jumps(instructions_), instructions_.rows(), kLanes);
    std::string inlined;
    for (size_t row = 0; row < instructions_.rows(); ++row) {
      const std::string& here = instructions_.text(ColumnRole::kInlined, row);
      if (here != inlined) {
        out_.print("<tr class=\"inlined\"><td><td><td class=\"j\">{}<td><td class=\"t\">{}\n",
                   drawn.above[row],
                   here.empty() ? "back in the function" : "inlined " + xml_text(here));
        inlined = here;
      }
      write_instruction(row, drawn);
    }
    out_.write("</table></section>\n");
  }

  void write_instruction(size_t row, const DrawnJumps& drawn) {
    auto line =
        line_rows_.find({instructions_.text(ColumnRole::kFile, row), instructions_.line(row)});
    const std::string& refers = instructions_.text(ColumnRole::kReference, row);
    const std::string& address = instructions_.text(ColumnRole::kAddress, row);
    out_.print("{}{}<td class=\"j\">{}<td class=\"a\" title=\"{}\">{}<td class=\"t\">{}{}\n",
               row_head(instructions_,
                        row,
                        "i",
                        line == line_rows_.end() ? -1 : static_cast<int64_t>(line->second)),
               cost_cells(instructions_, row),
               drawn.at[row],
               instructions_.text(ColumnRole::kBytes, row),
               address.starts_with("0x") ? address.substr(2) : address,
               xml_text(instructions_.text(ColumnRole::kInstruction, row)),
               refers.empty() ? "" : fmt::format(" <i>&lt;{}&gt;</i>", xml_text(refers)));
  }

  void write_end() {
    out_.write("<footer>\n");
    const CostTable& matches = code_.others;
    for (size_t row = 0; row < matches.rows(); ++row) {
      const std::string& file = matches.text(ColumnRole::kFile, row);
      out_.print("<p>Also matches: {} in {} at {}{} with {} % of all</p>\n",
                 xml_text(matches.text(ColumnRole::kName, row)),
                 xml_text(matches.text(ColumnRole::kModule, row)),
                 matches.text(ColumnRole::kAddress, row),
                 file.empty() ? "" : fmt::format(" ({})", xml_text(file)),
                 share_text(matches.self_share->numbers[row]));
    }
    for (const LossLine& loss : report_.loss) {
      out_.print("<p>{}</p>\n", xml_text(loss_text(loss)));
    }
    for (const std::string& note : report_.notes) {
      out_.print("<p>{}</p>\n", xml_text(note));
    }
    out_.write("</footer>\n");
  }

  const Report& report_;
  Output& out_;
  const CodeReport& code_;
  const CostTable& instructions_;
  const CostTable& lines_;
  std::map<std::pair<std::string, uint32_t>, size_t> line_rows_;
};

}  // namespace

Result<> write_code_page(const Report& report, const FlagValues&, Output& out) {
  CodeReport code = TRY(code_report(report));
  PageWriter(report, code, out).write();
  return {};
}

}  // namespace wick
