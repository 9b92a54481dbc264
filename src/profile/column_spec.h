// SPDX-License-Identifier: Apache-2.0
// A column of a table: its number, its name and its field. The row types in *_tables.h list their
// columns with the macros below, one line for each column, so number, name and field always agree.
#pragma once

#include <cstdint>
#include <string_view>

namespace wick {

// How to interpret a number beyond its type.
enum class ColumnMeaning : uint8_t {
  kPlain,
  kTime,  // nanoseconds on the source's clock; kNoTime if unknown
  kBits,  // a set of bits; `allowed` contains the bits that exist
};

// `of(row)` is the field of a row, or the column of a table that is stored by columns.
template <typename Of>
struct ColumnSpec {
  uint16_t number = 0;
  std::string_view name;
  Of of;
  ColumnMeaning meaning = ColumnMeaning::kPlain;
  uint64_t allowed = UINT64_MAX;  // of kBits
};

#define WICK_COLUMN(number, field, ...)                                                     \
  ColumnSpec {                                                                              \
    number, #field, [](auto& row) -> auto& { return row.field; } __VA_OPT__(, ) __VA_ARGS__ \
  }
#define WICK_TIME(number, field) WICK_COLUMN(number, field, ColumnMeaning::kTime)
#define WICK_BITS(number, field, allowed) WICK_COLUMN(number, field, ColumnMeaning::kBits, allowed)

// `RowSchema<Row>::with_columns(use)` calls use(column...) with all columns of a row type. A
// function, because only few files need the columns: as tuples they took 2 of the 5 seconds that
// the front end needed for a file with the tables.
template <typename Row>
struct RowSchema;

}  // namespace wick
