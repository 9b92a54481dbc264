// SPDX-License-Identifier: Apache-2.0
// Converts rows of a table to the columns of a payload and back, as listed in profile/schema.h.
//
// Strings have no row type: column 1 has their lengths, column 2 their bytes. Sums are a table of
// the file only.
#pragma once

#include <type_traits>
#include <vector>

#include "formats/native/columns.h"
#include "profile/profile.h"
#include "profile/schema.h"

namespace wick {

namespace native {

inline constexpr uint16_t kStringLengths = 1;
inline constexpr uint16_t kStringBytes = 2;

// One total: of a table's rows, of an event's weights, or of an event's samples.
enum class SumKind : uint32_t { kRows = 0, kWeight = 1, kSamples = 2 };
struct SumRow {
  uint32_t kind = 0;  // SumKind; others belong to a newer wick and are skipped
  uint32_t key = 0;   // the table's type code, or the event's number
  uint64_t value = 0;
};

}  // namespace native

template <>
struct RowSchema<native::SumRow> {
  static constexpr auto with_columns(auto use) {
    return use(WICK_COLUMN(1, kind), WICK_COLUMN(2, key), WICK_COLUMN(3, value));
  }
};

namespace native {

// All rows or none: a chunk with one impossible value is rejected. Missing columns have the initial
// value of their field.
template <typename Row>
Result<std::vector<Row>> decode_rows(PayloadReader& payload, uint32_t count) {
  std::vector<Row> rows(count);
  std::vector<uint64_t> words;
  Result<> result;
  for_each_column<Row>([&](const auto& column) {
    if (!result || !payload.has(column.number)) {
      return;
    }
    result = payload.words(column.number, words);
    bool fits = true;
    for (size_t row = 0; result && row < rows.size(); ++row) {
      fits = from_word(words[row], column.of(rows[row])) && fits;
    }
    if (!fits) {
      result = fail("a value in it is out of range");
    }
  });
  TRY(std::move(result));
  return rows;
}

// `word_at(column, i)` is the word of row i. A column with initial values only is left out.
template <typename Row, typename WordAt>
void encode_columns(PayloadWriter& payload, size_t count, WordAt word_at) {
  std::vector<uint64_t> words(count);
  for_each_column<Row>([&](const auto& column) {
    const uint64_t initial = initial_word<Row>(column);
    bool has_content = false;
    for (size_t row = 0; row < count; ++row) {
      words[row] = word_at(column, row);
      has_content = has_content || words[row] != initial;
    }
    if (has_content) {
      payload.words(column.number, words);
    }
  });
}

// Rows [first, first + count) of a table.
template <typename Rows>
void encode_rows(PayloadWriter& payload, const Rows& rows, size_t first, size_t count) {
  encode_columns<RowOf<Rows>>(payload, count, [&](const auto& column, size_t row) {
    return to_word(value_at(rows, first + row, column));
  });
}

}  // namespace native
}  // namespace wick
