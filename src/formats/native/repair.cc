// SPDX-License-Identifier: Apache-2.0
// Two kinds of damage remain after assembly: gaps (rows that never arrived) and references to rows
// that do not exist. visit_tables() goes through the tables in file order, so a table is repaired
// after those that its ids refer to:
//
//   build_strings   first: all other tables need the name "[damaged]"
//   repair_table    fills gaps with lost_row(), checks every cell of the other rows
//   lost            the replacement for a missing row: one row per table, appended when first
//                   needed
//   build_tree      stacks and label sets: a missing parent becomes a damaged node or the root
//
// Row numbers must not change, because later tables refer to them. Only spans are renumbered: no
// other table refers to spans, and their parents are corrected at the same time. A reference to the
// same table must point to an earlier row, so it becomes none instead of an appended row. result_
// counts the changes; a file without damage gives none.
#include "formats/native/repair.h"

#include <algorithm>
#include <array>
#include <optional>

namespace wick::native {
namespace {

// Events above this number share the last one. Only a made-up file has them.
constexpr uint32_t kMaxLostEvents = 1000;

class Repairer {
 public:
  explicit Repairer(Assembly assembly)
      : assembly_(std::move(assembly)), profile_(assembly_.profile) {}

  Repaired run() {
    build_strings();
    visit_tables([&](ProfileTable table, auto& rows) { repair_table(table, rows); }, profile_);
    count_damaged_samples();
    result_.profile = std::move(profile_);
    return std::move(result_);
  }

 private:
  void build_strings() {
    const StringRows& strings = assembly_.strings;
    const RowSet& stored = assembly_.stored(ProfileTable::kStrings);
    bool whole = stored.count() == strings.ranges.size();
    for (size_t row = 1; row < strings.ranges.size(); ++row) {
      auto [begin, size] = strings.ranges[row];
      bool here = whole || stored.contains(row);
      profile_.strings.append(here ? std::string_view(strings.bytes).substr(begin, size)
                                   : kDamagedName);
    }
    assembly_.strings = {};
  }

  // Tables without ids have no gaps.
  template <typename Row>
  void repair_table(ProfileTable table, std::vector<Row>& rows) {
    for (size_t row = 0; row < rows.size(); ++row) {
      repair_row(table, row, rows[row]);
    }
  }
  // Fills the gaps of a table and repairs the references in its other rows.
  template <typename IdType, typename Row>
  void repair_table(ProfileTable table, IdVector<IdType, Row>& rows) {
    const RowSet& stored = assembly_.stored(table);
    for (size_t row = 0; row < rows.size(); ++row) {
      IdType id = IdType::from_index(row);
      if (stored.contains(row)) {
        repair_row(table, row, rows[id]);
      } else {
        rows[id] = lost_row<Row>(row);
      }
    }
  }
  void repair_table(ProfileTable table, PodVector<Branch>& rows) {
    const RowSet& stored = assembly_.stored(table);
    for (size_t row = 0; row < rows.size(); ++row) {
      if (stored.contains(row)) {
        repair_row(table, row, rows[row]);
      } else {
        rows[row] = {.edge = lost(EdgeId())};
      }
    }
  }
  void repair_table(ProfileTable table, std::vector<Span>& spans) {
    std::vector<Span> kept;
    std::vector<SpanId> moved(spans.size());
    const RowSet& stored = assembly_.stored(table);
    for (size_t row = 0; row < spans.size(); ++row) {
      Span& span = spans[row];
      if (!stored.contains(row)) {
        continue;
      }
      repair_row(table, row, span);
      if (span.end_ns < span.begin_ns) {
        span.end_ns = span.begin_ns;
        ++result_.backward_spans;
      }
      span.parent = span.parent.valid() ? moved[span.parent.index()] : SpanId();
      moved[row] = SpanId::from_index(kept.size());
      kept.push_back(span);
    }
    spans = std::move(kept);
  }
  template <template <template <typename> typename> typename Fields>
  void repair_table(ProfileTable table, ColumnTable<Fields>& rows) {
    if (rows.empty()) {
      return;
    }
    using Row = Fields<Plain>;
    for_each_column<Row>([&](const auto& column) {
      column.of(rows).transform([&](auto value) {
        repair_cell<Row>(table, rows.size(), column, value);
        return value;
      });
    });
  }
  void repair_table(ProfileTable, LabelSetTree& tree) {
    build_tree(ProfileTable::kLabelSets, assembly_.label_sets, tree, [](size_t, bool) {});
  }
  void repair_table(ProfileTable, StackTree& tree) {
    damaged_stacks_.resize(assembly_.stacks.size(), false);
    build_tree(ProfileTable::kStacks, assembly_.stacks, tree, [&](size_t row, bool damaged) {
      size_t parent = assembly_.stacks[row].parent.index();
      damaged_stacks_[row] = damaged || damaged_stacks_[parent];
    });
  }

