// Which columns each table has: the one list that the writer, the reader and the repair of damaged
// references share. visit_columns(row, visit) calls visit(column number, field) for each in turn.
//
// Column numbers are part of the format (docs/format.md): a number is never given to anything else.
// Strings have no row type: column 1 holds their lengths, column 2 their bytes.
#pragma once

#include <bit>
#include <concepts>
#include <limits>
#include <type_traits>
#include <vector>

#include "formats/native/columns.h"
#include "profile/ids.h"
#include "profile/profile.h"
#include "profile/validate.h"

namespace wick::native {

inline constexpr uint16_t kStringLengths = 1;
inline constexpr uint16_t kStringBytes = 2;

struct StackRow {
  StackId parent;
  FrameId frame;
};

// One total: of a table's rows, of an event's weights, or of an event's samples.
enum class SumKind : uint32_t { kRows = 0, kWeight = 1, kSamples = 2 };
struct SumRow {
  uint32_t kind = 0;  // SumKind; others are a newer wick's and passed over
  uint32_t key = 0;   // the table's type code, or the event's number
  uint64_t value = 0;
};

template <typename Visit>
void visit_columns(Module& row, Visit&& visit) {
  visit(1, row.path);
  visit(2, row.build_id);
}

template <typename Visit>
void visit_columns(Function& row, Visit&& visit) {
  visit(1, row.name);
  visit(2, row.linkage_name);
  visit(3, row.module);
  visit(4, row.file);
  visit(5, row.line);
  visit(6, row.address);
}

template <typename Visit>
void visit_columns(Frame& row, Visit&& visit) {
  visit(1, row.function);
  visit(2, row.module);
  visit(3, row.address);
  visit(4, row.line);
  visit(5, row.mode);
  visit(6, row.found);
  visit(7, row.flags);
}

template <typename Visit>
void visit_columns(StackRow& row, Visit&& visit) {
  visit(1, row.parent);
  visit(2, row.frame);
}

template <typename Visit>
void visit_columns(Process& row, Visit&& visit) {
  visit(1, row.pid);
  visit(2, row.name);
}

template <typename Visit>
void visit_columns(Thread& row, Visit&& visit) {
  visit(1, row.tid);
  visit(2, row.process);
  visit(3, row.name);
}

template <typename Visit>
void visit_columns(Event& row, Visit&& visit) {
  visit(1, row.name);
  visit(2, row.unit);
  visit(3, row.scale);
}

template <typename Visit>
void visit_columns(Sample& row, Visit&& visit) {
  visit(1, row.time_ns);
  visit(2, row.weight);
  visit(3, row.count);
  visit(4, row.stack);
  visit(5, row.thread);
  visit(6, row.event);
  visit(7, row.cpu);
  visit(8, row.ending);
}

template <typename Visit>
void visit_columns(Span& row, Visit&& visit) {
  visit(1, row.begin_ns);
  visit(2, row.end_ns);
  visit(3, row.thread);
  visit(4, row.name);
}

template <typename Visit>
void visit_columns(Mark& row, Visit&& visit) {
  visit(1, row.time_ns);
  visit(2, row.name);
  visit(3, row.value);
  visit(4, row.has_value);
}

template <typename Visit>
void visit_columns(CounterPoint& row, Visit&& visit) {
  visit(1, row.time_ns);
  visit(2, row.name);
  visit(3, row.unit);
  visit(4, row.value);
}

template <typename Visit>
void visit_columns(Loss& row, Visit&& visit) {
  visit(1, row.reason);
  visit(2, row.what);
  visit(3, row.detail);
  visit(4, row.count);
  visit(5, row.severity);
}

template <typename Visit>
void visit_columns(Fact& row, Visit&& visit) {
  visit(1, row.key);
  visit(2, row.value);
}

template <typename Visit>
void visit_columns(SumRow& row, Visit&& visit) {
  visit(1, row.kind);
  visit(2, row.key);
  visit(3, row.value);
}

// Fields to words and back.

template <typename T>
concept RowNumber = requires(T id) {
  { id.value } -> std::same_as<uint32_t&>;
};

template <typename T>
uint64_t to_word(T field) {
  if constexpr (RowNumber<T>) {
    return field.value;
  } else if constexpr (std::is_same_v<T, double>) {
    return std::bit_cast<uint64_t>(field);
  } else {
    return static_cast<uint64_t>(field);
  }
}

// False when the field cannot hold the word.
template <typename T>
[[nodiscard]] bool from_word(uint64_t word, T& field) {
  if constexpr (RowNumber<T>) {
    field.value = static_cast<uint32_t>(word);
    return word <= std::numeric_limits<uint32_t>::max();
  } else if constexpr (std::is_same_v<T, double>) {
    field = std::bit_cast<double>(word);
    return true;
  } else if constexpr (std::is_enum_v<T>) {
    field = static_cast<T>(word);
    return word <= std::numeric_limits<std::underlying_type_t<T>>::max();
  } else if constexpr (std::is_same_v<T, bool>) {
    field = word != 0;
    return word <= 1;
  } else if constexpr (std::is_signed_v<T>) {
    static_assert(sizeof(T) == 8);
    field = static_cast<T>(word);
    return true;
  } else {
    field = static_cast<T>(word);
    return word <= std::numeric_limits<T>::max();
  }
}

// All rows or none: a chunk with one impossible value is not believed.
template <typename Row>
Result<std::vector<Row>> decode_rows(PayloadReader& payload, uint32_t count) {
  std::vector<Row> rows(count);
  std::vector<uint16_t> numbers;
  Row shape;
  visit_columns(shape, [&](uint16_t number, auto&) { numbers.push_back(number); });
  std::vector<std::vector<uint64_t>> columns;
  for (uint16_t number : numbers) {
    columns.push_back(TRY(payload.words(number)));
  }
  bool fits = true;
  for (size_t row = 0; row < rows.size(); ++row) {
    size_t column = 0;
    visit_columns(rows[row], [&](uint16_t, auto& field) {
      fits = from_word(columns[column++][row], field) && fits;
    });
  }
  if (!fits) {
    return fail("a value in it is out of range");
  }
  return rows;
}

// `row_at(i)` gives row i of the `count` rows.
template <typename RowAt>
void encode_rows(PayloadWriter& payload, size_t count, RowAt row_at) {
  using Row = std::decay_t<decltype(row_at(0))>;
  std::vector<std::vector<uint64_t>> columns;
  std::vector<uint16_t> numbers;
  Row shape;
  visit_columns(shape, [&](uint16_t number, auto&) { numbers.push_back(number); });
  columns.resize(numbers.size());
  for (auto& column : columns) {
    column.reserve(count);
  }
  for (size_t i = 0; i < count; ++i) {
    Row row = row_at(i);
    size_t column = 0;
    visit_columns(row, [&](uint16_t, auto& field) { columns[column++].push_back(to_word(field)); });
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    payload.words(numbers[i], columns[i]);
  }
}

}  // namespace wick::native
