// SPDX-License-Identifier: Apache-2.0
// How the rows of tables.h fill their cells. WICK_CELL makes the function of a column from an
// expression over `rows`, `row` and the profile `p`.
#pragma once

#include <optional>

#include "query/tables.h"

#define WICK_CELL(...)                                            \
  [](const Rows& rows, [[maybe_unused]] size_t row, Cell& cell) { \
    [[maybe_unused]] const Profile& p = rows.profile;             \
    put(cell, __VA_ARGS__);                                       \
  }

namespace wick::sql {

inline constexpr std::string_view kId = "integer NOT NULL PRIMARY KEY";

inline void put(Cell& cell, int64_t value) {
  cell.set(value);
}
inline void put(Cell& cell, double value) {
  cell.set(value);
}
// The view must be into the profile.
inline void put(Cell& cell, std::string_view text) {
  cell.borrow(text);
}
inline void put(Cell& cell, std::string text) {
  cell.store(std::move(text));
}
// The name of a frame; NULL for none. Names of functions are borrowed: they are most of the texts of
// most answers.
struct NameOf {
  const Profile& profile;
  FrameId frame;
};
inline void put(Cell& cell, const NameOf& name) {
  if (!name.frame.valid()) {
    cell.null();
    return;
  }
  FunctionId function = name.profile.frames[name.frame].function;
  std::string_view text =
      function.valid() ? name.profile.strings[name.profile.functions[function].name] : "";
  if (text.empty()) {
    cell.store(frame_name(name.profile, name.frame));
  } else {
    cell.borrow(text);
  }
}
template <typename T>
void put(Cell& cell, const std::optional<T>& value) {
  if (value) {
    put(cell, *value);
  } else {
    cell.null();
  }
}

inline constexpr auto kZero = [](const Rows&, size_t, Cell& cell) { cell.set(int64_t{0}); };

// The id in SQL of a row of the profile; 0 for none.
template <typename IdType>
int64_t id_or_zero(IdType id) {
  return id.valid() ? int64_t{id.value} + 1 : 0;
}
template <typename IdType>
std::optional<int64_t> id_or_null(IdType id) {
  return id.valid() ? std::optional<int64_t>(int64_t{id.value} + 1) : std::nullopt;
}
inline std::optional<int64_t> time_or_null(int64_t time) {
  return time == kNoTime ? std::nullopt : std::optional(time);
}
inline std::optional<int64_t> cpu_or_null(uint16_t cpu) {
  return cpu == kNoCpu ? std::nullopt : std::optional<int64_t>(cpu);
}
// An empty text is unknown.
inline std::optional<std::string_view> text_or_null(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional(text);
}
inline std::optional<int64_t> above_zero(uint64_t value) {
  return value == 0 ? std::nullopt : std::optional(static_cast<int64_t>(value));
}

// An amount of an event: whole, unless the event has fractions.
inline void put_weight(Cell& cell, const Event& event, int64_t weight) {
  if (event.scale <= 1) {
    cell.set(weight);
  } else {
    cell.set(static_cast<double>(weight) / event.scale);
  }
}

template <typename Id>
Id row_id(size_t row) {
  return Id::from_index(row);
}

}  // namespace wick::sql
