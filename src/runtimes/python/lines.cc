// SPDX-License-Identifier: Apache-2.0
#include "runtimes/python/lines.h"

namespace wick::python {
namespace {

using Line = InterpretedCode::Line;

// Collects lines; neighbours with the same one are joined.
class LineList {
 public:
  explicit LineList(uint32_t first_line) : line_(first_line) {}

  void change(int64_t difference) { line_ += difference; }
  // The next `bytes` bytes of code have the current line, or none.
  void add(uint32_t bytes, bool has_line = true) {
    constexpr int64_t kLargest = INT32_MAX;
    uint32_t line = has_line && line_ > 0 && line_ <= kLargest ? static_cast<uint32_t>(line_) : 0;
    if (bytes > 0 && (lines_.empty() || lines_.back().line != line)) {
      lines_.push_back({at_, line});
    }
    at_ += bytes;
  }
  // No lines from here on.
  std::vector<Line> finish() && {
    if (!lines_.empty() && lines_.back().line != 0) {
      lines_.push_back({at_, 0});
    }
    return std::move(lines_);
  }
  // The last line extends to the end of the code, which the table does not say.
  std::vector<Line> finish_open() && {
    add(1);
    return std::move(lines_);
  }

 private:
  int64_t line_;
  uint32_t at_ = 0;
  std::vector<Line> lines_;
};

std::vector<Line> decode_pairs(ByteReader table, uint32_t first_line) {
  LineList lines(first_line);
  while (table.remaining() >= 2) {
    lines.add(table.number<uint8_t>());
    lines.change(table.number<int8_t>());
  }
  return std::move(lines).finish_open();
}

std::vector<Line> decode_ranges(ByteReader table, uint32_t first_line) {
  constexpr int8_t kNoLine = -128;
  LineList lines(first_line);
  while (table.remaining() >= 2) {
    auto bytes = table.number<uint8_t>();
    auto change = table.number<int8_t>();
    lines.change(change == kNoLine ? 0 : change);
    lines.add(bytes, change != kNoLine);
  }
  return std::move(lines).finish();
}

// Six bits in each byte, least significant first.
uint64_t varint(ByteReader& table) {
  constexpr unsigned kBits = 6;
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 36; shift += kBits) {
    auto byte = table.number<uint8_t>();
    value |= uint64_t{byte & 0x3FU} << shift;
    if ((byte & 0x40U) == 0) {
      return value;
    }
  }
  table.take(table.remaining() + 1);  // too long: damaged
  return 0;
}

int64_t signed_varint(ByteReader& table) {
  uint64_t value = varint(table);
  auto amount = static_cast<int64_t>(value >> 1);
  return (value & 1) != 0 ? -amount : amount;
}

std::vector<Line> decode_locations(ByteReader table, uint32_t first_line) {
  enum : uint8_t { kOneLine = 10, kNoColumns = 13, kLong = 14, kNone = 15 };
  LineList lines(first_line);
  while (!table.at_end()) {
    auto head = table.number<uint8_t>();
    if ((head & 0x80U) == 0) {
      break;
    }
    uint32_t form = head >> 3U & 0xFU;
    uint32_t bytes = 2 * ((head & 7U) + 1);
    if (form == kLong || form == kNoColumns) {
      lines.change(signed_varint(table));
    } else if (form >= kOneLine && form < kNoColumns) {
      lines.change(form - kOneLine);
    }
    for (int column = 0; form == kLong && column < 3; ++column) {  // end: line; two columns
      varint(table);
    }
    if (form < kNoColumns) {
      table.take(form < kOneLine ? 1 : 2);  // columns
    }
    if (!table.ok()) {
      break;
    }
    lines.add(bytes, form != kNone);
  }
  return std::move(lines).finish();
}

}  // namespace

std::vector<Line> decode_lines(Layout::Lines kind, Bytes table, uint32_t first_line) {
  ByteReader reader(table);
  switch (kind) {
    case Layout::Lines::kPairs:
      return decode_pairs(reader, first_line);
    case Layout::Lines::kRanges:
      return decode_ranges(reader, first_line);
    case Layout::Lines::kLocations:
      return decode_locations(reader, first_line);
  }
  return {};
}

}  // namespace wick::python
