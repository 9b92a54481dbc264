// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "formats/firefox/profile_writer.h"
#include "formats/json_labels.h"
#include "profile/names.h"

namespace wick::firefox {

void Writer::write_markers(const ThreadRows& rows) {
  size_t spans = rows.spans.size();
  size_t size = spans + rows.marks.size();
  auto column = [&](std::string_view name, auto of_span, auto of_mark) {
    write_column(json_, name, size, [&](size_t row) {
      if (row < spans) {
        of_span(profile_.spans[rows.spans[row]]);
      } else {
        of_mark(profile_.marks[rows.marks[row - spans]]);
      }
    });
  };
  auto name = [&](const auto& row) {
    write_integer(json_, strings_.add(profile_.strings[row.name]));
  };
  auto number = [&](int64_t value) {
    return [this, value](const auto&) { write_integer(json_, value); };
  };
  json_.key("markers");
  json_.begin_object();
  json_.field("length", uint64_t{size});
  column("name", name, name);
  column(
      "startTime",
      [&](const Span& span) { write_time(span.begin_ns); },
      [&](const Mark& mark) { write_time(mark.time_ns); });
  column(
      "endTime",
      [&](const Span& span) { write_time(span.end_ns); },
      [&](const Mark&) { json_.raw("null"); });
  column("phase", number(1), number(0));
  column("category", number(0), number(0));
  column(
      "data",
      [&](const Span& span) { write_marker_data(name_of(span.kind), span.stack, span.labels); },
      [&](const Mark& mark) { write_marker_data(mark_type(mark), kEmptyStack, mark.labels); });
  json_.end_object();
}

void Writer::write_marker_data(std::string_view type, StackId stack, LabelSetId labels) {
  json_.begin_object();
  json_.field("type", type);
  if (stack != kEmptyStack) {
    json_.key("cause");
    json_.begin_object();
    json_.key("stack");
    write_integer(json_, tables_.number_of(stack));
    json_.end_object();
  }
  wick::write_labels(json_, profile_, labels);
  json_.end_object();
}

void Writer::write_counters() {
  std::vector<std::vector<uint32_t>> points(profile_.series.size());
  for (size_t row = 0; row < profile_.counters.size(); ++row) {
    points[profile_.counters.series[row].index()].push_back(static_cast<uint32_t>(row));
  }
  json_.key("counters");
  json_.begin_array();
  for (size_t row = 0; row < points.size() && !threads_.empty(); ++row) {
    std::ranges::stable_sort(
        points[row], {}, [&](uint32_t point) { return profile_.counters.time_ns[point]; });
    write_counter(SeriesId::from_index(row), points[row]);
  }
  json_.end_array();
}

void Writer::write_counter(SeriesId id, const std::vector<uint32_t>& points) {
  const CounterSeries& series = profile_.series[id];
  ProcessId process = series.process;
  if (series.thread.valid()) {
    process = profile_.threads[series.thread].process;
  }
  int64_t pid = process.valid() ? profile_.processes[process].pid : 0;
  size_t thread = 0;
  while (thread + 1 < threads_.size() &&
         !(threads_[thread].thread.valid() &&
           profile_.threads[threads_[thread].thread].process == process)) {
    ++thread;
  }
  json_.begin_object();
  json_.field("name", profile_.strings[series.name]);
  json_.field("category", "wick");
  json_.field("description", profile_.strings[series.unit]);
  json_.field("pid", fmt::format("{}", std::max<int64_t>(pid, 0)));
  json_.field("mainThreadIndex", uint64_t{process.valid() ? thread : 0});
  json_.key("display");
  json_.begin_object();
  bool is_level = series.kind != SeriesKind::kCumulative;
  json_.field("graphType", is_level ? "line-accumulated" : "line-rate");
  json_.field("unit", profile_.strings[series.unit]);
  json_.field("color", "grey");
  json_.key("markerSchemaLocation");
  json_.raw("null");
  json_.field("sortWeight", uint64_t{50});
  json_.field("label", profile_.strings[series.name]);
  json_.end_object();
  json_.key("samples");
  json_.begin_object();
  json_.field("length", uint64_t{points.size()});
  write_column(json_, "time", points.size(), [&](size_t row) {
    write_time(profile_.counters.time_ns[points[row]]);
  });
  double last = 0;
  write_column(json_, "count", points.size(), [&](size_t row) {
    double value = profile_.counters.value[points[row]];
    json_.value(value - last);
    last = value;
  });
  json_.end_object();
  json_.end_object();
}

}  // namespace wick::firefox
