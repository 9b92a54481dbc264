// SPDX-License-Identifier: Apache-2.0
// Makes the dump independent of ids: each row becomes one line of text, in which names, stacks and
// labels replace references (Cells). Then all lines are sorted. So two profiles with the same
// content have the same dump, even if their readers added the rows in different orders.
//
// A line begins with hand-written fields. Cells::others() appends the remaining columns of the row.
// Its list of names must contain exactly the columns that the line already shows: a missing name
// prints a column twice, an extra name hides a column.
#include "profile/dump.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/escape.h"
#include "profile/names.h"

namespace wick {
namespace {

std::string stack_text(const Profile& profile, StackId stack);

std::string quoted(const Profile& profile, StringId id) {
  return terminal_text(profile.strings[id]);
}

// {key=value,key=7 bytes}; empty for the empty set.
std::string labels_text(const Profile& profile, LabelSetId set) {
  std::string text;
  for (LabelId label : labels_of(profile, set)) {
    text += text.empty() ? "{" : ",";
    text += terminal_text(label_text(profile, profile.labels[label]));
  }
  return text.empty() ? text : text + "}";
}

// A cell as text: the name of the referenced row, not its number.
class Cells {
 public:
  explicit Cells(const Profile& profile) : profile_(profile) {}

  std::string text(StringId id) const { return quoted(profile_, id); }
  std::string text(ThreadId id) const { return terminal_text(thread_name(profile_, id)); }
  std::string text(ProcessId id) const { return terminal_text(process_name(profile_, id)); }
  std::string text(StackId id) const { return stack_text(profile_, id); }
  std::string text(LabelSetId id) const { return labels_text(profile_, id); }
  std::string text(FunctionId id) const { return quoted(profile_, profile_.functions[id].name); }
  std::string text(ModuleId id) const { return quoted(profile_, profile_.modules[id].path); }
  std::string text(SourceId id) const { return quoted(profile_, profile_.sources[id].host); }
  std::string text(SeriesId id) const { return quoted(profile_, profile_.series[id].name); }
  std::string text(LossId id) const { return quoted(profile_, profile_.losses[id.index()].reason); }
  std::string text(SpanId id) const { return quoted(profile_, profile_.spans[id.index()].name); }
  std::string text(BranchSetId id) const;
  template <typename Tag>
  std::string text(Id<Tag> id) const {
    return fmt::format("{}", id.value);
  }
  template <typename Value>
  std::string text(Value value) const {
    if constexpr (std::is_enum_v<Value>) {
      return std::string(name_of(value));
    } else {
      return fmt::format("{}", value);
    }
  }

  // " name=value" for each column that differs from its initial value and is not in `shown`.
  template <typename Row>
  std::string others(const Row& row, std::initializer_list<std::string_view> shown) const {
    std::string out;
    for_each_column<Row>([&](const auto& column) {
      bool is_silent = to_word(column.of(row)) == initial_word<Row>(column);
      if (!is_silent && std::ranges::find(shown, column.name) == shown.end()) {
        uint64_t word = to_word(column.of(row));
        out += fmt::format(
            " {}={}",
            column.name,
            column.name == "address" ? fmt::format("{:#x}", word) : text(column.of(row)));
      }
    });
    return out;
  }

