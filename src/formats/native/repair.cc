#include "formats/native/repair.h"

#include <algorithm>
#include <optional>

namespace wick::native {
namespace {

// Events beyond this number, which only a made-up file has, share the last one.
constexpr uint32_t kMostLostEvents = 1000;

class Repairer {
 public:
  explicit Repairer(Assembly assembly)
      : assembly_(std::move(assembly)), profile_(assembly_.profile) {}

  Repaired run() {
    build_strings();
    rows(Table::kModules, profile_.modules, [&](size_t) { return lost_module_row(); });
    rows(Table::kFunctions, profile_.functions, [&](size_t) { return lost_function_row(); });
    rows(Table::kFrames, profile_.frames, [&](size_t) { return lost_frame_row(); });
    build_stacks();
    rows(Table::kProcesses, profile_.processes, [&](size_t) { return lost_process_row(); });
    rows(Table::kThreads, profile_.threads, [&](size_t) { return lost_thread_row(); });
    rows(Table::kEvents, profile_.events, [&](size_t row) { return lost_event_row(row); });
    mend_scales();
    samples();
    plain_rows(profile_.spans);
    plain_rows(profile_.marks);
    plain_rows(profile_.counters);
    plain_rows(profile_.losses);
    plain_rows(profile_.facts);
    result_.profile = std::move(profile_);
    return std::move(result_);
  }

 private:
  void build_strings() {
    const StringRows& strings = assembly_.strings;
    const RowSet& placed = assembly_.placed(Table::kStrings);
    bool whole = placed.count() == strings.places.size();
    for (size_t row = 1; row < strings.places.size(); ++row) {
      auto [begin, size] = strings.places[row];
      bool here = whole || placed.contains(row);
      profile_.strings.append(here ? std::string_view(strings.bytes).substr(begin, size)
                                   : kDamagedName);
    }
    assembly_.strings = {};
  }

  // Names the holes of a table and mends the references in its other rows.
  template <typename IdType, typename Row, typename MakeRow>
  void rows(Table table, IdVector<IdType, Row>& rows, MakeRow lost_row) {
    const RowSet& placed = assembly_.placed(table);
    for (size_t row = 0; row < rows.size(); ++row) {
      IdType id = IdType::from_index(row);
      if (placed.contains(row)) {
        visit_columns(rows[id], [&](uint16_t, auto& field) { mend(field); });
      } else {
        rows[id] = lost_row(row);
      }
    }
  }

  template <typename Row>
  void plain_rows(std::vector<Row>& rows) {
    for (Row& row : rows) {
      visit_columns(row, [&](uint16_t, auto& field) { mend(field); });
    }
  }

  void build_stacks() {
    const RowSet& placed = assembly_.placed(Table::kStacks);
    std::vector<StackRow>& stacks = assembly_.stacks;
    size_t size = stacks.size();
    bool whole = placed.count() == size;
    damaged_stacks_.resize(size, false);
    for (size_t row = 1; row < size; ++row) {
      StackRow& stack = stacks[row];
      bool damaged = false;
      if (!whole && !placed.contains(row)) {
        stack = {kEmptyStack, lost_frame()};
        damaged = true;
      } else {
        uint64_t before = result_.references;
        mend_parent(stack.parent, row);
        mend_present(stack.frame, Table::kFrames, [&] { return lost_frame(); });
        damaged = result_.references != before;
      }
      damaged_stacks_[row] = damaged || damaged_stacks_[stack.parent.index()];
      profile_.stacks.append(stack.parent, stack.frame);
    }
    stacks = {};
  }

  void mend_parent(StackId& parent, size_t row) {
    const RowSet& placed = assembly_.placed(Table::kStacks);
    if (parent.index() >= row) {
      parent = kEmptyStack;
      ++result_.references;
    } else if (!placed.contains(parent.value)) {
      parent = StackId::from_index(placed.first_gap());
      ++result_.references;
    }
  }

  void mend_scales() {
    for (size_t row = 0; row < profile_.events.size(); ++row) {
      Event& event = profile_.events[EventId::from_index(row)];
      if (event.scale == 0) {
        event.scale = 1;
        ++result_.unknown_values;
      }
    }
  }

  void samples() {
    SampleColumns& columns = profile_.samples;
    if (columns.size() == 0) {
      return;
    }
    columns.stack.transform([&](StackId stack) {
      mend_present(stack, Table::kStacks, [&] { return lost_stack(); });
      return stack;
    });
    columns.thread.transform([&](ThreadId thread) {
      mend(thread);
      return thread;
    });
    columns.event.transform([&](EventId event) { return mended_event(event); });
    columns.ending.transform([&](Ending ending) {
      mend(ending);
      return ending;
    });
    if (!has_damaged_stacks()) {
      return;
    }
    for (size_t row = 0; row < columns.size(); ++row) {
      if (damaged_stacks_[columns.stack[row].index()]) {
        result_.damaged_samples += columns.count[row];
      }
    }
  }
  bool has_damaged_stacks() const {
    return std::ranges::find(damaged_stacks_, true) != damaged_stacks_.end();
  }

