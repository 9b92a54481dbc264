// SPDX-License-Identifier: Apache-2.0
// The columns of the page's data: their bytes, and the JSON that says where each is and how to read
// it.
//
//     raw       bytes without encoding: text
//     varint    unsigned LEB128; the value is `minus` less than the stored number
//     delta     LEB128 of the zigzagged difference to the previous row
//     step      LEB128 of a distance: the value is the row's number minus the distance
//     int64, uint64, float64   8 bytes for each row
//     constant  one value for all rows, in the header
//
// A browser's numbers are exact below 2^53, and its BigInts are slow. So a column of whole numbers
// has 8 bytes for each row only if one of its numbers is beyond that limit.
#pragma once

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/bytes.h"
#include "base/json_writer.h"

namespace wick {

class ColumnPacker {
 public:
  // `value(row)` must not be negative. The reader subtracts `minus`.
  template <typename Value>
  void varint(std::string_view name, size_t rows, Value value, int64_t minus = 0) {
    if (pack_constant(name, rows, value, minus) || pack_wide(name, rows, value)) {
      return;
    }
    Header& header = begin(name, "varint", rows);
    header.minus = minus;
    for (size_t row = 0; row < rows; ++row) {
      out_.varint(static_cast<uint64_t>(value(row)));
    }
    end(header);
  }

  // Signed values that change little from row to row. `none` is the value of rows without a value.
  template <typename Value>
  void delta(std::string_view name,
             size_t rows,
             Value value,
             std::optional<int64_t> none = std::nullopt) {
    if (!none && pack_constant(name, rows, value, 0)) {
      return;
    }
    if (pack_wide(name, rows, value)) {
      headers_.back().none = none;
      return;
    }
    Header& header = begin(name, "delta", rows);
    header.none = none;
    int64_t last = 0;
    for (size_t row = 0; row < rows; ++row) {
      int64_t now = value(row);
      out_.signed_varint(now - last);
      last = now;
    }
    end(header);
  }

  // Signed values without known properties: as deltas if they are shorter or if a value is
  // negative.
  template <typename Value>
  void number(std::string_view name, size_t rows, Value value) {
    if (is_better_as_delta(rows, value)) {
      delta(name, rows, value);
    } else {
      varint(name, rows, value);
    }
  }

  // Every value is the number of the same row or an earlier row.
  template <typename Value>
  void step(std::string_view name, size_t rows, Value value) {
    Header& header = begin(name, "step", rows);
    for (size_t row = 0; row < rows; ++row) {
      out_.varint(row - value(row));
    }
    end(header);
  }

  template <typename Value>
  void float64(std::string_view name, size_t rows, Value value) {
    pack_words(name, "float64", rows, value);
  }

  void raw(std::string_view name, size_t rows, std::string_view bytes) {
    Header& header = begin(name, "raw", rows);
    out_.text(bytes);
    end(header);
  }

  // One member for each column. Offsets start at the first byte of all columns.
  void write_headers(JsonWriter& json) const;
  const std::string& bytes() const { return out_.bytes(); }

 private:
  struct Header {
    std::string name;
    std::string_view encoding;
    size_t rows = 0;
    size_t offset = 0;
    size_t bytes = 0;
    int64_t value = 0;  // only of constants
    int64_t minus = 0;
    std::optional<int64_t> none = {};
  };

  template <typename Number>
  static bool is_exact(Number number) {
    constexpr int64_t kMost = int64_t{1} << 53;
    if constexpr (sizeof(Number) < 8) {
      return true;
    } else if constexpr (std::is_signed_v<Number>) {
      return number >= -kMost && number <= kMost;
    } else {
      return number <= uint64_t{kMost};
    }
  }

  static int64_t bits_of(int64_t number) {
    auto magnitude = static_cast<uint64_t>(number < 0 ? -(number + 1) : number);
    return static_cast<int64_t>(std::bit_width(magnitude));
  }
  // True only if deltas are much shorter: gzip compresses deltas of random numbers worse than the
  // numbers.
  template <typename Value>
  static bool is_better_as_delta(size_t rows, Value value) {
    int64_t last = 0;
    int64_t bits = 0;
    int64_t delta_bits = 0;
    for (size_t row = 0; row < rows; ++row) {
      int64_t now = value(row);
      if (now < 0) {
        return true;
      }
      bits += bits_of(now);
      delta_bits += bits_of(now - last) + 1;
      last = now;
    }
    return delta_bits < bits / 4 * 3;
  }

  // False if the values differ, or if the value is not exact in the header's JSON.
  template <typename Value>
  bool pack_constant(std::string_view name, size_t rows, Value value, int64_t minus) {
    for (size_t row = 1; row < rows; ++row) {
      if (value(row) != value(0)) {
        return false;
      }
    }
    if (rows > 0 && !is_exact(value(0))) {
      return false;
    }
    Header& header = begin(name, "constant", rows);
    header.value = rows == 0 ? 0 : static_cast<int64_t>(value(0)) - minus;
    return true;
  }

  // False if all values are exact in a browser.
  template <typename Value>
  bool pack_wide(std::string_view name, size_t rows, Value value) {
    using Number = std::invoke_result_t<Value, size_t>;
    if constexpr (sizeof(Number) == 8) {
      for (size_t row = 0; row < rows; ++row) {
        if (!is_exact(value(row))) {
          pack_words(name, std::is_signed_v<Number> ? "int64" : "uint64", rows, value);
          return true;
        }
      }
    }
    return false;
  }

  template <typename Value>
  void pack_words(std::string_view name, std::string_view encoding, size_t rows, Value value) {
    Header& header = begin(name, encoding, rows);
    for (size_t row = 0; row < rows; ++row) {
      out_.number(std::bit_cast<uint64_t>(value(row)));
    }
    end(header);
  }

  Header& begin(std::string_view name, std::string_view encoding, size_t rows) {
    return headers_.emplace_back(Header{std::string(name), encoding, rows, out_.bytes().size()});
  }
  void end(Header& header) {
    std::string& bytes = out_.bytes();
    header.bytes = bytes.size() - header.offset;
    bytes.resize((bytes.size() + 7) / 8 * 8);
  }

  ByteWriter out_;
  std::vector<Header> headers_;
};

inline void ColumnPacker::write_headers(JsonWriter& json) const {
  json.begin_object();
  for (const Header& header : headers_) {
    json.key(header.name);
    json.begin_object();
    json.field("encoding", header.encoding);
    json.field("rows", uint64_t{header.rows});
    if (header.encoding == "constant") {
      json.field("value", header.value);
    } else {
      json.field("offset", uint64_t{header.offset});
      json.field("bytes", uint64_t{header.bytes});
    }
    if (header.minus != 0) {
      json.field("minus", header.minus);
    }
    if (header.none) {
      json.field("none", *header.none);
    }
    json.end_object();
  }
  json.end_object();
}

}  // namespace wick
