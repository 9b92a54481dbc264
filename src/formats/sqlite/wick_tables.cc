// SPDX-License-Identifier: Apache-2.0
// Reads wick's own tables (sqlite.h): the profile as it was, except for what the tables do not have
// (linkage names, mappings, machines, builds of functions).
#include <algorithm>
#include <utility>

#include "formats/sqlite/loaded_parts.h"
#include "profile/names.h"

namespace wick::sqlite {
namespace {

// The value with this name; the first one if there is none.
template <typename Enum>
Enum named(std::string_view name) {
  for (int value = 0; value <= static_cast<int>(last_of(Enum())); ++value) {
    if (name_of(static_cast<Enum>(value)) == name) {
      return static_cast<Enum>(value);
    }
  }
  return Enum();
}

struct StoredFunction {
  StringId file;
  uint32_t line = 0;
};

class WickTables {
 public:
  WickTables(StoredTables& tables, ProfileBuilder& builder) : tables_(tables), builder_(builder) {}

  void read() {
    read_events();
    read_tasks();
    read_code();
    read_stacks();
    read_labels();
    read_branches();
    read_costs();
    read_spans();
    read_marks_and_counters();
    read_losses_and_facts();
    if (without_event_ > 0) {
      builder_.add_loss({.reason = "their event is not in the database", .count = without_event_});
    }
    if (too_heavy_ > 0) {
      builder_.add_loss(
          {.reason = "the weights are too large to be added up", .count = too_heavy_});
    }
  }

 private:
  StringId text(const StoredRow& row, size_t column) { return builder_.string(row.text(column)); }

  void read_events() {
    tables_.each("events",
                 {"name", "unit", "kind", "period", "frequency", "scale"},
                 [&](const StoredRow& row) {
                   auto scale = line_number(row.integer(5));
                   scales_.add(row.id(), scale == 0 ? 1 : scale);
                   events_.add(
                       row.id(),
                       builder_.event({.name = text(row, 0),
                                       .unit = text(row, 1),
                                       .scale = scale == 0 ? 1 : scale,
                                       .kind = named<Quantity>(row.text(2)),
                                       .period = static_cast<uint64_t>(row.integer(3)),
                                       .frequency = static_cast<uint64_t>(row.integer(4))}));
                 });
  }

  void read_tasks() {
    tables_.each("processes",
                 {"pid", "name", "command", "parent_id", "begin_time", "end_time"},
                 [&](const StoredRow& row) {
                   processes_.add(row.id(),
                                  builder_.add_process({.pid = row.integer(0),
                                                        .name = text(row, 1),
                                                        .parent = processes_.of(row.integer(3)),
                                                        .begin_ns = time_or_none(row, 4),
                                                        .end_ns = time_or_none(row, 5),
                                                        .command = text(row, 2)}));
                 });
    tables_.each("tasks",
                 {"process_id", "tid", "name", "begin_time", "end_time"},
                 [&](const StoredRow& row) {
                   threads_.add(row.id(),
                                builder_.add_thread({.tid = row.integer(1),
                                                     .process = processes_.of(row.integer(0)),
                                                     .name = text(row, 2),
                                                     .begin_ns = time_or_none(row, 3),
                                                     .end_ns = time_or_none(row, 4)}));
                 });
  }

  void read_code() {
    tables_.each("modules", {"path", "build_id", "addresses"}, [&](const StoredRow& row) {
      modules_.add(row.id(),
                   builder_.module({.path = text(row, 0),
                                    .build_id = text(row, 1),
                                    .address_kind = named<AddressKind>(row.text(2))}));
    });
    tables_.each("functions", {"file", "line"}, [&](const StoredRow& row) {
      functions_.add(row.id(), {text(row, 0), line_number(row.integer(1))});
    });
    tables_.each("symbols", {"name", "dso_id", "sym_start"}, [&](const StoredRow& row) {
      symbols_.add(row.id(),
                   {.name = text(row, 0),
                    .module = modules_.of(row.integer(1)),
                    .address = static_cast<uint64_t>(row.integer(2))});
    });
    tables_.each("lines",
                 {"function_id",
                  "symbol_id",
                  "module_id",
                  "address",
                  "file",
                  "line",
                  "column",
                  "mode",
                  "origin",
                  "language",
                  "flags"},
                 [&](const StoredRow& row) { frames_.add(row.id(), read_frame(row)); });
  }