  // Calls `built(row, damaged)` for each row; `damaged` says whether a part of it is lost.
  template <typename Row, typename Tree, typename Built>
  void build_tree(ProfileTable table, std::vector<Row>& rows, Tree& tree, Built built) {
    const RowSet& stored = assembly_.stored(table);
    bool whole = stored.count() == rows.size();
    for (size_t row = 1; row < rows.size(); ++row) {
      uint64_t before = result_.references;
      bool lost = !whole && !stored.contains(row);
      auto& [parent, label] = rows[row];
      if (lost) {
        parent = Tree::kRoot;
        label = this->lost(label);
      } else {
        repair_parent(parent, row, stored);
        repair_reference(label, /*may_be_none=*/false);
      }
      built(row, lost || result_.references != before);
      tree.append(parent, label);
    }
    rows = {};
  }
  template <typename Node>
  void repair_parent(Node& parent, size_t row, const RowSet& stored) {
    if (parent.index() >= row) {
      parent = Node(0);
      ++result_.references;
    } else if (!stored.contains(parent.value)) {
      parent = Node::from_index(stored.first_gap());
      ++result_.references;
    }
  }

  template <typename Row>
  void repair_row(ProfileTable table, size_t row, Row& fields) {
    for_each_column<Row>(
        [&](const auto& column) { repair_cell<Row>(table, row, column, column.of(fields)); });
    repair_range(fields);
  }
  template <typename Row>
  void repair_range(Row&) {}
  void repair_range(Event& event) {
    if (event.scale == 0) {
      event.scale = 1;
      ++result_.unknown_values;
    }
  }
  void repair_range(BranchSet& set) {
    uint64_t end = uint64_t{set.first} + set.count;
    if (set.count > 0 && (set.first < branches_end_ || end > profile_.branches.size())) {
      set = {};
      ++result_.references;
    } else {
      branches_end_ = std::max(branches_end_, end);
    }
  }

  template <typename Row, typename Column, typename Value>
  void repair_cell(ProfileTable table, size_t row, const Column& column, Value& value) {
    if constexpr (RowReference<Value>) {
      bool optional = may_be_none<Row>(column);
      bool is_none = value.value == Id<void>::kNone;
      // A replacement row would come later in the same table, and a row may only refer to earlier
      // rows.
      bool is_own = table_of(value) == table && !is_none;
      if (is_own && (value.value >= row || !assembly_.stored(table).contains(value.value))) {
        value.value = Id<void>::kNone;
        ++result_.references;
      } else {
        repair_reference(value, optional);
      }
    } else if constexpr (std::is_enum_v<Value>) {
      if (value > last_of(value)) {
        Row initial;
        value = column.of(initial);
        ++result_.unknown_values;
      }
    } else if (column.meaning == ColumnMeaning::kBits && (to_word(value) & ~column.allowed) != 0) {
      value = static_cast<Value>(to_word(value) & column.allowed);
      ++result_.unknown_values;
    }
  }
  template <typename IdType>
  void repair_reference(IdType& id, bool may_be_none) {
    bool is_none = id.value == Id<void>::kNone;
    if (!(is_none && may_be_none) && !assembly_.stored(table_of(id)).contains(id.value)) {
      id = lost(id);
      ++result_.references;
    }
  }

