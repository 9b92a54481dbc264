#include "viewer/page_data.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/escape.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "base/worker_pool.h"
#include "profile/merge.h"
#include "profile/time_range.h"
#include "viewer/column_packer.h"
#include "viewer/gzip.h"

namespace wick {
namespace {

// What a run brought along, in the order of the merged profile's rows.
struct RunShape {
  size_t samples = 0;
  size_t spans = 0;
  int64_t start_ns = 0;  // its first sample
  int64_t end_ns = 0;
  bool has_time = false;
};

RunShape shape_of(const Profile& profile) {
  TimeRange range = sampled_time(profile);
  return {.samples = profile.samples.size(),
          .spans = profile.spans.size(),
          .start_ns = range.first,
          .end_ns = range.last,
          .has_time = profile.has_time()};
}

// Files may claim any time: what does not fit stays at the end of the scale. A quarter of it, so
// that the difference of two such times fits, too, when columns are packed.
constexpr int64_t kFarthest = INT64_MAX / 4;
int64_t since(int64_t time_ns, int64_t start_ns) {
  int64_t result = 0;
  if (__builtin_sub_overflow(time_ns, start_ns, &result)) {
    result = time_ns < start_ns ? -kFarthest : kFarthest;
  }
  return std::clamp(result, -kFarthest, kFarthest);
}

void write_number(JsonWriter& json, std::string_view name, double number) {
  json.key(name);
  json.raw(std::isfinite(number) ? fmt::format("{}", number) : "null");
}

void write_text(JsonWriter& json, std::string_view name, std::string_view text) {
  json.field(name, std::string_view(terminal_text(text)));
}

// Tabs are layout in code, and controls elsewhere.
std::string with_spaces(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '\t') {
      result.append(8 - result.size() % 8, ' ');
    } else {
      result.push_back(c);
    }
  }
  return result;
}

void write_facts(JsonWriter& json, const Profile& profile) {
  json.key("facts");
  json.begin_array();
  for (const Fact& fact : profile.facts) {
    json.begin_array();
    json.value(std::string_view(terminal_text(profile.strings[fact.key])));
    json.value(std::string_view(terminal_text(profile.strings[fact.value])));
    json.end_array();
  }
  json.end_array();
}

void write_losses(JsonWriter& json, const Profile& profile) {
  json.key("losses");
  json.begin_array();
  for (const Loss& loss : profile.losses) {
    json.begin_object();
    write_text(json, "reason", profile.strings[loss.reason]);
    write_text(json, "what", profile.strings[loss.what]);
    write_text(json, "detail", profile.strings[loss.detail]);
    json.field("count", loss.count);
    json.field("data_loss", loss.severity == LossClass::kDataLoss);
    json.end_object();
  }
  json.end_array();
}

void write_marks(JsonWriter& json, const Profile& profile, int64_t start_ns) {
  json.key("marks");
  json.begin_array();
  for (const Mark& mark : profile.marks) {
    json.begin_object();
    json.field("time", since(mark.time_ns, start_ns));
    write_text(json, "name", profile.strings[mark.name]);
    write_number(json, "value", mark.has_value ? mark.value : std::nan(""));
    json.end_object();
  }
  json.end_array();
}

// Counter points line by line; equal names make one line.
class CounterLines {
 public:
  void add(const Profile& profile, int64_t start_ns, JsonWriter& json) {
    std::map<std::string, std::vector<CounterPoint>> lines;
    for (size_t row = 0; row < profile.counters.size(); ++row) {
      CounterPoint point = profile.counters[row];
      lines[terminal_text(profile.strings[profile.series[point.series].name])].push_back(point);
    }
    json.key("counters");
    json.begin_array();
    for (auto& [name, points] : lines) {
      std::ranges::stable_sort(points, {}, [](const CounterPoint& point) { return point.time_ns; });
      json.begin_object();
      json.field("name", std::string_view(name));
      write_text(json, "unit", profile.strings[profile.series[points[0].series].unit]);
      json.field("points", uint64_t{points.size()});
      json.end_object();
      for (const CounterPoint& point : points) {
        times_.push_back(since(point.time_ns, start_ns));
        values_.push_back(point.value);
      }
    }
    json.end_array();
  }