  // Lost events stay apart, each in its own row, or weights of different units would be added up.
  EventId mended_event(EventId event) {
    if (assembly_.placed(Table::kEvents).contains(event.value)) {
      return event;
    }
    ++result_.references;
    EventId kept = EventId(std::min(event.value, kMostLostEvents));
    while (!profile_.events.contains(kept)) {
      profile_.events.push_back(lost_event_row(profile_.events.size()));
    }
    return kept;
  }

  // A reference that must name a row.
  template <typename IdType, typename MakeLost>
  void mend_present(IdType& id, Table table, MakeLost lost) {
    if (!assembly_.placed(table).contains(id.value)) {
      id = lost();
      ++result_.references;
    }
  }
  // A reference that may also be none.
  template <typename IdType, typename MakeLost>
  void mend_optional(IdType& id, Table table, MakeLost lost) {
    if (id.valid()) {
      mend_present(id, table, lost);
    }
  }

  void mend(StringId& id) {
    mend_present(id, Table::kStrings, [&] { return lost_string(); });
  }
  void mend(ModuleId& id) {
    mend_optional(id, Table::kModules, [&] { return lost_module(); });
  }
  void mend(FunctionId& id) {
    mend_optional(id, Table::kFunctions, [&] { return lost_function(); });
  }
  void mend(ProcessId& id) {
    mend_optional(id, Table::kProcesses, [&] { return lost_process(); });
  }
  void mend(ThreadId& id) {
    mend_optional(id, Table::kThreads, [&] { return lost_thread(); });
  }
  template <typename Enum>
  void mend_enum(Enum& value, Enum last) {
    if (value > last) {
      value = Enum{};
      ++result_.unknown_values;
    }
  }
  void mend(Mode& mode) { mend_enum(mode, kLastMode); }
  void mend(Found& found) { mend_enum(found, kLastFound); }
  void mend(Ending& ending) { mend_enum(ending, kLastEnding); }
  void mend(LossClass& severity) {
    if (severity > kLastLossClass) {
      severity = LossClass::kDataLoss;
      ++result_.unknown_values;
    }
  }
  void mend(uint8_t& frame_flags) {
    if ((frame_flags & ~kAllFrameFlags) != 0) {
      frame_flags &= kAllFrameFlags;
      ++result_.unknown_values;
    }
  }
  template <typename Number>
  void mend(Number&) {}

  // The shared rows that stand for what is lost, made when they are first needed.
  StringId lost_string() {
    if (!lost_string_) {
      lost_string_ = profile_.strings.append(kDamagedName);
    }
    return *lost_string_;
  }
  template <typename IdType, typename Row>
  IdType shared_row(std::optional<IdType>& id, IdVector<IdType, Row>& rows, const Row& row) {
    if (!id) {
      id = rows.push_back(row);
    }
    return *id;
  }
  ModuleId lost_module() { return shared_row(module_, profile_.modules, lost_module_row()); }
  FunctionId lost_function() {
    return shared_row(function_, profile_.functions, lost_function_row());
  }
  FrameId lost_frame() { return shared_row(frame_, profile_.frames, lost_frame_row()); }
  ProcessId lost_process() { return shared_row(process_, profile_.processes, lost_process_row()); }
  ThreadId lost_thread() { return shared_row(thread_, profile_.threads, lost_thread_row()); }
  StackId lost_stack() {
    if (!stack_) {
      size_t gap = assembly_.placed(Table::kStacks).first_gap();
      bool hole = gap < profile_.stacks.size();
      stack_ = hole ? StackId::from_index(gap) : profile_.stacks.append(kEmptyStack, lost_frame());
      damaged_stacks_.resize(profile_.stacks.size());
      damaged_stacks_[stack_->index()] = true;
    }
    return *stack_;
  }

  Module lost_module_row() { return {.path = lost_string()}; }
  Function lost_function_row() { return {.name = lost_string()}; }
  Frame lost_frame_row() { return {.function = lost_function()}; }
  Process lost_process_row() { return {.name = lost_string()}; }
  Thread lost_thread_row() { return {.name = lost_string()}; }
  Event lost_event_row(size_t row) {
    StringId name = profile_.strings.append(fmt::format("[damaged event {}]", row));
    return {.name = name, .unit = lost_string()};
  }

  Assembly assembly_;
  Profile& profile_;
  Repaired result_;
  std::vector<bool> damaged_stacks_;  // by stack: it or one below it has lost frames
  std::optional<StringId> lost_string_;
  std::optional<ModuleId> module_;
  std::optional<FunctionId> function_;
  std::optional<FrameId> frame_;
  std::optional<StackId> stack_;
  std::optional<ProcessId> process_;
  std::optional<ThreadId> thread_;
};

}  // namespace

Repaired repair(Assembly assembly) {
  return Repairer(std::move(assembly)).run();
}

}  // namespace wick::native
