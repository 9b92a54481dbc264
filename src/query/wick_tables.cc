// SPDX-License-Identifier: Apache-2.0
// wick's tables, beside perf's: what perf's do not have. The columns with the ids of other tables
// are thread_id (threads and tasks), event_id (events and selected_events), module_id (modules and
// dsos), symbol_id (symbols), and those of the tables here. Unknown values are NULL. Times are
// nanoseconds of the recording's clock; `seconds` counts from the first sample, as --time does.
#include <cmath>

#include "query/cells.h"

namespace wick::sql {
namespace {

constexpr std::string_view kBig = "bigint";
constexpr std::string_view kReal = "double";
constexpr std::string_view kWeight = "numeric";  // a whole number, or a fraction
constexpr std::string_view kText = "text";

std::optional<double> seconds_of(const Rows& rows, int64_t time) {
  int64_t first = rows.derived.first_time();
  return time == kNoTime || first == kNoTime
             ? std::nullopt
             : std::optional(static_cast<double>(time - first) / 1e9);
}

std::optional<double> known_number(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

std::optional<std::string_view> name_or_null(const Profile& profile, StringId text) {
  return text_or_null(profile.strings[text]);
}

// ---- events, processes, tasks ----

const Event& event_of(const Rows& rows, size_t row) {
  return rows.profile.events[row_id<EventId>(row)];
}

constexpr TableColumn kEvents[] = {
    {"id", kId, nullptr},
    {"name", kText, WICK_CELL(p.strings[event_of(rows, row).name])},
    {"unit", kText, WICK_CELL(p.strings[event_of(rows, row).unit])},
    {"kind", kText, WICK_CELL(name_of(event_of(rows, row).kind))},
    {"period", kBig, WICK_CELL(above_zero(event_of(rows, row).period))},
    {"frequency", kBig, WICK_CELL(above_zero(event_of(rows, row).frequency))},
    {"scale", kBig, WICK_CELL(int64_t{event_of(rows, row).scale})},
};

std::optional<int64_t> function_or_null(const Rows& rows, FrameId frame) {
  return frame.valid() ? std::optional(rows.derived.functions().of(frame)) : std::nullopt;
}

const Process& process_of(const Rows& rows, size_t row) {
  return rows.profile.processes[row_id<ProcessId>(row)];
}

constexpr TableColumn kProcesses[] = {
    {"id", kId, nullptr},
    {"pid", kBig, WICK_CELL(process_of(rows, row).pid)},
    {"name", kText, WICK_CELL(p.strings[process_of(rows, row).name])},
    {"command", kText, WICK_CELL(name_or_null(p, process_of(rows, row).command))},
    {"parent_id", kBig, WICK_CELL(id_or_null(process_of(rows, row).parent))},
    {"host",
     kText,
     WICK_CELL(process_of(rows, row).source.valid()
                   ? std::optional(source_name(p, process_of(rows, row).source))
                   : std::nullopt)},
    {"begin_time", kBig, WICK_CELL(time_or_null(process_of(rows, row).begin_ns))},
    {"end_time", kBig, WICK_CELL(time_or_null(process_of(rows, row).end_ns))},
};

const Thread& thread_of(const Rows& rows, size_t row) {
  return rows.profile.threads[row_id<ThreadId>(row)];
}

constexpr TableColumn kTasks[] = {
    {"id", kId, nullptr},
    {"process_id", kBig, WICK_CELL(id_or_null(thread_of(rows, row).process))},
    {"tid", kBig, WICK_CELL(thread_of(rows, row).tid)},
    {"name", kText, WICK_CELL(p.strings[thread_of(rows, row).name])},
    {"label", kText, WICK_CELL(thread_name(p, row_id<ThreadId>(row)))},
    {"begin_time", kBig, WICK_CELL(time_or_null(thread_of(rows, row).begin_ns))},
    {"end_time", kBig, WICK_CELL(time_or_null(thread_of(rows, row).end_ns))},
};

// ---- code ----

const Module& module_of(const Rows& rows, size_t row) {
  return rows.profile.modules[row_id<ModuleId>(row)];
}

constexpr TableColumn kModules[] = {
    {"id", kId, nullptr},
    {"name", kText, WICK_CELL(module_name(p, row_id<ModuleId>(row)))},
    {"path", kText, WICK_CELL(p.strings[module_of(rows, row).path])},
    {"build_id", kText, WICK_CELL(name_or_null(p, module_of(rows, row).build_id))},
    {"addresses", kText, WICK_CELL(name_of(module_of(rows, row).address_kind))},
};

FrameId function_frame(const Rows& rows, size_t row) {
  return rows.derived.functions().functions[row].frame;
}

const Function* function_of(const Profile& profile, FrameId frame) {
  FunctionId function = profile.frames[frame].function;
  return function.valid() ? &profile.functions[function] : nullptr;
}

std::optional<std::string_view> function_file(const Profile& profile, FrameId frame) {
  const Function* function = function_of(profile, frame);
  return function == nullptr ? std::nullopt : name_or_null(profile, function->file);
}

std::optional<int64_t> function_line(const Profile& profile, FrameId frame) {
  const Function* function = function_of(profile, frame);
  return function == nullptr ? std::nullopt : above_zero(function->line);
}

void put_cost(const Rows& rows, int64_t weight, Cell& cell) {
  const Profile& profile = rows.profile;
  if (profile.events.empty() || profile.samples.empty()) {
    cell.set(weight);
  } else {
    put_weight(cell, profile.events[profile.samples.event[0]], weight);
  }
}

constexpr TableColumn kFunctions[] = {
    {"id", kId, nullptr},
    {"name", kText, WICK_CELL(NameOf{p, function_frame(rows, row)})},
    {"module", kText, WICK_CELL(text_or_null(module_name(p, p.frames[function_frame(rows, row)])))},
    {"kind", kText, WICK_CELL(text_or_null(frame_kind(p.frames[function_frame(rows, row)])))},
    {"file", kText, WICK_CELL(function_file(p, function_frame(rows, row)))},
    {"line", kBig, WICK_CELL(function_line(p, function_frame(rows, row)))},
    {"self",
     kWeight,
     [](const Rows& rows, size_t row, Cell& cell) {
       put_cost(rows, rows.derived.functions().functions[row].self.weight, cell);
     }},
    {"total",
     kWeight,
     [](const Rows& rows, size_t row, Cell& cell) {
       put_cost(rows, rows.derived.functions().functions[row].total.weight, cell);
     }},
    {"samples",
     kBig,
     WICK_CELL(static_cast<int64_t>(rows.derived.functions().functions[row].self.count))},
};

const Frame& frame_of(const Rows& rows, size_t row) {
  return rows.profile.frames[row_id<FrameId>(row)];
}

constexpr TableColumn kLines[] = {
    {"id", kId, nullptr},
    {"function_id", kBig, WICK_CELL(rows.derived.functions().of(row_id<FrameId>(row)))},
    {"function", kText, WICK_CELL(NameOf{p, row_id<FrameId>(row)})},
    {"module_id", kBig, WICK_CELL(id_or_null(frame_of(rows, row).module))},
    {"symbol_id", kBig, WICK_CELL(id_or_null(frame_of(rows, row).function))},
    {"address", kBig, WICK_CELL(above_zero(frame_of(rows, row).address))},
    {"file", kText, WICK_CELL(name_or_null(p, line_file(p, frame_of(rows, row))))},
    {"line", kBig, WICK_CELL(above_zero(frame_of(rows, row).line))},
    {"column", kBig, WICK_CELL(above_zero(frame_of(rows, row).column))},
    {"mode", kText, WICK_CELL(name_of(frame_of(rows, row).mode))},
    {"origin", kText, WICK_CELL(name_of(frame_of(rows, row).origin))},
    {"language", kText, WICK_CELL(name_of(frame_of(rows, row).language))},
    {"inlined", kBig, WICK_CELL(int64_t{(frame_of(rows, row).flags & kInlined) != 0})},
    {"flags", kBig, WICK_CELL(int64_t{frame_of(rows, row).flags})},
};

// Row 0 of the profile is the empty stack: its id is 1, as that of the root of perf's call_paths.
FrameId stack_frame(const Rows& rows, size_t row) {
  return rows.profile.stacks.frame(StackId::from_index(row));
}

std::string folded(const Rows& rows, size_t row) {
  std::vector<StackId> path;
  for (auto at = StackId::from_index(row); at != kEmptyStack; at = rows.profile.stacks.parent(at)) {
    path.push_back(at);
  }
  const FoldedLabels& labels = rows.derived.folded_labels();
  std::string text;
  for (size_t i = path.size(); i-- > 0;) {
    text += text.empty() ? "" : ";";
    text += labels[rows.profile.stacks.frame(path[i])];
  }
  return text;
}

constexpr TableColumn kStacks[] = {
    {"id", kId, nullptr},
    {"parent_id",
     kBig,
     WICK_CELL(row == 0 ? std::optional<int64_t>()
                        : id_or_null(p.stacks.parent(row_id<StackId>(row))))},
    {"depth", kBig, WICK_CELL(int64_t{rows.derived.depths()[row]})},
    {"line_id", kBig, WICK_CELL(id_or_null(stack_frame(rows, row)))},
    {"function_id", kBig, WICK_CELL(function_or_null(rows, stack_frame(rows, row)))},
    {"function", kText, WICK_CELL(NameOf{p, stack_frame(rows, row)})},
    {"call_path_id", kBig, WICK_CELL(rows.derived.call_paths().of(row_id<StackId>(row)))},
    {"self",
     kWeight,
     [](const Rows& rows, size_t row, Cell& cell) {
       put_cost(rows, rows.derived.stack_costs().self(row_id<StackId>(row)).weight, cell);
     }},
    {"total",
     kWeight,
     [](const Rows& rows, size_t row, Cell& cell) {
       put_cost(rows, rows.derived.subtrees()[row].weight, cell);
     }},
    {"samples",
     kBig,
     WICK_CELL(static_cast<int64_t>(rows.derived.stack_costs().self(row_id<StackId>(row)).count))},
    {.name = "folded", .type = kText, .read = WICK_CELL(folded(rows, row)), .in_files = false},
};

// ---- costs ----

FrameId leaf(const Rows& rows, size_t row) {
  StackId stack = rows.profile.samples.stack[row];
  return stack == kEmptyStack ? FrameId() : rows.profile.stacks.frame(stack);
}

constexpr TableColumn kCosts[] = {
    {"id", kId, nullptr},
    {"event_id", kBig, WICK_CELL(id_or_null(p.samples.event[row]))},
    {"weight",
     kWeight,
     [](const Rows& rows, size_t row, Cell& cell) {
       put_weight(cell,
                  rows.profile.events[rows.profile.samples.event[row]],
                  rows.profile.samples.weight[row]);
     }},
    {"count", kBig, WICK_CELL(static_cast<int64_t>(p.samples.count[row]))},
    {"time", kBig, WICK_CELL(time_or_null(p.samples.time_ns[row]))},
    {"seconds", kReal, WICK_CELL(seconds_of(rows, p.samples.time_ns[row]))},
    {"cpu", kBig, WICK_CELL(cpu_or_null(p.samples.cpu[row]))},
    {"thread_id", kBig, WICK_CELL(id_or_null(p.samples.thread[row]))},
    {"stack_id", kBig, WICK_CELL(id_or_null(p.samples.stack[row]))},
    {"line_id", kBig, WICK_CELL(id_or_null(leaf(rows, row)))},
    {"function_id", kBig, WICK_CELL(function_or_null(rows, leaf(rows, row)))},
    {"stack_end", kText, WICK_CELL(stack_end_name(p.samples.ending[row]))},
    {"label_set",
     kBig,
     WICK_CELL(p.samples.labels[row] == kNoLabels ? std::optional<int64_t>()
                                                  : id_or_null(p.samples.labels[row]))},
};

// ---- labels, branches ----

const Label& label_of(const Rows& rows, size_t row) {
  return rows.profile.labels[rows.derived.label(rows.derived.labels()[row])];
}

constexpr TableColumn kLabels[] = {
    {"id", kId, nullptr},
    {"label_set", kBig, WICK_CELL(int64_t{rows.derived.labels()[row].owner} + 1)},
    {"key", kText, WICK_CELL(p.strings[label_of(rows, row).key])},
    {"value", kText, WICK_CELL(label_value(p, label_of(rows, row)))},
    {"number",
     kBig,
     WICK_CELL(label_of(rows, row).is_number ? std::optional(label_of(rows, row).number)
                                             : std::nullopt)},
    {"unit", kText, WICK_CELL(name_or_null(p, label_of(rows, row).unit))},
};

const Branch& branch_of(const Rows& rows, size_t row) {
  OwnedRows::Row at = rows.derived.branches()[row];
  BranchSetId set = rows.profile.samples.branches[at.owner];
  return rows.profile.branches[rows.profile.branch_sets[set].first + at.position];
}

const BranchEdge& edge_of(const Rows& rows, size_t row) {
  return rows.profile.edges[branch_of(rows, row).edge];
}

constexpr TableColumn kBranches[] = {
    {"id", kId, nullptr},
    {"sample_id", kBig, WICK_CELL(int64_t{rows.derived.branches()[row].owner} + 1)},
    {"position", kBig, WICK_CELL(int64_t{rows.derived.branches()[row].position})},
    {"from_line_id", kBig, WICK_CELL(id_or_zero(edge_of(rows, row).from))},
    {"from_function", kText, WICK_CELL(NameOf{p, edge_of(rows, row).from})},
    {"to_line_id", kBig, WICK_CELL(id_or_zero(edge_of(rows, row).to))},
    {"to_function", kText, WICK_CELL(NameOf{p, edge_of(rows, row).to})},
    {"cycles", kBig, WICK_CELL(above_zero(branch_of(rows, row).cycles))},
    {"mispredicted", kBig, WICK_CELL(int64_t{(branch_of(rows, row).flags & kMispredicted) != 0})},
    {"flags", kBig, WICK_CELL(int64_t{branch_of(rows, row).flags})},
};

// ---- the timeline ----

const Span& span_of(const Rows& rows, size_t row) {
  return rows.profile.spans[row];
}

std::optional<int64_t> stack_or_null(StackId stack) {
  return stack == kEmptyStack ? std::nullopt : id_or_null(stack);
}

constexpr TableColumn kSpans[] = {
    {"id", kId, nullptr},
    {"name", kText, WICK_CELL(p.strings[span_of(rows, row).name])},
    {"kind", kText, WICK_CELL(name_of(span_of(rows, row).kind))},
    {"thread_id", kBig, WICK_CELL(id_or_null(span_of(rows, row).thread))},
    {"cpu", kBig, WICK_CELL(cpu_or_null(span_of(rows, row).cpu))},
    {"parent_id", kBig, WICK_CELL(id_or_null(span_of(rows, row).parent))},
    {"begin_time", kBig, WICK_CELL(time_or_null(span_of(rows, row).begin_ns))},
    {"end_time", kBig, WICK_CELL(time_or_null(span_of(rows, row).end_ns))},
    {"begin_seconds", kReal, WICK_CELL(seconds_of(rows, span_of(rows, row).begin_ns))},
    {"milliseconds",
     kReal,
     WICK_CELL(static_cast<double>(span_of(rows, row).end_ns - span_of(rows, row).begin_ns) / 1e6)},
    {"stack_id", kBig, WICK_CELL(stack_or_null(span_of(rows, row).stack))},
    {"waker_thread_id", kBig, WICK_CELL(id_or_null(span_of(rows, row).waker))},
    {"waker_stack_id", kBig, WICK_CELL(stack_or_null(span_of(rows, row).waker_stack))},
    {"label_set",
     kBig,
     WICK_CELL(span_of(rows, row).labels == kNoLabels ? std::optional<int64_t>()
                                                      : id_or_null(span_of(rows, row).labels))},
};

constexpr TableColumn kMarks[] = {
    {"id", kId, nullptr},
    {"time", kBig, WICK_CELL(time_or_null(p.marks[row].time_ns))},
    {"seconds", kReal, WICK_CELL(seconds_of(rows, p.marks[row].time_ns))},
    {"name", kText, WICK_CELL(p.strings[p.marks[row].name])},
    {"kind", kText, WICK_CELL(name_or_null(p, p.marks[row].kind))},
    {"value",
     kReal,
     WICK_CELL(p.marks[row].has_value ? known_number(p.marks[row].value) : std::nullopt)},
    {"thread_id", kBig, WICK_CELL(id_or_null(p.marks[row].thread))},
    {"cpu", kBig, WICK_CELL(cpu_or_null(p.marks[row].cpu))},
};

const CounterSeries& series_of(const Rows& rows, size_t row) {
  return rows.profile.series[rows.profile.counters.series[row]];
}

constexpr TableColumn kCounters[] = {
    {"id", kId, nullptr},
    {"time", kBig, WICK_CELL(time_or_null(p.counters.time_ns[row]))},
    {"seconds", kReal, WICK_CELL(seconds_of(rows, p.counters.time_ns[row]))},
    {"name", kText, WICK_CELL(p.strings[series_of(rows, row).name])},
    {"unit", kText, WICK_CELL(name_or_null(p, series_of(rows, row).unit))},
    {"kind", kText, WICK_CELL(name_of(series_of(rows, row).kind))},
    {"thread_id", kBig, WICK_CELL(id_or_null(series_of(rows, row).thread))},
    {"process_id", kBig, WICK_CELL(id_or_null(series_of(rows, row).process))},
    {"cpu", kBig, WICK_CELL(cpu_or_null(series_of(rows, row).cpu))},
    {"value", kReal, WICK_CELL(known_number(p.counters.value[row]))},
    {"low", kReal, WICK_CELL(known_number(p.counters.low[row]))},
    {"high", kReal, WICK_CELL(known_number(p.counters.high[row]))},
};

// ---- losses and facts ----

constexpr TableColumn kLosses[] = {
    {"id", kId, nullptr},
    {"reason", kText, WICK_CELL(p.strings[p.losses[row].reason])},
    {"what", kText, WICK_CELL(p.strings[p.losses[row].what])},
    {"detail", kText, WICK_CELL(name_or_null(p, p.losses[row].detail))},
    {"count", kBig, WICK_CELL(above_zero(p.losses[row].count))},
    {"severity", kText, WICK_CELL(name_of(p.losses[row].severity))},
};

constexpr TableColumn kLossMoments[] = {
    {"id", kId, nullptr},
    {"loss_id", kBig, WICK_CELL(id_or_zero(p.loss_moments[row].loss))},
    {"begin_time", kBig, WICK_CELL(time_or_null(p.loss_moments[row].begin_ns))},
    {"end_time", kBig, WICK_CELL(time_or_null(p.loss_moments[row].end_ns))},
    {"cpu", kBig, WICK_CELL(cpu_or_null(p.loss_moments[row].cpu))},
    {"thread_id", kBig, WICK_CELL(id_or_null(p.loss_moments[row].thread))},
    {"count", kBig, WICK_CELL(static_cast<int64_t>(p.loss_moments[row].count))},
};

constexpr TableColumn kFacts[] = {
    {"id", kId, nullptr},
    {"key", kText, WICK_CELL(p.strings[p.facts[row].key])},
    {"value", kText, WICK_CELL(p.strings[p.facts[row].value])},
};

constexpr SqlTable kWickTables[] = {
    {"costs",
     "samples: weight and count by event, time, CPU, thread, stack and function",
     kCosts,
     [](const Rows& rows) { return rows.profile.samples.size(); }},
    {"functions",
     "functions as `wick report` lists them; self, total and samples of the first event",
     kFunctions,
     [](const Rows& rows) { return rows.derived.functions().functions.size(); }},
    {"stacks",
     "the tree of stacks with inlined frames; folded is the whole stack as text",
     kStacks,
     [](const Rows& rows) { return rows.profile.stacks.size(); }},
    {"lines",
     "locations in code: address, source line, mode, language, inlined",
     kLines,
     [](const Rows& rows) { return rows.profile.frames.size(); }},
    {"modules",
     "programs and libraries; the ids of dsos",
     kModules,
     [](const Rows& rows) { return rows.profile.modules.size(); }},
    {"events",
     "what weights count; the ids of selected_events",
     kEvents,
     [](const Rows& rows) { return rows.profile.events.size(); }},
    {"processes",
     "programs that ran, with their commands",
     kProcesses,
     [](const Rows& rows) { return rows.profile.processes.size(); }},
    {"tasks",
     "threads with their names; the ids of threads",
     kTasks,
     [](const Rows& rows) { return rows.profile.threads.size(); }},
    {"labels",
     "keys and values of label sets, a row for each",
     kLabels,
     [](const Rows& rows) { return rows.derived.labels().size(); }},
    {"branches",
     "branch stacks, newest branch first (position 0)",
     kBranches,
     [](const Rows& rows) { return rows.derived.branches().size(); }},
    {"spans",
     "intervals of threads: regions, calls, requests, off the CPU",
     kSpans,
     [](const Rows& rows) { return rows.profile.spans.size(); }},
    {"marks", "named moments", kMarks, [](const Rows& rows) { return rows.profile.marks.size(); }},
    {"counters",
     "quantities over time",
     kCounters,
     [](const Rows& rows) { return rows.profile.counters.size(); }},
    {"losses",
     "what is missing from the profile, and why",
     kLosses,
     [](const Rows& rows) { return rows.profile.losses.size(); }},
    {"loss_moments",
     "when, on which CPU and in which thread parts of it were lost",
     kLossMoments,
     [](const Rows& rows) { return rows.profile.loss_moments.size(); }},
    {"facts",
     "sentences about the recording",
     kFacts,
     [](const Rows& rows) { return rows.profile.facts.size(); }},
};

}  // namespace

std::span<const SqlTable> wick_tables() {
  return kWickTables;
}

}  // namespace wick::sql
