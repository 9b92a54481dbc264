// SPDX-License-Identifier: Apache-2.0
// Packs each table of the merged profile:
//
//     1. sort_by_time     the order of the rows; ranks_ remembers it for references to this table
//     2. describe         kind and initial value of each column, into the schema
//     3. pack_column      the values, with an encoding that depends on the type of the column
//
// A table must be packed before the tables that refer to it, because references use the new order
// of its rows. A column that has only initial values has no bytes.
#include "viewer/page_tables.h"

#include <algorithm>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/utf8.h"
#include "profile/names.h"

namespace wick {
namespace {

// Tables and columns that no view uses. They would make pages larger.
constexpr std::string_view kLeftOut[] = {
    "fact",                   // merged facts do not say to which run they belong: see page_runs.h
    "mapping",                // thousands in a recording of a whole system
    "thread_name",            // several for each thread of a recording with many short programs
    "total_correction",       // the page's tables are about the stacks that it shows
    "edge",                   // branches: 8 bytes each, and up to 32 for a sample
    "branch",                 //
    "branch_set",             //
    "code_block",             //
    "sample.branches",        //
    "sample.group",           // a number for each interrupt of a group of events
    "function.linkage_name",  // one more text for most functions
    "function.module",        // views show the frame's module
    "function.address",       // 3 to 8 bytes for each function
    "frame.column",           // 1 byte for each frame
    "process.begin_ns",       // views show the times of its threads
    "process.end_ns",         //
    "process.jit_dump",       // a path for each process
};

bool is_left_out(std::string_view name) {
  return std::ranges::find(kLeftOut, name) != std::end(kLeftOut);
}

std::string column_name(ProfileTable table, std::string_view column) {
  return fmt::format("{}.{}", info_of(table).row_name, column);
}

size_t utf16_length(std::string_view text) {
  size_t length = 0;
  for (Utf8Cursor cursor(text); !cursor.at_end();) {
    length += size_t{1} + (cursor.next().code > 0xFFFF ? 1U : 0U);
  }
  return length;
}

void pack_strings(const StringTable& strings, ColumnPacker& columns) {
  std::string bytes;
  std::vector<uint32_t> lengths;
  lengths.reserve(strings.size());
  for (uint32_t row = 0; row < strings.size(); ++row) {
    std::string text = terminal_text(strings[StringId{row}]);
    lengths.push_back(static_cast<uint32_t>(utf16_length(text)));
    bytes += text;
  }
  columns.varint("string.lengths", lengths.size(), [&](size_t row) { return lengths[row]; });
  columns.raw("string.bytes", bytes.size(), bytes);
}

// Whether a column contains the parents of the nodes of a tree.
template <typename Value>
constexpr bool is_tree_parent(ProfileTable table, Value value) {
  if constexpr (RowReference<Value>) {
    return table_of(value) == table && info_of(table).implied_rows > 0;
  } else {
    return false;
  }
}

// Whether a column contains the number of a CPU. The largest number means no CPU.
template <typename Value>
constexpr bool is_cpu(Value initial) {
  return std::is_same_v<Value, uint16_t> && to_word(initial) == kNoCpu;
}

template <typename Enum>
void write_names(JsonWriter& json) {
  json.key("names");
  json.begin_array();
  for (size_t value = 0; value <= static_cast<size_t>(last_of(Enum{})); ++value) {
    json.value(name_of(static_cast<Enum>(value)));
  }
  json.end_array();
}

template <typename Value>
void write_kind(JsonWriter& json, ColumnMeaning meaning, Value initial) {
  auto kind = [&](std::string_view name) { json.field("kind", name); };
  if constexpr (std::is_same_v<Value, StringId>) {
    kind("text");
  } else if constexpr (RowReference<Value>) {
    kind("reference");
    json.field("to", info_of(table_of(initial)).name);
  } else if constexpr (std::is_enum_v<Value>) {
    kind("enum");
    write_names<Value>(json);
  } else if (meaning == ColumnMeaning::kTime) {
    kind("time");
  } else {
    kind(meaning == ColumnMeaning::kBits ? "bits" : "number");
  }
}

template <typename Value>
void write_initial(JsonWriter& json, ColumnMeaning meaning, Value initial) {
  if (meaning == ColumnMeaning::kTime) {
    json.key("initial");
    json.raw("null");
  } else if (is_cpu(initial)) {
    json.field("initial", int64_t{-1});
  } else if constexpr (std::is_same_v<Value, double>) {
    json.field("initial", initial);
  } else if constexpr (RowReference<Value>) {
    if (initial.value != 0) {
      json.field("initial", int64_t{-1});
    }
  } else if (to_word(initial) != 0) {
    json.field("initial", static_cast<int64_t>(initial));
  }
}

class TablePacker {
 public:
  TablePacker(const std::vector<RunRows>& runs, ColumnPacker& columns, JsonWriter& json)
      : runs_(runs), columns_(columns), json_(json) {}