  FrameId read_frame(const StoredRow& row) {
    Frame frame{.module = modules_.of(row.integer(2)),
                .address = static_cast<uint64_t>(row.integer(3)),
                .line = line_number(row.integer(5)),
                .mode = named<Mode>(row.text(7)),
                .origin = named<FrameOrigin>(row.text(8)),
                .flags = static_cast<uint8_t>(row.integer(10) & kAllFrameFlags),
                .language = named<Language>(row.text(9)),
                .column = line_number(row.integer(6))};
    StringId file = text(row, 4);
    if (!row.is_null(1)) {
      Function function = symbols_.of(row.integer(1));
      StoredFunction stored = functions_.of(row.integer(0));
      function.file = stored.file;
      function.line = stored.line;
      frame.function = builder_.function(function);
      frame.file = file == stored.file ? StringId() : file;
    } else {
      frame.file = file;
    }
    return builder_.frame(frame);
  }

  void read_stacks() {
    tables_.each("stacks", {"parent_id", "line_id"}, [&](const StoredRow& row) {
      FrameId frame = frames_.of(row.integer(1));
      StackId parent = stacks_.of(row.integer(0), kEmptyStack);
      stacks_.add(row.id(), frame.valid() ? builder_.stack(parent, frame) : kEmptyStack);
    });
  }

  void read_labels() {
    std::vector<LabelId> labels;
    int64_t set = 0;
    auto finish_set = [&] {
      if (!labels.empty()) {
        label_sets_.add(set, builder_.label_set(labels));
      }
      labels.clear();
    };
    tables_.each(
        "labels", {"label_set", "key", "value", "number", "unit"}, [&](const StoredRow& row) {
          if (row.integer(0) != set) {
            finish_set();
          }
          set = row.integer(0);
          Label label{.key = text(row, 1), .is_number = !row.is_null(3)};
          if (label.is_number) {
            label.number = row.integer(3);
            label.unit = text(row, 4);
          } else {
            label.text = text(row, 2);
          }
          labels.push_back(builder_.label(label));
        });
    finish_set();
  }

  void read_branches() {
    std::vector<Branch> branches;
    int64_t sample = 0;
    auto finish_sample = [&] {
      if (!branches.empty()) {
        branch_sets_.add(sample, builder_.branch_set(branches));
      }
      branches.clear();
    };
    tables_.each("branches",
                 {"sample_id", "from_line_id", "to_line_id", "cycles", "flags"},
                 [&](const StoredRow& row) {
                   if (row.integer(0) != sample) {
                     finish_sample();
                   }
                   sample = row.integer(0);
                   FrameId from = frames_.of(row.integer(1));
                   FrameId to = frames_.of(row.integer(2));
                   if (from.valid() && to.valid()) {
                     branches.push_back({.edge = builder_.edge({from, to}),
                                         .cycles = static_cast<uint16_t>(row.integer(3)),
                                         .flags = static_cast<uint16_t>(row.integer(4))});
                   }
                 });
    finish_sample();
  }

  void read_costs() {
    tables_.each("costs",
                 {"event_id",
                  "weight",
                  "count",
                  "time",
                  "cpu",
                  "thread_id",
                  "stack_id",
                  "stack_end",
                  "label_set"},
                 [&](const StoredRow& row) {
                   EventId event = events_.of(row.integer(0));
                   int64_t weight = weight_of(row);
                   auto count = static_cast<uint64_t>(row.integer(2));
                   if (!event.valid()) {
                     ++without_event_;
                     return;
                   }
                   if (!limit_.allows(weight, count)) {
                     ++too_heavy_;
                     return;
                   }
                   builder_.add_sample({.time_ns = time_or_none(row, 3),
                                        .weight = weight,
                                        .count = count,
                                        .stack = stacks_.of(row.integer(6), kEmptyStack),
                                        .thread = threads_.of(row.integer(5)),
                                        .event = event,
                                        .cpu = cpu_or_none(row, 4),
                                        .ending = named_end(row.text(7)),
                                        .labels = label_sets_.of(row.integer(8), kNoLabels),
                                        .branches = branch_sets_.of(row.id())});
                 });
  }

  int64_t weight_of(const StoredRow& row) const {
    constexpr double kMost = 4e18;
    uint32_t scale = scales_.of(row.integer(0), 1);
    if (scale == 1 && !row.is_fraction(1)) {
      return row.integer(1);
    }
    double weight = row.number(1) * scale;
    return std::abs(weight) < kMost ? std::llround(weight) : INT64_MAX;
  }

  static StackEnd named_end(std::string_view name) {
    for (int value = 0; value <= static_cast<int>(last_of(StackEnd())); ++value) {
      if (stack_end_name(static_cast<StackEnd>(value)) == name) {
        return static_cast<StackEnd>(value);
      }
    }
    return StackEnd::kUnknown;
  }