  void pack(ColumnPacker& columns) const {
    columns.delta("counter.time", times_.size(), [&](size_t row) { return times_[row]; });
    columns.raw64("counter.value", values_.size(), [&](size_t row) { return values_[row]; });
  }

 private:
  std::vector<int64_t> times_;
  std::vector<double> values_;
};

// Sums of each event of the page in one run's rows, and the CPUs that it names.
struct RunSums {
  std::vector<Cost> events;
  std::set<uint16_t> cpus;
};
RunSums sums_of(const Profile& merged, size_t begin, size_t end) {
  RunSums sums{.events = std::vector<Cost>(merged.events.size())};
  for (size_t row = begin; row < end; ++row) {
    const SampleColumns& samples = merged.samples;
    sums.events[samples.event[row].index()] += {samples.weight[row], samples.count[row]};
    if (samples.cpu[row] != kNoCpu) {
      sums.cpus.insert(samples.cpu[row]);
    }
  }
  return sums;
}

void write_sums(JsonWriter& json, const RunSums& sums) {
  json.key("events");
  json.begin_array();
  for (const Cost& cost : sums.events) {
    json.begin_object();
    json.field("weight", cost.weight);
    json.field("samples", cost.count);
    json.end_object();
  }
  json.end_array();
  json.key("cpus");
  json.begin_array();
  for (uint16_t cpu : sums.cpus) {
    json.value(uint64_t{cpu});
  }
  json.end_array();
}

void write_events(JsonWriter& json, const Profile& merged) {
  json.key("events");
  json.begin_array();
  for (const Event& event : merged.events) {
    json.begin_object();
    write_text(json, "name", merged.strings[event.name]);
    write_text(json, "unit", merged.strings[event.unit]);
    json.field("scale", uint64_t{event.scale});
    json.end_object();
  }
  json.end_array();
}

// The functions of the page by what they are called: ids of a run are not those of the merged
// tables.
using FunctionKey = std::pair<std::string, std::string>;
FunctionKey key_of(const Profile& profile, FunctionId id) {
  const Function& function = profile.functions[id];
  std::string_view module =
      function.module.valid() ? profile.strings[profile.modules[function.module].path] : "";
  return {std::string(profile.strings[function.name]), std::string(module)};
}

struct NamedCode {
  size_t run = 0;
  FunctionKey function;
  PageCode code;
};

void write_source(JsonWriter& json, const PageCode& code) {
  json.key("source");
  if (code.lines.empty()) {
    json.raw("null");
    return;
  }
  json.begin_object();
  write_text(json, "file", code.file);
  json.field("firstLine", uint64_t{code.first_line});
  json.key("lines");
  json.begin_array();
  for (const std::string& line : code.lines) {
    json.value(std::string_view(terminal_text(with_spaces(line))));
  }
  json.end_array();
  json.end_object();
}