 private:
  const Profile& profile_;
};

// name@module+0xaddress:line{kind,origin}, without the unknown parts.
std::string frame_text(const Profile& profile, FrameId id) {
  const Frame& frame = profile.frames[id];
  std::string text = terminal_text(frame_name(profile, id));
  if (frame.module.valid() && frame.function.valid()) {
    text += fmt::format("@{}", quoted(profile, profile.modules[frame.module].path));
  }
  if (frame.address != 0 && frame.function.valid()) {
    text += fmt::format("+{:#x}", frame.address);
  }
  if (StringId file = line_file(profile, frame); !file.empty()) {
    text += fmt::format(" {}:{}", quoted(profile, file), frame.line);
  }
  text += Cells(profile).others(
      frame, {"function", "module", "address", "line", "mode", "origin", "flags", "file"});
  std::string_view kind = frame_kind(frame);
  std::string_view origin = frame.origin == FrameOrigin::kUnknown ? "" : name_of(frame.origin);
  if (!kind.empty() || !origin.empty()) {
    text += fmt::format("{{{}{}{}}}", kind, origin.empty() ? "" : ",", origin);
  }
  return text;
}

// [from>to/cycles/flags ...], newest first.
std::string Cells::text(BranchSetId id) const {
  const BranchSet& set = profile_.branch_sets[id];
  std::string out = "[";
  for (size_t row = set.first; row < set.first + set.count; ++row) {
    const Branch& branch = profile_.branches[row];
    const BranchEdge& edge = profile_.edges[branch.edge];
    out += fmt::format("{}{}>{}/{}/{:#x}",
                       out.size() == 1 ? "" : " ",
                       frame_text(profile_, edge.from),
                       frame_text(profile_, edge.to),
                       branch.cycles,
                       branch.flags);
  }
  return out + "]";
}

std::string stack_text(const Profile& profile, StackId stack) {
  std::vector<std::string> frames;
  for (; stack != kEmptyStack; stack = profile.stacks.parent(stack)) {
    frames.push_back(frame_text(profile, profile.stacks.frame(stack)));
  }
  std::string text;
  for (size_t i = frames.size(); i-- > 0;) {
    text += (text.empty() ? "" : ";") + frames[i];
  }
  return text;
}

std::string sample_text(const Profile& profile, const Sample& sample) {
  std::string text = fmt::format("sample {}", quoted(profile, profile.events[sample.event].name));
  if (sample.time_ns != kNoTime) {
    text += fmt::format(" at {}", sample.time_ns);
  }
  if (sample.cpu != kNoCpu) {
    text += fmt::format(" cpu {}", sample.cpu);
  }
  if (sample.thread.valid()) {
    const Thread& thread = profile.threads[sample.thread];
    text += fmt::format(" thread {}", terminal_text(thread_name(profile, sample.thread)));
    if (thread.process.valid()) {
      text += fmt::format(" of {}", terminal_text(process_name(profile, thread.process)));
    }
  }
  if (sample.ending != StackEnd::kUnknown) {
    text += fmt::format(" ({})", stack_end_name(sample.ending));
  }
  text += Cells(profile).others(
      sample, {"time_ns", "weight", "count", "stack", "thread", "event", "cpu", "ending"});
  text += fmt::format(" weight {} count {} stack {}",
                      sample.weight,
                      sample.count,
                      stack_text(profile, sample.stack));
  return text;
}

void append_timeline(const Profile& profile, std::vector<std::string>& lines) {
  Cells cells(profile);
  for (const Span& span : profile.spans) {
    lines.push_back(fmt::format("span {}..{} {} {}{}",
                                span.begin_ns,
                                span.end_ns,
                                terminal_text(thread_name(profile, span.thread)),
                                quoted(profile, span.name),
                                cells.others(span, {"begin_ns", "end_ns", "thread", "name"})));
  }
  for (const Mark& mark : profile.marks) {
    std::string value = mark.has_value ? fmt::format(" = {}", mark.value) : "";
    lines.push_back(fmt::format("mark {} {}{}{}",
                                mark.time_ns,
                                quoted(profile, mark.name),
                                value,
                                cells.others(mark, {"time_ns", "name", "value", "has_value"})));
  }
  for (size_t row = 0; row < profile.counters.size(); ++row) {
    CounterPoint point = profile.counters[row];
    const CounterSeries& series = profile.series[point.series];
    lines.push_back(fmt::format("counter {} {} = {} {}{}{}",
                                point.time_ns,
                                quoted(profile, series.name),
                                point.value,
                                quoted(profile, series.unit),
                                cells.others(series, {"name", "unit"}),
                                cells.others(point, {"time_ns", "series", "value"})));
  }
}

// One line for each row that has values outside of the columns in `shown`.
template <typename Rows, typename Name>
void append_rows(const Profile& profile,
                 std::string_view kind,
                 const Rows& rows,
                 std::initializer_list<std::string_view> shown,
                 Name name,
                 std::vector<std::string>& lines) {
  for (size_t row = 0; row < rows.size(); ++row) {
    std::string others = Cells(profile).others(row_at(rows, row), shown);
    if (!others.empty()) {
      std::string called = name(row);
      lines.push_back(fmt::format("{}{}{}{}", kind, called.empty() ? "" : " ", called, others));
    }
  }
}

// The functions of stacks that samples and spans refer to. Names that became better during the
// recording leave rows without a reference.
std::vector<bool> used_functions(const Profile& profile) {
  std::vector<bool> stacks(profile.stacks.size());
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    stacks[profile.samples.stack[row].index()] = true;
  }
  for (const Span& span : profile.spans) {
    stacks[span.stack.index()] = true;
    stacks[span.waker_stack.index()] = true;
  }
  std::vector<bool> functions(profile.functions.size());
  for (size_t row = stacks.size(); row-- > 1;) {
    StackId stack = StackId::from_index(row);
    FunctionId function = profile.frames[profile.stacks.frame(stack)].function;
    if (stacks[row]) {
      stacks[profile.stacks.parent(stack).index()] = true;
      if (function.valid()) {
        functions[function.index()] = true;
      }
    }
  }
  return functions;
}

// Frames show the file of their line; that of the function depends on the order of lookups.
void append_functions(const Profile& profile, std::vector<std::string>& lines) {
  Cells cells(profile);
  std::vector<bool> used = used_functions(profile);
  for (size_t row = 0; row < used.size(); ++row) {
    const Function& function = profile.functions[FunctionId::from_index(row)];
    std::string others = cells.others(function, {"name", "module", "file"});
    if (used[row] && !others.empty()) {
      lines.push_back(fmt::format("function {}{}{}{}",
                                  cells.text(function.name),
                                  function.module.valid() ? "@" : "",
                                  function.module.valid() ? cells.text(function.module) : "",
                                  others));
    }
  }
}

void append_origins(const Profile& profile, std::vector<std::string>& lines) {
  auto process = [&](size_t row) {
    return terminal_text(process_name(profile, ProcessId::from_index(row)));
  };
  auto thread = [&](size_t row) {
    return terminal_text(thread_name(profile, ThreadId::from_index(row)));
  };
  auto module = [&](size_t row) {
    return quoted(profile, profile.modules[ModuleId::from_index(row)].path);
  };
  auto no_name = [](size_t) { return std::string(); };
  append_rows(profile, "source", profile.sources, {}, no_name, lines);
  append_rows(profile, "process", profile.processes, {"pid", "name"}, process, lines);
  append_rows(profile, "thread", profile.threads, {"tid", "process", "name"}, thread, lines);
  append_rows(profile, "module", profile.modules, {"path"}, module, lines);
  append_rows(profile, "thread name", profile.thread_names, {}, no_name, lines);
  append_rows(profile, "mapping", profile.mappings, {}, no_name, lines);
  auto loss = [&](size_t row) {
    return quoted(profile, profile.losses[profile.loss_moments[row].loss.index()].reason);
  };
  append_rows(profile, "loss moment", profile.loss_moments, {"loss"}, loss, lines);
}

}  // namespace