  void read_spans() {
    tables_.each("spans",
                 {"name",
                  "kind",
                  "thread_id",
                  "cpu",
                  "parent_id",
                  "begin_time",
                  "end_time",
                  "stack_id",
                  "waker_thread_id",
                  "waker_stack_id",
                  "label_set"},
                 [&](const StoredRow& row) {
                   int64_t begin = row.integer(5);
                   spans_.add(
                       row.id(),
                       builder_.add_span({.begin_ns = begin,
                                          .end_ns = std::max(begin, row.integer(6)),
                                          .thread = threads_.of(row.integer(2)),
                                          .name = text(row, 0),
                                          .kind = named<SpanKind>(row.text(1)),
                                          .cpu = cpu_or_none(row, 3),
                                          .parent = spans_.of(row.integer(4)),
                                          .stack = stacks_.of(row.integer(7), kEmptyStack),
                                          .waker = threads_.of(row.integer(8)),
                                          .waker_stack = stacks_.of(row.integer(9), kEmptyStack),
                                          .labels = label_sets_.of(row.integer(10), kNoLabels)}));
                 });
  }

  void read_marks_and_counters() {
    tables_.each(
        "marks", {"time", "name", "kind", "value", "thread_id", "cpu"}, [&](const StoredRow& row) {
          builder_.add_mark({.time_ns = time_or_none(row, 0),
                             .name = text(row, 1),
                             .value = row.number(3),
                             .has_value = !row.is_null(3),
                             .thread = threads_.of(row.integer(4)),
                             .cpu = cpu_or_none(row, 5),
                             .kind = text(row, 2)});
        });
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    auto value = [](const StoredRow& row, size_t column) {
      return row.is_null(column) ? kUnknown : row.number(column);
    };
    tables_.each(
        "counters",
        {"time", "name", "unit", "kind", "thread_id", "process_id", "cpu", "value", "low", "high"},
        [&](const StoredRow& row) {
          SeriesId series = builder_.series({.name = text(row, 1),
                                             .unit = text(row, 2),
                                             .kind = named<SeriesKind>(row.text(3)),
                                             .thread = threads_.of(row.integer(4)),
                                             .process = processes_.of(row.integer(5)),
                                             .cpu = cpu_or_none(row, 6)});
          builder_.add_counter({.time_ns = time_or_none(row, 0),
                                .series = series,
                                .value = value(row, 7),
                                .low = value(row, 8),
                                .high = value(row, 9)});
        });
  }

  void read_losses_and_facts() {
    tables_.each(
        "losses", {"reason", "what", "detail", "count", "severity"}, [&](const StoredRow& row) {
          // add_loss() borrows them, and the next column may replace a text.
          std::string reason(row.text(0));
          std::string what(row.text(1));
          std::string detail(row.text(2));
          losses_.add(row.id(),
                      builder_.add_loss({.reason = reason,
                                         .what = what,
                                         .detail = detail,
                                         .count = static_cast<uint64_t>(row.integer(3)),
                                         .severity = named<LossClass>(row.text(4))}));
        });
    tables_.each("loss_moments",
                 {"loss_id", "begin_time", "end_time", "cpu", "thread_id", "count"},
                 [&](const StoredRow& row) {
                   LossId loss = losses_.of(row.integer(0));
                   if (loss.valid()) {
                     builder_.add_loss_moment({.loss = loss,
                                               .begin_ns = time_or_none(row, 1),
                                               .end_ns = time_or_none(row, 2),
                                               .cpu = cpu_or_none(row, 3),
                                               .thread = threads_.of(row.integer(4)),
                                               .count = static_cast<uint64_t>(row.integer(5))});
                   }
                 });
    tables_.each("facts", {"key", "value"}, [&](const StoredRow& row) {
      std::string key(row.text(0));
      builder_.add_fact(key, row.text(1));
    });
  }

  StoredTables& tables_;
  ProfileBuilder& builder_;
  RowsById<EventId> events_;
  RowsById<uint32_t> scales_;
  RowsById<ProcessId> processes_;
  RowsById<ThreadId> threads_;
  RowsById<ModuleId> modules_;
  RowsById<StoredFunction> functions_;
  RowsById<Function> symbols_;
  RowsById<FrameId> frames_;
  RowsById<StackId> stacks_;
  RowsById<LabelSetId> label_sets_;
  RowsById<BranchSetId> branch_sets_;
  RowsById<SpanId> spans_;
  RowsById<LossId> losses_;
  WeightLimit limit_;
  uint64_t too_heavy_ = 0;
  uint64_t without_event_ = 0;
};

}  // namespace

void read_wick_tables(StoredTables& tables, ProfileBuilder& builder) {
  WickTables(tables, builder).read();
}

}  // namespace wick::sqlite
