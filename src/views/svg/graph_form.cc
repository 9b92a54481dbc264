// SPDX-License-Identifier: Apache-2.0
#include "views/svg/graph_form.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/escape.h"
#include "views/graph_layout.h"
#include "views/labels.h"
#include "views/numbers.h"
#include "views/svg/assets.h"
#include "views/svg/bounded_name.h"
#include "views/svg/notes.h"
#include "views/svg/picture_foot.h"

namespace wick {
namespace {

constexpr double kHeadHeight = 64;
constexpr double kMargin = 40;
constexpr double kNarrowest = 480;  // for titles and notes
constexpr size_t kNameColumns = 34;
constexpr GraphSize kSize = {
    .node_width = 250, .node_height = 38, .bend_width = 14, .gap_x = 26, .gap_y = 46};

const ReportColumn* first_numbers(const Table& table) {
  auto found = std::ranges::find_if(
      table.columns, [](const ReportColumn& column) { return column.kind != ColumnKind::kText; });
  return found == table.columns.end() ? nullptr : &*found;
}

double largest(const ReportColumn* column) {
  double most = 0;
  for (size_t row = 0; column != nullptr && row < column->numbers.size(); ++row) {
    most = std::max(most, column->numbers[row]);
  }
  return most;
}

// A curve that leaves and enters each point vertically.
std::string curve(const std::vector<GraphPoint>& points, double x, double y) {
  std::string path = fmt::format("M{:.1f} {:.1f}", x + points[0].x, y + points[0].y);
  for (size_t i = 1; i < points.size(); ++i) {
    double middle = y + (points[i - 1].y + points[i].y) / 2;
    path += fmt::format("C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}",
                        x + points[i - 1].x,
                        middle,
                        x + points[i].x,
                        middle,
                        x + points[i].x,
                        y + points[i].y);
  }
  return path;
}

// From the right side of a node to itself.
std::string loop(const std::vector<GraphPoint>& points, double x, double y) {
  return fmt::format("M{0:.1f} {1:.1f}C{2:.1f} {1:.1f} {2:.1f} {3:.1f} {0:.1f} {3:.1f}",
                     x + points[0].x,
                     y + points[0].y,
                     x + points[0].x + kSize.gap_x,
                     y + points[1].y);
}

class GraphForm {
 public:
  GraphForm(const Report& report, const Graph& graph, const SvgOptions& options)
      : report_(report),
        graph_(graph),
        options_(options),
        layout_(lay_out_graph(graph.nodes.rows(), graph.edges, kSize)),
        width_(std::max(layout_.width + 2 * kMargin, kNarrowest)),
        left_((width_ - layout_.width) / 2) {}

  std::string finish() const {
    std::vector<std::string> notes = loss_notes(report_);
    if (layout_.left_out > 0) {
      notes.push_back(fmt::format("{} edges are not drawn.", layout_.left_out));
    }
    PictureFoot foot = picture_foot({}, notes, static_cast<uint32_t>(width_));
    double bottom = kHeadHeight + layout_.height + 24;
    return fmt::format("{}{}{}<g id=\"foot\" transform=\"translate(0 {:.0f})\">\n{}</g>\n</svg>\n",
                       opening(bottom + foot.height + 14),
                       edges(),
                       nodes(),
                       bottom,
                       foot.text);
  }

 private:
  std::string title() const {
    return !options_.title.empty()    ? options_.title
           : !report_.subject.empty() ? fmt::format("{}: {}", report_.title, report_.subject)
                                      : report_.title;
  }

  std::string opening(double height) const {
    const std::string& subtitle = options_.subtitle.empty() ? report_.origin : options_.subtitle;
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"wick-flame tracks graph\" "
        "width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\">\n"
        "<title>{2}</title>\n{3}<defs><marker id=\"head-of-arrow\" viewBox=\"0 0 6 6\" refX=\"5\" "
        "refY=\"3\" markerWidth=\"8\" markerHeight=\"8\" markerUnits=\"userSpaceOnUse\" "
        "orient=\"auto\"><path class=\"head-of-arrow\" d=\"M0 0L6 3L0 6z\"/></marker></defs>\n"
        "<rect class=\"bg\" width=\"100%\" height=\"100%\"/>\n"
        "<g id=\"head\"><text id=\"title\" x=\"10\" y=\"22\">{2}</text>"
        "<text id=\"details\" x=\"10\" y=\"42\">{4}</text></g>\n",
        width_,
        height,
        xml_text(bounded_name(title())),
        tracks_style_element(),
        xml_text(bounded_name(subtitle.empty() ? report_.headline : subtitle)));
  }