  template <typename Rows>
  void pack(ProfileTable table, const Rows& rows) {
    const TableInfo& info = info_of(table);
    if (rows.size() == 0 || is_left_out(info.row_name)) {
      return;
    }
    table_ = table;
    sort_by_time(rows);
    json_.key(info.name);
    json_.begin_object();
    json_.field("row", info.row_name);
    json_.field("rows", uint64_t{rows.size()});
    json_.key("columns");
    json_.begin_object();
    for_each_column<RowOf<Rows>>([&](const auto& column) {
      if (std::string name = column_name(table, column.name); !is_left_out(name)) {
        describe<RowOf<Rows>>(column);
        pack_column(name, rows, column);
      }
    });
    json_.end_object();
    json_.end_object();
  }

 private:
  template <typename Row, typename Column>
  void describe(const Column& column) {
    Row initial;
    json_.key(column.name);
    json_.begin_object();
    write_kind(json_, column.meaning, column.of(initial));
    write_initial(json_, column.meaning, column.of(initial));
    json_.end_object();
  }

  // Calls use(first row, end, start of their run) for each run.
  template <typename Use>
  void for_each_run(size_t rows, Use use) const {
    if (!is_of_runs(table_)) {
      use(size_t{0}, rows, runs_.front().start_ns);
      return;
    }
    size_t begin = 0;
    for (const RunRows& run : runs_) {
      use(begin, begin + run.of(table_), run.start_ns);
      begin += run.of(table_);
    }
    CHECK(begin == rows);
  }

  // Sorts the rows by their first column with times.
  template <typename Rows>
  void sort_by_time(const Rows& rows) {
    order_.clear();
    bool sorted = !is_of_runs(table_);
    for_each_column<RowOf<Rows>>([&](const auto& column) {
      using Value = std::decay_t<decltype(value_at(rows, 0, column))>;
      if constexpr (std::is_same_v<Value, int64_t>) {
        if (!sorted && column.meaning == ColumnMeaning::kTime) {
          std::vector<int64_t> times(rows.size());
          for (size_t row = 0; row < times.size(); ++row) {
            times[row] = value_at(rows, row, column);
          }
          sort_by(times);
          sorted = true;
        }
      }
    });
  }
  // Not a template: a sort for each column of each table took 25 of the 31 s of this file.
  void sort_by(const std::vector<int64_t>& times) {
    std::vector<uint32_t> order(times.size());
    std::iota(order.begin(), order.end(), 0);
    auto time = [&](uint32_t row) { return times[row]; };
    bool changed = false;
    for_each_run(times.size(), [&](size_t begin, size_t end, int64_t) {
      auto run = std::span(order).subspan(begin, end - begin);
      if (!std::ranges::is_sorted(run, {}, time)) {
        std::ranges::stable_sort(run, {}, time);
        changed = true;
      }
    });
    if (changed) {
      order_ = std::move(order);
      std::vector<uint32_t>& rank = ranks_[static_cast<size_t>(table_)];
      rank.resize(order_.size());
      for (uint32_t row = 0; row < order_.size(); ++row) {
        rank[order_[row]] = row;
      }
    }
  }
  size_t source_of(size_t row) const { return order_.empty() ? row : order_[row]; }

  template <typename Rows, typename Column>
  void pack_column(const std::string& name, const Rows& rows, const Column& column) {
    using Row = RowOf<Rows>;
    using Value = decltype(value_at(rows, 0, column));
    auto value = [&](size_t row) { return value_at(rows, source_of(row), column); };
    if (column.meaning == ColumnMeaning::kTime) {
      if constexpr (std::is_same_v<Value, int64_t>) {
        pack_times(name, rows.size(), value);
      }
    } else if (has_content(rows, column)) {
      Row initial;
      pack_values(name, rows.size(), value, column.of(initial));
    }
  }

  template <typename Rows, typename Column>
  static bool has_content(const Rows& rows, const Column& column) {
    const uint64_t initial = initial_word<RowOf<Rows>>(column);
    for (size_t row = 0; row < rows_to_check(rows, column); ++row) {
      if (to_word(value_at(rows, row, column)) != initial) {
        return true;
      }
    }
    return false;
  }

