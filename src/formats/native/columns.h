// SPDX-License-Identifier: Apache-2.0
// The payload of a chunk: columns, one after the other, each with its own small header.
//
//     0  2  column number, as in profile/schema.h
//     2  1  encoding
//     3  1  width of a value in bytes: 1, 2, 4 or 8; 0 for encodings without one
//     4  4  bytes of data that follow
//
//     0 constant   one value for every row
//     1 plain      a value a row, little-endian, zero-extended to 64 bits
//     2 delta      a zigzag varint a row: the difference to the row before, modulo 2^64
//                  (for the first row: to 0)
//     3 bytes      as they are; the rows' lengths are another column
//
// Every value is a 64-bit word: a signed number is its two's complement, a double its bit pattern.
// A reader skips unknown columns by their size. The writer chooses the shorter of plain and delta;
// zstd compresses repetition.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"

namespace wick::native {

enum class Encoding : uint8_t { kConstant = 0, kPlain = 1, kDelta = 2, kBytes = 3 };

inline constexpr size_t kColumnHeaderBytes = 8;
inline constexpr size_t kMaxColumns = 256;

class PayloadWriter {
 public:
  // One word a row; at least one row.
  void words(uint16_t column, std::span<const uint64_t> words);
  void bytes(uint16_t column, std::string_view bytes);

  const std::string& payload() const { return out_.bytes(); }

 private:
  void start(uint16_t column, Encoding encoding, size_t width, size_t size);

  ByteWriter out_;
};

// Borrows the payload. Errors are clauses that say what is wrong with it.
class PayloadReader {
 public:
  static Result<PayloadReader> open(Bytes payload, uint32_t rows);

  bool has(uint16_t column) const;
  // One word for each row.
  Result<> words(uint16_t column, std::vector<uint64_t>& words);
  Result<Bytes> bytes(uint16_t column);

  // The columns that the reader did not use: those of a newer wick.
  std::vector<uint16_t> unread() const;

 private:
  struct Column {
    uint16_t number = 0;
    Encoding encoding = Encoding::kConstant;
    uint8_t width = 0;
    bool read = false;
    Bytes data;
  };

  Result<Column> take(uint16_t number);

  std::vector<Column> columns_;
  uint32_t rows_ = 0;
};

}  // namespace wick::native