std::string dump(const Profile& profile) {
  std::vector<std::string> lines;
  for (const Fact& fact : profile.facts) {
    lines.push_back(
        fmt::format("fact {}: {}", quoted(profile, fact.key), quoted(profile, fact.value)));
  }
  for (const Event& event : profile.events) {
    lines.push_back(fmt::format("event {} in {}{}{}",
                                quoted(profile, event.name),
                                quoted(profile, event.unit),
                                event.scale == 1 ? "" : fmt::format("/{}", event.scale),
                                Cells(profile).others(event, {"name", "unit", "scale"})));
  }
  for (const Loss& loss : profile.losses) {
    lines.push_back(fmt::format("{} {}: {} {} ({})",
                                loss.severity == LossClass::kNotice ? "notice" : "loss",
                                quoted(profile, loss.reason),
                                loss.count,
                                quoted(profile, loss.what),
                                quoted(profile, loss.detail)));
  }
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    lines.push_back(sample_text(profile, profile.samples[row]));
  }
  for (const CodeBlock& block : profile.code_blocks) {
    lines.push_back(fmt::format("code block {}..{} instructions={}{}",
                                frame_text(profile, block.begin),
                                frame_text(profile, block.end),
                                block.instructions,
                                Cells(profile).others(block, {"begin", "end", "instructions"})));
  }
  for (const TotalCorrection& row : profile.total_corrections) {
    lines.push_back(fmt::format("correction of the total of {}: {} {}",
                                Cells(profile).text(row.function),
                                row.weight,
                                quoted(profile, profile.events[row.event].name)));
  }
  append_timeline(profile, lines);
  append_functions(profile, lines);
  append_origins(profile, lines);
  std::ranges::sort(lines);
  std::string text;
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  return text;
}

}  // namespace wick
