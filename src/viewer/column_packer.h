// Columns of the page's data: bytes, and the JSON that says where each stands. Encodings are
// described in page_data.h.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace wick {

class ColumnPacker {
 public:
  // Every value is `value(row)`, not negative.
  template <typename Value>
  void varint(std::string_view name, size_t rows, Value value) {
    if (add_constant(name, rows, value)) {
      return;
    }
    size_t begin = bytes_.size();
    for (size_t row = 0; row < rows; ++row) {
      put(static_cast<uint64_t>(value(row)));
    }
    describe(name, "varint", rows, begin);
  }

  // Signed values that change little from row to row.
  template <typename Value>
  void delta(std::string_view name, size_t rows, Value value) {
    if (add_constant(name, rows, value)) {
      return;
    }
    size_t begin = bytes_.size();
    int64_t last = 0;
    for (size_t row = 0; row < rows; ++row) {
      auto now = static_cast<int64_t>(value(row));
      // Wraps for differences beyond 63 bits, which no clock has.
      auto step = static_cast<int64_t>(static_cast<uint64_t>(now) - static_cast<uint64_t>(last));
      put((static_cast<uint64_t>(step) << 1) ^ static_cast<uint64_t>(step >> 63));
      last = now;
    }
    describe(name, "delta", rows, begin);
  }

  void raw(std::string_view name, size_t rows, std::string_view bytes) {
    size_t begin = bytes_.size();
    bytes_.append(bytes);
    describe(name, "raw", rows, begin);
  }
  // 64 bits a row, whatever they are.
  template <typename Value>
  void raw64(std::string_view name, size_t rows, Value value) {
    size_t begin = bytes_.size();
    for (size_t row = 0; row < rows; ++row) {
      auto bits = std::bit_cast<uint64_t>(value(row));
      for (unsigned shift = 0; shift < 64; shift += 8) {
        bytes_.push_back(static_cast<char>(bits >> shift));
      }
    }
    describe(name, "raw", rows, begin);
  }

  // The columns as members of a JSON object, their offsets counted from `base` before the bytes.
  std::string headers(size_t base) const;
  const std::string& bytes() const { return bytes_; }

 private:
  struct Header {
    std::string name;
    std::string_view encoding;
    size_t rows = 0;
    size_t offset = 0;
    size_t bytes = 0;
    int64_t value = 0;
  };

  template <typename Value>
  bool add_constant(std::string_view name, size_t rows, Value value) {
    for (size_t row = 1; row < rows; ++row) {
      if (value(row) != value(0)) {
        return false;
      }
    }
    int64_t constant = rows == 0 ? 0 : static_cast<int64_t>(value(0));
    headers_.push_back({std::string(name), "constant", rows, bytes_.size(), 0, constant});
    return true;
  }

  void put(uint64_t value) {
    while (value > 0x7F) {
      bytes_.push_back(static_cast<char>((value & 0x7F) | 0x80));
      value >>= 7;
    }
    bytes_.push_back(static_cast<char>(value));
  }

  void describe(std::string_view name, std::string_view encoding, size_t rows, size_t begin) {
    headers_.push_back({std::string(name), encoding, rows, begin, bytes_.size() - begin});
    bytes_.resize((bytes_.size() + 7) / 8 * 8);
  }

  std::string bytes_;
  std::vector<Header> headers_;
};

inline std::string ColumnPacker::headers(size_t base) const {
  std::string text;
  for (const Header& header : headers_) {
    text +=
        fmt::format(R"({}"{}":{{"encoding":"{}","rows":{},"offset":{:12},"bytes":{},"value":{}}})",
                    text.empty() ? "" : ",",
                    header.name,
                    header.encoding,
                    header.rows,
                    base + header.offset,
                    header.bytes,
                    header.value);
  }
  return text;
}

}  // namespace wick
