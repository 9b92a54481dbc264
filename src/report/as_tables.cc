// SPDX-License-Identifier: Apache-2.0
// Converts the shapes of a report to plain tables. Tracks become relational tables: rows of points,
// spans, marks, gaps and arrows have the position of their track in the list of tracks, and spans
// the position of their innermost frame in the list of stacks.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "report/columns.h"
#include "report/report.h"

namespace wick {
namespace {

ReportColumn numbered(const std::string& name, const auto& values) {
  ReportColumn column = count_column(name, name);
  column.numbers.assign(values.begin(), values.end());
  return column;
}

Table tree_table(const Tree& tree) {
  Table table;
  table.columns.push_back(numbered("depth", node_depths(tree)));
  table.columns.back().role = ColumnRole::kDepth;
  table.columns.push_back(numbered("parent", tree.parent));
  table.columns.back().role = ColumnRole::kParent;
  for (size_t row = 0; row < tree.parent.size(); ++row) {
    if (tree.parent[row] == row) {
      table.columns.back().numbers[row] = NAN;
    }
  }
  table.columns.insert(table.columns.end(), tree.nodes.columns.begin(), tree.nodes.columns.end());
  return table;
}

Table series_table(const Series& series) {
  Table table;
  table.columns.push_back(numbered("time_ns", series.time_ns));
  table.columns.back().role = ColumnRole::kTime;
  table.columns.insert(table.columns.end(), series.lines.begin(), series.lines.end());
  return table;
}

Table edge_table(const Graph& graph) {
  std::vector<uint32_t> from;
  std::vector<uint32_t> to;
  for (auto [source, target] : graph.edges) {
    from.push_back(source);
    to.push_back(target);
  }
  Table table;
  table.columns.push_back(numbered("from", from));
  table.columns.push_back(numbered("to", to));
  table.columns.insert(
      table.columns.end(), graph.edge_values.columns.begin(), graph.edge_values.columns.end());
  return table;
}

// ---- Tracks -------------------------------------------------------------------------------------

ReportColumn whole_numbers(const char* name, ColumnRole role) {
  return count_column(name, name, role);
}

ReportColumn track_column() {
  return whole_numbers("track", ColumnRole::kTrack);
}

// Unknown for rows without a stack.
double stack_number(uint32_t stack) {
  return stack == kNoTrackStack ? std::nan("") : static_cast<double>(stack);
}

Table list_of_tracks(const Tracks& tracks) {
  ReportColumn name = name_column("track");
  ReportColumn kind = text_column("kind", "kind", ColumnRole::kCategory);
  ReportColumn level = whole_numbers("level", ColumnRole::kDepth);
  ReportColumn begin = whole_numbers("begin_ns", ColumnRole::kTime);
  ReportColumn end = whole_numbers("end_ns", ColumnRole::kUntil);
  for (const Track& track : tracks.tracks) {
    name.text.push_back(track.title);
    kind.text.push_back(kind_name(track));
    level.numbers.push_back(track.level);
    begin.numbers.push_back(static_cast<double>(tracks.begin_ns));
    end.numbers.push_back(static_cast<double>(tracks.end_ns));
  }
  return {
      .columns = {
          std::move(name), std::move(kind), std::move(level), std::move(begin), std::move(end)}};
}

// Calls use(number, body) for each track of a kind.
template <typename Kind, typename Use>
void for_each(const Tracks& tracks, Use use) {
  for (size_t track = 0; track < tracks.tracks.size(); ++track) {
    if (const auto* body = std::get_if<Kind>(&tracks.tracks[track].body)) {
      use(static_cast<double>(track), *body);
    }
  }
}

Table points_of(const Tracks& tracks) {
  ReportColumn of = track_column();
  ReportColumn line = text_column("line", "line", ColumnRole::kName);
  ReportColumn time = whole_numbers("time_ns", ColumnRole::kTime);
  ReportColumn value = number_column("value", "value", ColumnRole::kValue);
  ReportColumn unit = text_column("unit", "unit", ColumnRole::kUnit);
  bool has_bands = false;
  for_each<Series>(tracks, [&](double track, const Series& series) {
    for (const ReportColumn& values : series.lines) {
      auto number = [&](double n) { return number_for_programs(values, n, values.unit); };
      uint32_t name = line.text.add_value(values.title);
      uint32_t own_unit = unit.text.add_value(std::string(unit_for_programs(values.unit)));
      for (size_t row = 0; row < series.time_ns.size(); ++row) {
        bool has_band = !values.low.empty();
        has_bands = has_bands || has_band;
        of.numbers.push_back(track);
        line.text.push_value(name);
        unit.text.push_value(own_unit);
        time.numbers.push_back(static_cast<double>(series.time_ns[row]));
        value.numbers.push_back(number(values.numbers[row]));
        value.low.push_back(has_band ? number(values.low[row]) : NAN);
        value.high.push_back(has_band ? number(values.high[row]) : NAN);
      }
    }
  });
  if (!has_bands) {
    value.low.clear();
    value.high.clear();
  }
  return {.columns = {
              std::move(of), std::move(line), std::move(time), std::move(value), std::move(unit)}};
}

// Appends the rows of `more` to the column of the same name, which may be new and has `rows` rows
// afterwards: unknown ones where a lane has no such detail.
void append_details(const std::vector<ReportColumn>& more,
                    size_t rows,
                    std::vector<ReportColumn>& details) {
  for (const ReportColumn& column : more) {
    auto same = [&](const ReportColumn& own) {
      return own.name == column.name && own.kind == column.kind;
    };
    auto own = std::ranges::find_if(details, same);
    if (own == details.end()) {
      ReportColumn blank = column;
      blank.text = {};
      blank.numbers.clear();
      blank.low.clear();
      blank.high.clear();
      blank.tones.clear();
      details.push_back(std::move(blank));
      own = std::prev(details.end());
    }
    size_t before = rows - column.size();
    if (own->kind != ColumnKind::kText) {
      own->numbers.resize(before, NAN);
      std::ranges::copy(column.numbers, std::back_inserter(own->numbers));
      continue;
    }
    while (own->text.size() < before) {
      own->text.push_back("");
    }
    for (size_t row = 0; row < column.text.size(); ++row) {
      own->text.push_back(column.text[row]);
    }
  }
}

void fill_up(size_t rows, std::vector<ReportColumn>& details) {
  for (ReportColumn& column : details) {
    if (column.kind != ColumnKind::kText) {
      column.numbers.resize(rows, NAN);
    }
    while (column.kind == ColumnKind::kText && column.text.size() < rows) {
      column.text.push_back("");
    }
  }
}

Table spans_of(const Tracks& tracks) {
  ReportColumn of = track_column();
  ReportColumn begin = whole_numbers("begin_ns", ColumnRole::kTime);
  ReportColumn end = whole_numbers("end_ns", ColumnRole::kUntil);
  ReportColumn depth = whole_numbers("depth", ColumnRole::kDepth);
  ReportColumn state = text_column("state", "state", ColumnRole::kState);
  ReportColumn name = name_column("span");
  ReportColumn category = text_column("category", "category", ColumnRole::kCategory);
  ReportColumn stack = whole_numbers("stack", ColumnRole::kStack);
  std::vector<ReportColumn> details;
  for_each<SpanLane>(tracks, [&](double track, const SpanLane& lane) {
    for (size_t span = 0; span < lane.size(); ++span) {
      of.numbers.push_back(track);
      begin.numbers.push_back(static_cast<double>(lane.begin_ns[span]));
      end.numbers.push_back(static_cast<double>(lane.end_ns[span]));
      depth.numbers.push_back(lane.depth[span]);
      state.text.push_back(state_name(lane.state[span]));
      name.text.push_back(lane.name[span]);
      category.text.push_back(lane.category[span]);
      stack.numbers.push_back(stack_number(lane.stack[span]));
    }
    append_details(lane.details, of.size(), details);
  });
  fill_up(of.size(), details);
  Table table{.columns = {std::move(of),
                          std::move(begin),
                          std::move(end),
                          std::move(depth),
                          std::move(state),
                          std::move(name),
                          std::move(category),
                          std::move(stack)}};
  std::ranges::move(details, std::back_inserter(table.columns));
  return table;
}

Table marks_of(const Tracks& tracks) {
  ReportColumn of = track_column();
  ReportColumn time = whole_numbers("time_ns", ColumnRole::kTime);
  ReportColumn name = name_column("mark");
  ReportColumn value = number_column("value", "value", ColumnRole::kValue);
  ReportColumn unit = text_column("unit", "unit", ColumnRole::kUnit);
  for_each<MarkLine>(tracks, [&](double track, const MarkLine& marks) {
    for (size_t mark = 0; mark < marks.size(); ++mark) {
      of.numbers.push_back(track);
      time.numbers.push_back(static_cast<double>(marks.time_ns[mark]));
      name.text.push_back(marks.name[mark]);
      value.numbers.push_back(marks.value[mark]);
      unit.text.push_back(std::isnan(marks.value[mark]) ? std::string_view() : marks.unit);
    }
  });
  return {.columns = {
              std::move(of), std::move(time), std::move(name), std::move(value), std::move(unit)}};
}

// Of one series: without the column of the track.
Table gap_table(const std::vector<Gap>& gaps) {
  ReportColumn begin = whole_numbers("begin_ns", ColumnRole::kTime);
  ReportColumn end = whole_numbers("end_ns", ColumnRole::kUntil);
  ReportColumn reason = text_column("reason", "reason", ColumnRole::kReason);
  for (const Gap& gap : gaps) {
    begin.numbers.push_back(static_cast<double>(gap.begin_ns));
    end.numbers.push_back(static_cast<double>(gap.end_ns));
    reason.text.push_back(gap.reason);
  }
  return {.columns = {std::move(begin), std::move(end), std::move(reason)}};
}

Table gaps_of(const Tracks& tracks) {
  ReportColumn of = track_column();
  std::vector<Gap> gaps;
  auto add = [&](double track, const auto& body) {
    of.numbers.insert(of.numbers.end(), body.gaps.size(), track);
    std::ranges::copy(body.gaps, std::back_inserter(gaps));
  };
  for_each<Series>(tracks, add);
  for_each<SpanLane>(tracks, add);
  Table table = gap_table(gaps);
  table.columns.insert(table.columns.begin(), std::move(of));
  return table;
}

Table arrows_of(const Tracks& tracks) {
  ReportColumn from = track_column();
  ReportColumn to = whole_numbers("to_track", ColumnRole::kToTrack);
  ReportColumn begin = whole_numbers("begin_ns", ColumnRole::kTime);
  ReportColumn end = whole_numbers("end_ns", ColumnRole::kUntil);
  ReportColumn name = name_column("arrow");
  ReportColumn stack = whole_numbers("stack", ColumnRole::kStack);
  for (const TrackArrow& arrow : tracks.arrows) {
    from.numbers.push_back(arrow.from);
    to.numbers.push_back(arrow.to);
    begin.numbers.push_back(static_cast<double>(arrow.from_ns));
    end.numbers.push_back(static_cast<double>(arrow.to_ns));
    name.text.push_back(arrow.name);
    stack.numbers.push_back(stack_number(arrow.stack));
  }
  return {.columns = {std::move(from),
                      std::move(to),
                      std::move(begin),
                      std::move(end),
                      std::move(name),
                      std::move(stack)}};
}

struct Part {
  std::string_view word;  // the suffix of its name, and its shape
  Table table;
};

// The section's own table, and the parts that have rows.
std::vector<ShapedTable> with_parts(const Section& section, Table own, std::vector<Part> parts) {
  std::vector<ShapedTable> tables;
  tables.push_back({section.name, section.title, shape_name(section.body), std::move(own)});
  for (Part& part : parts) {
    if (part.table.rows() > 0) {
      tables.push_back({section.name + "_" + std::string(part.word),
                        section.title + ": " + std::string(part.word),
                        part.word,
                        std::move(part.table)});
    }
  }
  return tables;
}

}  // namespace

std::vector<ShapedTable> as_tables(const Section& section) {
  if (const auto* series = std::get_if<Series>(&section.body)) {
    return with_parts(section, series_table(*series), {{"gaps", gap_table(series->gaps)}});
  }
  if (const auto* graph = std::get_if<Graph>(&section.body)) {
    return with_parts(section, graph->nodes, {{"edges", edge_table(*graph)}});
  }
  if (const auto* tracks = std::get_if<Tracks>(&section.body)) {
    return with_parts(section,
                      list_of_tracks(*tracks),
                      {{"points", points_of(*tracks)},
                       {"spans", spans_of(*tracks)},
                       {"marks", marks_of(*tracks)},
                       {"gaps", gaps_of(*tracks)},
                       {"arrows", arrows_of(*tracks)},
                       {"stacks", tree_table(tracks->stacks)}});
  }
  ShapedTable table{.name = section.name,
                    .title = section.title,
                    .shape = shape_name(section.body),
                    .table = {},
                    .left_out = section.left_out};
  if (const auto* tree = std::get_if<Tree>(&section.body)) {
    table.table = tree_table(*tree);
  } else if (const auto* code = std::get_if<Code>(&section.body)) {
    table.table = code->rows;
  } else {
    table.table = std::get<Table>(section.body);
  }
  return {std::move(table)};
}

}  // namespace wick
