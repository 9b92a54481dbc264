// SPDX-License-Identifier: Apache-2.0
// The schema: every table and every column of the profile, listed once.
//
// merge, validate, the canonical dump, the .wick file, its repair and the page's data all iterate
// over this list instead of naming the columns. To add a column: add a field and its line in one of
// the *_tables.h, the code that fills it and the code that uses it.
//
//     for_each_column<Frame>([&](auto column) { use(column.name, column.of(frame)); });
//     visit_tables([&](ProfileTable table, auto& rows) { ... }, profile);
//
// A column's number is part of the .wick format (docs/format.md): once assigned, it never changes
// its meaning. A column's name is the name of its field; the page and queries find columns by name.
// If a file does not have a column, every row has the field's initial value. If every row has that
// value, wick does not write the column. So a new column never makes a file unreadable, and costs
// nothing if it is unused.
//
// A reference whose initial value is a row must always refer to a row. Other references may be
// none.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "profile/tables.h"

namespace wick {

template <typename Row, typename Visit>
constexpr void for_each_column(Visit&& visit) {
  RowSchema<Row>::with_columns([&](const auto&... column) { (visit(column), ...); });
}

template <typename Row>
inline constexpr size_t kColumnCount =
    RowSchema<Row>::with_columns([](const auto&... column) { return sizeof...(column); });

// ---- Tables ----

// In the order in which wick writes them: a table comes after the tables that it refers to.
enum class ProfileTable : uint8_t {
  kStrings,
  kSources,
  kModules,
  kFunctions,
  kFrames,
  kStacks,
  kProcesses,
  kThreads,
  kThreadNames,
  kMappings,
  kEvents,
  kLabels,
  kLabelSets,
  kEdges,
  kBranches,
  kBranchSets,
  kSamples,
  kTotalCorrections,
  kSpans,
  kMarks,
  kSeries,
  kCounters,
  kLosses,
  kLossMoments,
  kFacts,
  kCodeBlocks,
};
inline constexpr size_t kTableCount = 26;

// How rows change during a recording. This decides how a file is written and read.
enum class Growth : uint8_t {
  kNamed,     // rows have ids; new rows are added, and a row may be written again
  kAppended,  // rows are only added
  kReplaced,  // the table is small; wick writes it again completely
};

struct TableInfo {
  std::string_view type;  // the chunk type in a .wick file, four letters
  std::string_view name;
  std::string_view row_name;  // prefix of its column names: "frame.line"
  Growth growth = Growth::kNamed;
  size_t implied_rows = 0;  // row 0 of strings and trees is always empty and is not stored
};

inline constexpr std::array<TableInfo, kTableCount> kTables = {{
    {"strg", "strings", "string", Growth::kNamed, 1},
    {"srce", "sources", "source"},
    {"modu", "modules", "module"},
    {"func", "functions", "function"},
    {"fram", "frames", "frame"},
    {"stak", "stacks", "stack", Growth::kNamed, 1},
    {"proc", "processes", "process"},
    {"thrd", "threads", "thread"},
    {"tnam", "thread_names", "thread_name", Growth::kAppended},
    {"maps", "mappings", "mapping", Growth::kAppended},
    {"evnt", "events", "event"},
    {"labl", "labels", "label"},
    {"lset", "label_sets", "label_set", Growth::kNamed, 1},
    {"edge", "edges", "edge"},
    {"brch", "branches", "branch"},
    {"bset", "branch_sets", "branch_set"},
    {"samp", "samples", "sample", Growth::kAppended},
    {"tcor", "total_corrections", "total_correction", Growth::kAppended},
    {"span", "spans", "span"},
    {"mark", "marks", "mark", Growth::kAppended},
    {"seri", "series", "series"},
    {"cntr", "counters", "counter", Growth::kAppended},
    {"loss", "losses", "loss", Growth::kReplaced},
    {"lost", "loss_moments", "loss_moment", Growth::kAppended},
    {"fact", "facts", "fact", Growth::kReplaced},
    {"blck", "code_blocks", "code_block"},
}};

constexpr const TableInfo& info_of(ProfileTable table) {
  return kTables[static_cast<size_t>(table)];
}

// Calls visit(table, rows, rows of the next profile...) for each table of one or several profiles,
// but not for strings: they are a StringTable without a row type.
template <typename Visit, typename... Profiles>
void visit_tables(Visit&& visit, Profiles&... profile) {
  visit(ProfileTable::kSources, profile.sources...);
  visit(ProfileTable::kModules, profile.modules...);
  visit(ProfileTable::kFunctions, profile.functions...);
  visit(ProfileTable::kFrames, profile.frames...);
  visit(ProfileTable::kStacks, profile.stacks...);
  visit(ProfileTable::kProcesses, profile.processes...);
  visit(ProfileTable::kThreads, profile.threads...);
  visit(ProfileTable::kThreadNames, profile.thread_names...);
  visit(ProfileTable::kMappings, profile.mappings...);
  visit(ProfileTable::kEvents, profile.events...);
  visit(ProfileTable::kLabels, profile.labels...);
  visit(ProfileTable::kLabelSets, profile.label_sets...);
  visit(ProfileTable::kEdges, profile.edges...);
  visit(ProfileTable::kBranches, profile.branches...);
  visit(ProfileTable::kBranchSets, profile.branch_sets...);
  visit(ProfileTable::kSamples, profile.samples...);
  visit(ProfileTable::kTotalCorrections, profile.total_corrections...);
  visit(ProfileTable::kSpans, profile.spans...);
  visit(ProfileTable::kMarks, profile.marks...);
  visit(ProfileTable::kSeries, profile.series...);
  visit(ProfileTable::kCounters, profile.counters...);
  visit(ProfileTable::kLosses, profile.losses...);
  visit(ProfileTable::kLossMoments, profile.loss_moments...);
  visit(ProfileTable::kFacts, profile.facts...);
  visit(ProfileTable::kCodeBlocks, profile.code_blocks...);
}

// ---- References ----

template <typename T>
concept RowReference = requires(T id) {
  { id.value } -> std::same_as<uint32_t&>;
};

// The table that an id refers to.
constexpr ProfileTable table_of(StringId) {
  return ProfileTable::kStrings;
}
constexpr ProfileTable table_of(SourceId) {
  return ProfileTable::kSources;
}
constexpr ProfileTable table_of(ModuleId) {
  return ProfileTable::kModules;
}
constexpr ProfileTable table_of(FunctionId) {
  return ProfileTable::kFunctions;
}
constexpr ProfileTable table_of(FrameId) {
  return ProfileTable::kFrames;
}
constexpr ProfileTable table_of(StackId) {
  return ProfileTable::kStacks;
}
constexpr ProfileTable table_of(ProcessId) {
  return ProfileTable::kProcesses;
}
constexpr ProfileTable table_of(ThreadId) {
  return ProfileTable::kThreads;
}
constexpr ProfileTable table_of(EventId) {
  return ProfileTable::kEvents;
}
constexpr ProfileTable table_of(LabelId) {
  return ProfileTable::kLabels;
}
constexpr ProfileTable table_of(LabelSetId) {
  return ProfileTable::kLabelSets;
}
constexpr ProfileTable table_of(EdgeId) {
  return ProfileTable::kEdges;
}
constexpr ProfileTable table_of(BranchSetId) {
  return ProfileTable::kBranchSets;
}
constexpr ProfileTable table_of(SpanId) {
  return ProfileTable::kSpans;
}
constexpr ProfileTable table_of(SeriesId) {
  return ProfileTable::kSeries;
}
constexpr ProfileTable table_of(LossId) {
  return ProfileTable::kLosses;
}
constexpr ProfileTable table_of(BlockId) {
  return ProfileTable::kCodeBlocks;
}

// Whether a reference can be none: its initial value is not a row.
template <typename Row, typename Column>
constexpr bool may_be_none(const Column& column) {
  Row initial;
  return column.of(initial).value == Id<void>::kNone;
}

// ---- Values as 64-bit words ----

template <typename T>
constexpr uint64_t to_word(T value) {
  if constexpr (RowReference<T>) {
    return value.value;
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<uint64_t>(value);
  } else {
    return static_cast<uint64_t>(value);
  }
}

// False if the type cannot represent the word.
template <typename T>
[[nodiscard]] constexpr bool from_word(uint64_t word, T& value) {
  if constexpr (RowReference<T>) {
    value.value = static_cast<uint32_t>(word);
    return word <= std::numeric_limits<uint32_t>::max();
  } else if constexpr (std::is_same_v<T, double>) {
    value = std::bit_cast<double>(word);
    return true;
  } else if constexpr (std::is_enum_v<T>) {
    value = static_cast<T>(word);
    return word <= std::numeric_limits<std::underlying_type_t<T>>::max();
  } else if constexpr (std::is_same_v<T, bool>) {
    value = word != 0;
    return word <= 1;
  } else if constexpr (std::is_signed_v<T>) {
    static_assert(sizeof(T) == 8);
    value = static_cast<T>(word);
    return true;
  } else {
    value = static_cast<T>(word);
    return word <= std::numeric_limits<T>::max();
  }
}

// The column's value in a row that does not set it.
template <typename Row, typename Column>
constexpr uint64_t initial_word(const Column& column) {
  Row initial;
  return to_word(column.of(initial));
}

// ---- Rows of any table ----

// The row type of a table, and row `index` of it by value.
template <typename Rows>
struct TableRows {
  using Row = typename Rows::value_type;
  static const Row& at(const Rows& rows, size_t index) { return rows[index]; }
};
template <typename IdType, typename RowType>
struct TableRows<IdVector<IdType, RowType>> {
  using Row = RowType;
  static const Row& at(const IdVector<IdType, Row>& rows, size_t index) {
    return rows.rows()[index];
  }
};
// A prefix tree (prefix_tree.h) whose nodes are rows.
template <typename T>
concept TreeOfRows = requires {
  typename T::Row;
  typename T::Node;
};
template <TreeOfRows Tree>
struct TableRows<Tree> {
  using Row = typename Tree::Row;
  static Row at(const Tree& tree, size_t index) {
    auto node = Tree::Node::from_index(index);
    return {tree.parent(node), tree.label(node)};
  }
};
template <typename Rows>
using RowOf = typename TableRows<std::remove_cvref_t<Rows>>::Row;
template <typename Rows>
decltype(auto) row_at(const Rows& rows, size_t index) {
  return TableRows<Rows>::at(rows, index);
}

}  // namespace wick