void write_instructions(JsonWriter& json, const PageCode& code) {
  json.key("code");
  if (code.instructions.empty()) {
    json.raw("null");
    return;
  }
  json.begin_object();
  json.field("address", std::string_view(fmt::format("{:#x}", code.address)));
  json.key("instructions");
  json.begin_array();
  for (const PageInstruction& instruction : code.instructions) {
    json.begin_object();
    json.field("offset", instruction.offset);
    write_text(json, "text", with_spaces(instruction.text));
    json.field("line", uint64_t{instruction.line});
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_code(JsonWriter& json, const Profile& merged, const std::vector<NamedCode>& codes) {
  std::map<FunctionKey, size_t> rows;
  for (size_t row = merged.functions.size(); row-- > 0 && !codes.empty();) {
    rows[key_of(merged, FunctionId::from_index(row))] = row;
  }
  json.key("annotations");
  json.begin_array();
  for (const NamedCode& named : codes) {
    json.begin_object();
    json.field("run", uint64_t{named.run});
    json.field("frameFunction", uint64_t{rows[named.function]});
    write_text(json, "note", named.code.note);
    write_source(json, named.code);
    write_instructions(json, named.code);
    json.end_object();
  }
  json.end_array();
}

size_t utf16_length(std::string_view text) {
  size_t length = 0;
  for (Utf8Cursor cursor(text); !cursor.at_end();) {
    length += size_t{1} + (cursor.next().code > 0xFFFF ? 1U : 0U);
  }
  return length;
}

void pack_strings(const Profile& merged, ColumnPacker& columns) {
  std::string bytes;
  std::vector<size_t> lengths;
  for (uint32_t row = 0; row < merged.strings.size(); ++row) {
    std::string text = terminal_text(merged.strings[StringId{row}]);
    lengths.push_back(utf16_length(text));
    bytes += text;
  }
  columns.varint("string.lengths", lengths.size(), [&](size_t row) { return lengths[row]; });
  columns.raw("string.bytes", bytes.size(), bytes);
}

template <typename IdType>
uint64_t one_higher(IdType id) {
  return id.valid() ? uint64_t{id.value} + 1 : 0;
}

// A column of a table of records.
template <typename IdType, typename Record, typename Member>
void pack_member(ColumnPacker& columns,
                 std::string_view name,
                 const IdVector<IdType, Record>& table,
                 Member member) {
  columns.varint(
      name, table.size(), [&](size_t row) { return member(table[IdType::from_index(row)]); });
}

void pack_code(const Profile& merged, ColumnPacker& columns) {
  pack_member(columns, "module.path", merged.modules, [](const Module& m) { return m.path.value; });
  pack_member(
      columns, "module.build_id", merged.modules, [](const Module& m) { return m.build_id.value; });
  pack_member(
      columns, "function.name", merged.functions, [](const Function& f) { return f.name.value; });
  pack_member(
      columns, "function.file", merged.functions, [](const Function& f) { return f.file.value; });
  pack_member(columns, "function.line", merged.functions, [](const Function& f) { return f.line; });
  const auto& frames = merged.frames;
  pack_member(
      columns, "frame.function", frames, [](const Frame& f) { return one_higher(f.function); });
  pack_member(columns, "frame.module", frames, [](const Frame& f) { return one_higher(f.module); });
  pack_member(columns, "frame.line", frames, [](const Frame& f) { return f.line; });
  pack_member(
      columns, "frame.mode", frames, [](const Frame& f) { return static_cast<uint32_t>(f.mode); });
  pack_member(columns, "frame.found", frames, [](const Frame& f) {
    return static_cast<uint32_t>(f.found);
  });
  pack_member(columns, "frame.flags", frames, [](const Frame& f) { return uint32_t{f.flags}; });
  columns.raw64("frame.address", frames.size(), [&](size_t row) {
    return frames[FrameId::from_index(row)].address;
  });
}

void pack_stacks(const StackTree& stacks, ColumnPacker& columns) {
  columns.varint("stack.parent_step", stacks.size(), [&](size_t row) {
    return row - stacks.parent(StackId::from_index(row)).index();
  });
  columns.varint("stack.frame", stacks.size(), [&](size_t row) {
    return one_higher(stacks.frame(StackId::from_index(row)));
  });
}

void pack_threads(const Profile& merged, ColumnPacker& columns) {
  const auto& threads = merged.threads;
  pack_member(columns, "thread.name", threads, [](const Thread& t) { return t.name.value; });
  pack_member(
      columns, "thread.process", threads, [](const Thread& t) { return one_higher(t.process); });
  columns.delta("thread.tid", threads.size(), [&](size_t row) {
    return threads[ThreadId::from_index(row)].tid;
  });
  const auto& processes = merged.processes;
  pack_member(columns, "process.name", processes, [](const Process& p) { return p.name.value; });
  columns.delta("process.pid", processes.size(), [&](size_t row) {
    return processes[ProcessId::from_index(row)].pid;
  });
}

// The rows of each run in the order of time; those without one come first.
std::vector<uint32_t> rows_by_time(const Profile& merged, const std::vector<RunShape>& shapes) {
  std::vector<uint32_t> order(merged.samples.size());
  std::iota(order.begin(), order.end(), 0);
  auto begin = order.begin();
  for (const RunShape& shape : shapes) {
    auto end = begin + static_cast<std::ptrdiff_t>(shape.samples);
    auto time = [&](uint32_t row) { return merged.samples.time_ns[row]; };
    if (!std::ranges::is_sorted(begin, end, {}, time)) {
      std::ranges::stable_sort(begin, end, {}, time);
    }
    begin = end;
  }
  return order;
}

void pack_samples(const Profile& merged,
                  const std::vector<RunShape>& shapes,
                  ColumnPacker& columns) {
  std::vector<uint32_t> order = rows_by_time(merged, shapes);
  std::vector<int64_t> times;
  times.reserve(order.size());
  for (const RunShape& shape : shapes) {
    for (size_t i = 0; i < shape.samples; ++i) {
      int64_t time = merged.samples.time_ns[order[times.size()]];
      times.push_back(time == kNoTime ? -1 : since(time, shape.start_ns));
    }
  }
  const SampleColumns& samples = merged.samples;
  size_t rows = order.size();
  columns.delta("sample.time", rows, [&](size_t i) { return times[i]; });
  columns.varint("sample.weight", rows, [&](size_t i) { return samples.weight[order[i]]; });
  columns.varint("sample.count", rows, [&](size_t i) { return samples.count[order[i]]; });
  columns.varint("sample.stack", rows, [&](size_t i) { return samples.stack[order[i]].value; });
  columns.varint(
      "sample.thread", rows, [&](size_t i) { return one_higher(samples.thread[order[i]]); });
  columns.varint("sample.event", rows, [&](size_t i) { return samples.event[order[i]].value; });
  columns.varint("sample.cpu", rows, [&](size_t i) {
    uint16_t cpu = samples.cpu[order[i]];
    return cpu == kNoCpu ? 0 : uint32_t{cpu} + 1;
  });
  columns.varint("sample.ending", rows, [&](size_t i) {
    return static_cast<uint32_t>(samples.ending[order[i]]);
  });
}

// Each run's spans by their beginning; names in a short list of their own.
void pack_spans(const Profile& merged,
                const std::vector<RunShape>& shapes,
                ColumnPacker& columns,
                JsonWriter& json) {
  std::vector<Span> spans = merged.spans;
  auto begin = spans.begin();
  for (const RunShape& shape : shapes) {
    auto end = begin + static_cast<std::ptrdiff_t>(shape.spans);
    std::ranges::stable_sort(begin, end, {}, &Span::begin_ns);
    for (auto span = begin; span != end; ++span) {
      span->begin_ns = since(span->begin_ns, shape.start_ns);
      span->end_ns = since(span->end_ns, shape.start_ns);
    }
    begin = end;
  }
  std::map<StringId, uint32_t> names;
  json.key("span_names");
  json.begin_array();
  for (const Span& span : spans) {
    if (names.try_emplace(span.name, static_cast<uint32_t>(names.size())).second) {
      json.value(std::string_view(terminal_text(merged.strings[span.name])));
    }
  }
  json.end_array();
  size_t rows = spans.size();
  columns.delta("span.begin", rows, [&](size_t row) { return spans[row].begin_ns; });
  columns.delta("span.end", rows, [&](size_t row) { return spans[row].end_ns; });
  columns.varint("span.thread", rows, [&](size_t row) { return one_higher(spans[row].thread); });
  columns.varint("span.name", rows, [&](size_t row) { return names[spans[row].name]; });
}

// A run as it was before merging; its sums are added later, when events have their numbers.
std::string describe_run(const PageRun& run, const RunShape& shape, CounterLines& counters) {
  std::string text;
  Output out = Output::to_text(text);
  JsonWriter json(out);
  json.begin_object();
  write_text(json, "title", run.title);
  json.field("rows", uint64_t{shape.samples});
  json.field("spans", uint64_t{shape.spans});
  json.field("has_time", shape.has_time);
  json.field("start_ns", shape.start_ns);
  json.field("duration_ns", since(shape.end_ns, shape.start_ns));
  write_facts(json, run.profile);
  write_losses(json, run.profile);
  json.key("notes");
  json.begin_array();
  for (const std::string& note : run.notes) {
    json.value(std::string_view(terminal_text(note)));
  }
  json.end_array();
  write_marks(json, run.profile, shape.start_ns);
  counters.add(run.profile, shape.start_ns, json);
  return text;  // still open
}

std::string close_run(std::string open, const RunSums& sums) {
  std::string text;
  Output out = Output::to_text(text);
  JsonWriter json(out);
  json.begin_object();
  write_sums(json, sums);
  json.end_object();
  return open + "," + text.substr(1);
}

std::string little_endian(uint32_t number) {
  std::string bytes;
  for (unsigned shift = 0; shift < 32; shift += 8) {
    bytes.push_back(static_cast<char>(number >> shift));
  }
  return bytes;
}

}  // namespace

Result<std::string> page_bytes(std::vector<PageRun> runs, const std::vector<PageReport>& reports) {
  std::vector<RunShape> shapes;
  std::vector<std::string> run_headers;
  CounterLines counters;
  std::vector<Profile> profiles;
  std::vector<NamedCode> codes;
  for (PageRun& run : runs) {
    for (PageCode& code : run.code) {
      codes.push_back({shapes.size(), key_of(run.profile, code.function), std::move(code)});
    }
    shapes.push_back(shape_of(run.profile));
    run_headers.push_back(describe_run(run, shapes.back(), counters));
    profiles.push_back(std::move(run.profile));
  }
  Profile merged = TRY(merge(std::move(profiles)));
  size_t row = 0;
  for (size_t i = 0; i < runs.size(); ++i) {
    run_headers[i] =
        close_run(std::move(run_headers[i]), sums_of(merged, row, row + shapes[i].samples));
    row += shapes[i].samples;
  }

  ColumnPacker columns;
  std::string head;
  Output out = Output::to_text(head);
  JsonWriter json(out);
  json.begin_object();
  json.field("wick", WICK_VERSION);
  write_events(json, merged);
  write_code(json, merged, codes);
  pack_strings(merged, columns);
  pack_code(merged, columns);
  pack_stacks(merged.stacks, columns);
  pack_threads(merged, columns);
  pack_samples(merged, shapes, columns);
  pack_spans(merged, shapes, columns, json);
  counters.pack(columns);
  pack_reports(reports, merged, columns, json);
  json.key("runs");
  json.raw(fmt::format("[{}]", fmt::join(run_headers, ",")));
  json.key("columns");
  TRY(out.finish());
  // Offsets are padded to one width, so that the header's length does not depend on them.
  size_t header_bytes = head.size() + columns.headers(0).size() + 3;
  size_t base = (16 + header_bytes + 7) / 8 * 8;
  head += fmt::format("{{{}}}}}", columns.headers(base));
  CHECK(head.size() == header_bytes);
  std::string bytes = "WICKPAGE";
  bytes += little_endian(kPageVersion);
  bytes += little_endian(static_cast<uint32_t>(head.size()));
  bytes += head;
  bytes.resize(base);
  bytes += columns.bytes();
  return bytes;
}

Result<std::vector<std::string>> pack_page(std::vector<PageRun> runs,
                                           const std::vector<PageReport>& reports) {
  std::string bytes = TRY(page_bytes(std::move(runs), reports));
  std::vector<std::string> parts((bytes.size() + kPagePartBytes - 1) / kPagePartBytes);
  WorkerPool pool;
  pool.run(parts.size(), 1, [&](size_t part, size_t) {
    parts[part] = gzip(std::string_view(bytes).substr(part * kPagePartBytes, kPagePartBytes));
  });
  return parts;
}

}  // namespace wick