  void count_damaged_samples() {
    if (std::ranges::find(damaged_stacks_, true) == damaged_stacks_.end()) {
      return;
    }
    const SampleColumns& samples = profile_.samples;
    for (size_t row = 0; row < samples.size(); ++row) {
      if (damaged_stacks_[samples.stack[row].index()]) {
        result_.damaged_samples += samples.count[row];
      }
    }
  }

  // The replacement for a reference to the lost row `id`: a row of that table named as damaged,
  // made when it is first needed.
  StringId lost(StringId) {
    if (!lost_string_) {
      lost_string_ = profile_.strings.append(kDamagedName);
    }
    return *lost_string_;
  }
  StackId lost(StackId) {
    if (!stack_) {
      size_t gap = assembly_.stored(ProfileTable::kStacks).first_gap();
      bool has_gap = gap < profile_.stacks.size();
      stack_ =
          has_gap ? StackId::from_index(gap) : profile_.stacks.append(kEmptyStack, lost(FrameId()));
      damaged_stacks_.resize(profile_.stacks.size());
      damaged_stacks_[stack_->index()] = true;
    }
    return *stack_;
  }
  // Each lost event has its own row. Otherwise weights of different units would be added up.
  EventId lost(EventId event) {
    EventId own = EventId(std::min(event.value, kMaxLostEvents));
    while (!profile_.events.contains(own)) {
      profile_.events.push_back(lost_row<Event>(profile_.events.size()));
    }
    return own;
  }
  LossId lost(LossId) {
    if (!loss_) {
      loss_ = LossId::from_index(profile_.losses.size());
      profile_.losses.push_back({.reason = lost(StringId())});
    }
    return *loss_;
  }
  LabelSetId lost(LabelSetId) { return kNoLabels; }
  BranchSetId lost(BranchSetId) { return {}; }
  SpanId lost(SpanId) { return {}; }
  template <typename Tag>
  Id<Tag> lost(Id<Tag> id) {
    std::optional<uint32_t>& row = lost_rows_[static_cast<size_t>(table_of(id))];
    if (!row) {
      visit_tables(
          [&](ProfileTable, auto& rows) {
            if constexpr (requires { rows[id] = lost_row<RowOf<decltype(rows)>>(0); }) {
              row = rows.push_back(lost_row<RowOf<decltype(rows)>>(0)).value;
            }
          },
          profile_);
    }
    return Id<Tag>(*row);
  }

  // The row that fills a gap.
  template <typename Row>
  Row lost_row(size_t row) {
    if constexpr (std::is_same_v<Row, Frame>) {
      return {.function = lost(FunctionId())};
    } else if constexpr (std::is_same_v<Row, BranchEdge>) {
      return {.from = lost(FrameId()), .to = lost(FrameId())};
    } else if constexpr (std::is_same_v<Row, CodeBlock>) {
      return {.begin = lost(FrameId()), .end = lost(FrameId())};
    } else if constexpr (std::is_same_v<Row, Event>) {
      StringId name = profile_.strings.append(fmt::format("[damaged event {}]", row));
      return {.name = name, .unit = lost(StringId())};
    } else if constexpr (requires(Row fields) { fields.name; }) {
      return {.name = lost(StringId())};
    } else if constexpr (std::is_same_v<Row, Module>) {
      return {.path = lost(StringId())};
    } else if constexpr (std::is_same_v<Row, Source>) {
      return {.host = lost(StringId())};
    } else if constexpr (std::is_same_v<Row, Label>) {
      return {.key = lost(StringId())};
    } else {
      return {};
    }
  }

  Assembly assembly_;
  Profile& profile_;
  Repaired result_;
  std::vector<bool> damaged_stacks_;  // by stack: whether it or one of its callers has lost frames
  uint64_t branches_end_ = 0;         // end of the sets so far; sets do not overlap
  std::optional<StringId> lost_string_;
  std::optional<StackId> stack_;
  std::optional<LossId> loss_;
  std::array<std::optional<uint32_t>, kTableCount> lost_rows_;  // by table
};

}  // namespace

Repaired repair(Assembly assembly) {
  return Repairer(std::move(assembly)).run();
}

}  // namespace wick::native