  template <typename ValueAt, typename Value>
  void pack_values(const std::string& name, size_t rows, ValueAt value, Value initial) {
    if constexpr (RowReference<Value>) {
      pack_references(name, rows, value, initial);
    } else if constexpr (std::is_same_v<Value, double>) {
      columns_.float64(name, rows, value);
    } else if constexpr (std::is_enum_v<Value>) {
      columns_.varint(name, rows, [&](size_t row) { return static_cast<uint8_t>(value(row)); });
    } else if constexpr (std::is_signed_v<Value>) {
      columns_.number(name, rows, value);
    } else if (is_cpu(initial)) {
      columns_.varint(
          name, rows, [&](size_t row) { return static_cast<uint16_t>(value(row) + 1U); }, 1);
    } else {
      columns_.varint(name, rows, value);
    }
  }

  // If an id can be missing, the stored number is one higher, and the reader gets -1.
  template <typename ValueAt, typename Id>
  void pack_references(const std::string& name, size_t rows, ValueAt value, Id initial) {
    const std::vector<uint32_t>& ranks = ranks_[static_cast<size_t>(table_of(initial))];
    auto row_of = [&](size_t row) {
      uint32_t to = value(row).value;
      return to < ranks.size() ? ranks[to] : to;
    };
    if (is_tree_parent(table_, initial)) {
      columns_.step(name, rows, row_of);
    } else if (initial.value == Id().value && !std::is_same_v<Id, StringId>) {
      columns_.varint(name, rows, [&](size_t row) { return row_of(row) + 1; }, 1);
    } else {
      columns_.varint(name, rows, row_of);
    }
  }

  // The number for "no time" is less than every time of the column.
  template <typename ValueAt>
  void pack_times(const std::string& name, size_t rows, ValueAt value) {
    std::vector<int64_t> times(rows);
    int64_t least = 0;
    size_t unknown = 0;
    for_each_run(rows, [&](size_t begin, size_t end, int64_t start_ns) {
      for (size_t row = begin; row < end; ++row) {
        int64_t time = value(row);
        unknown += time == kNoTime ? 1 : 0;
        times[row] = time == kNoTime ? kNoTime : since(time, start_ns);
        least = time == kNoTime ? least : std::min(least, times[row]);
      }
    });
    if (unknown == rows) {
      return;
    }
    std::optional<int64_t> none;
    if (unknown > 0) {
      none = least - 1;
      std::ranges::replace(times, kNoTime, *none);
    }
    columns_.delta(name, rows, [&](size_t row) { return times[row]; }, none);
  }

  const std::vector<RunRows>& runs_;
  ColumnPacker& columns_;
  JsonWriter& json_;
  ProfileTable table_ = ProfileTable::kStrings;
  std::vector<uint32_t> order_;  // the table's rows in packed order; empty: unchanged
  std::array<std::vector<uint32_t>, kTableCount> ranks_;  // new number of each row
};

}  // namespace

RunRows rows_of(const Profile& profile, int64_t start_ns) {
  RunRows result{.start_ns = start_ns};
  visit_tables([&](ProfileTable table,
                   const auto& rows) { result.rows[static_cast<size_t>(table)] = rows.size(); },
               profile);
  return result;
}

bool is_of_runs(ProfileTable table) {
  bool belongs = info_of(table).growth == Growth::kAppended || table == ProfileTable::kSpans;
  return belongs && !is_left_out(info_of(table).row_name);
}

// A quarter of the range, so that the difference of two such times fits, too.
int64_t since(int64_t time_ns, int64_t start_ns) {
  constexpr int64_t kFarthest = INT64_MAX / 4;
  int64_t result = 0;
  if (__builtin_sub_overflow(time_ns, start_ns, &result)) {
    result = time_ns < start_ns ? -kFarthest : kFarthest;
  }
  return std::clamp(result, -kFarthest, kFarthest);
}

void pack_tables(const Profile& merged,
                 const std::vector<RunRows>& runs,
                 ColumnPacker& columns,
                 JsonWriter& json) {
  pack_strings(merged.strings, columns);
  TablePacker packer(runs, columns, json);
  json.key("schema");
  json.begin_object();
  visit_tables([&](ProfileTable table, const auto& rows) { packer.pack(table, rows); }, merged);
  json.end_object();
}

}  // namespace wick