  std::string edges() const {
    const ReportColumn* numbers = first_numbers(graph_.edge_values);
    double most = largest(numbers);
    std::string text = "<g class=\"edges\">\n";
    std::string labels;  // over all edges
    for (const GraphLayout::Edge& edge : layout_.edges) {
      auto [from, to] = graph_.edges[edge.edge];
      double number = numbers == nullptr ? 0 : numbers->numbers[edge.edge];
      bool is_loop = from == to;
      std::string path =
          is_loop ? loop(edge.points, left_, kHeadHeight) : curve(edge.points, left_, kHeadHeight);
      text += fmt::format(
          "<path class=\"arrow\" style=\"stroke-width:{:.1f}\" marker-end=\"url(#head-of-arrow)\" "
          "d=\"{}\"><title>{} to {}: {}</title></path>",
          most > 0 ? 0.6 + 4 * number / most : 1,
          path,
          xml_text(bounded_name(name_of(from))),
          xml_text(bounded_name(name_of(to))),
          numbers == nullptr ? "" : count_of(number));
      if (numbers != nullptr) {
        GraphPoint label = label_of(edge.points, is_loop);
        labels += fmt::format("<text class=\"axis-text\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                              left_ + label.x + 4,
                              kHeadHeight + label.y,
                              count_of(number));
      }
      text += "\n";
    }
    return text + labels + "</g>\n";
  }

  // In the middle of the first piece: several edges begin or end at one node.
  static GraphPoint label_of(const std::vector<GraphPoint>& points, bool is_loop) {
    if (is_loop) {
      return {points[0].x, points[0].y - 14};
    }
    return {(points[0].x + points[1].x) / 2, (points[0].y + points[1].y) / 2 + 4};
  }

  std::string nodes() const {
    const ReportColumn* numbers = first_numbers(graph_.nodes);
    double most = largest(numbers);
    std::vector<LabelRow> rows;
    for (size_t row = 0; row < graph_.nodes.rows(); ++row) {
      rows.push_back({name_of(row), kNameColumns});
    }
    std::vector<std::string> labels = labels_of(rows);
    std::string text;
    for (size_t row = 0; row < graph_.nodes.rows(); ++row) {
      GraphPoint corner = layout_.nodes[row];
      double share = numbers != nullptr && most > 0 ? numbers->numbers[row] / most : 0;
      text += fmt::format(
          "<g transform=\"translate({:.1f} {:.1f})\"><rect class=\"row\" width=\"{}\" "
          "height=\"{}\" rx=\"3\" style=\"stroke:#888\"/><rect class=\"area\" width=\"{:.1f}\" "
          "height=\"4\" y=\"{}\"/><text x=\"6\" y=\"15\">{}</text><text class=\"axis-text\" "
          "x=\"6\" y=\"29\">{}</text><title>{}{}</title></g>\n",
          left_ + corner.x,
          kHeadHeight + corner.y,
          kSize.node_width,
          kSize.node_height,
          share * kSize.node_width,
          kSize.node_height - 4,
          xml_text(labels[row]),
          xml_text(numbers_of(row, false)),
          xml_text(bounded_name(name_of(row))),
          xml_text(numbers_of(row, true)));
    }
    return text;
  }

  std::string_view name_of(size_t row) const {
    const ReportColumn* name = graph_.nodes.find(ColumnRole::kName);
    return name == nullptr ? std::string_view() : std::string_view(name->text[row]);
  }
  static std::string count_of(double number) {
    return fmt::format("{:g}", std::round(number * 100) / 100);
  }
  // "executions 12, IPC 1.5"; with the texts as well for a title.
  std::string numbers_of(size_t row, bool with_texts) const {
    std::string text;
    for (const ReportColumn& column : graph_.nodes.columns) {
      bool is_text = column.kind == ColumnKind::kText;
      bool is_shown = is_text ? with_texts && column.role != ColumnRole::kName
                              : !std::isnan(column.numbers[row]);
      if (is_shown) {
        text += text.empty() ? (with_texts ? ": " : "") : ", ";
        text +=
            fmt::format("{} {}",
                        column.title,
                        is_text ? std::string(column.text[row]) : count_of(column.numbers[row]));
      }
    }
    return text;
  }

  const Report& report_;
  const Graph& graph_;
  const SvgOptions& options_;
  GraphLayout layout_;
  double width_;
  double left_;
};

}  // namespace

void write_graph_form(const Report& report,
                      const Graph& graph,
                      const SvgOptions& options,
                      Output& out) {
  out.write(GraphForm(report, graph, options).finish());
}

}  // namespace wick
