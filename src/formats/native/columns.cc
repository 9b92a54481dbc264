// SPDX-License-Identifier: Apache-2.0
#include "formats/native/columns.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace wick::native {
namespace {

// The narrowest of 1, 2, 4 and 8 bytes that holds the word.
size_t width_of(uint64_t word) {
  return std::bit_ceil((static_cast<size_t>(std::bit_width(word | 1)) + 7) / 8);
}

void append_words(std::string& out, std::span<const uint64_t> words, size_t width) {
  for (uint64_t word : words) {
    char raw[8];
    std::memcpy(raw, &word, 8);
    out.append(raw, width);
  }
}

std::string delta_bytes(std::span<const uint64_t> words) {
  ByteWriter writer;
  uint64_t previous = 0;
  for (uint64_t word : words) {
    writer.signed_varint(static_cast<int64_t>(word - previous));
    previous = word;
  }
  return std::move(writer.bytes());
}

uint64_t word_at(Bytes data, size_t width) {
  uint64_t word = 0;
  std::memcpy(&word, data.data(), width);
  return word;
}

bool is_width(uint8_t width) {
  return width == 1 || width == 2 || width == 4 || width == 8;
}

}  // namespace

void PayloadWriter::start(uint16_t column, Encoding encoding, size_t width, size_t size) {
  out_.number(column);
  out_.number(static_cast<uint8_t>(encoding));
  out_.number(static_cast<uint8_t>(width));
  out_.number(static_cast<uint32_t>(size));
}

void PayloadWriter::words(uint16_t column, std::span<const uint64_t> words) {
  CHECK(!words.empty());
  size_t width = width_of(std::ranges::max(words));
  if (std::ranges::all_of(words, [&](uint64_t word) { return word == words.front(); })) {
    start(column, Encoding::kConstant, width, width);
    append_words(out_.bytes(), words.first(1), width);
    return;
  }
  std::string deltas = delta_bytes(words);
  if (deltas.size() < words.size() * width) {
    start(column, Encoding::kDelta, 0, deltas.size());
    out_.text(deltas);
  } else {
    start(column, Encoding::kPlain, width, words.size() * width);
    append_words(out_.bytes(), words, width);
  }
}

void PayloadWriter::bytes(uint16_t column, std::string_view bytes) {
  start(column, Encoding::kBytes, 0, bytes.size());
  out_.text(bytes);
}

Result<PayloadReader> PayloadReader::open(Bytes payload, uint32_t rows) {
  PayloadReader result;
  result.rows_ = rows;
  ByteReader reader(payload);
  while (!reader.at_end()) {
    Column column;
    column.number = reader.number<uint16_t>();
    column.encoding = static_cast<Encoding>(reader.number<uint8_t>());
    column.width = reader.number<uint8_t>();
    column.data = reader.take(reader.number<uint32_t>());
    if (!reader.ok()) {
      return fail("column {} is longer than the part it is in", column.number);
    }
    if (result.columns_.size() == kMaxColumns) {
      return fail("it has more than {} columns", kMaxColumns);
    }
    if (std::ranges::find(result.columns_, column.number, &Column::number) !=
        result.columns_.end()) {
      return fail("it has column {} twice", column.number);
    }
    result.columns_.push_back(column);
  }
  return result;
}

Result<PayloadReader::Column> PayloadReader::take(uint16_t number) {
  auto column = std::ranges::find(columns_, number, &Column::number);
  if (column == columns_.end()) {
    return fail("column {} is missing", number);
  }
  column->read = true;
  return *column;
}

bool PayloadReader::has(uint16_t column) const {
  return std::ranges::find(columns_, column, &Column::number) != columns_.end();
}

Result<Bytes> PayloadReader::bytes(uint16_t column) {
  Column found = TRY(take(column));
  if (found.encoding != Encoding::kBytes) {
    return fail("column {} has an encoding this wick does not know", column);
  }
  return found.data;
}

Result<> PayloadReader::words(uint16_t column, std::vector<uint64_t>& words) {
  Column found = TRY(take(column));
  words.resize(rows_);
  bool fits = false;
  switch (found.encoding) {
    case Encoding::kConstant:
      fits = is_width(found.width) && found.data.size() == found.width;
      if (fits) {
        std::ranges::fill(words, word_at(found.data, found.width));
      }
      break;
    case Encoding::kPlain:
      fits = is_width(found.width) && found.data.size() == size_t{rows_} * found.width;
      for (size_t row = 0; fits && row < rows_; ++row) {
        words[row] = word_at(found.data.subspan(row * found.width), found.width);
      }
      break;
    case Encoding::kDelta: {
      ByteReader reader(found.data);
      uint64_t previous = 0;
      for (uint64_t& word : words) {
        previous += static_cast<uint64_t>(reader.signed_varint());
        word = previous;
      }
      fits = reader.ok() && reader.at_end();
      break;
    }
    default:
      return fail("column {} has an encoding this wick does not know", column);
  }
  if (!fits) {
    return fail("column {} does not hold {} values", column, rows_);
  }
  return {};
}

std::vector<uint16_t> PayloadReader::unread() const {
  std::vector<uint16_t> numbers;
  for (const Column& column : columns_) {
    if (!column.read) {
      numbers.push_back(column.number);
    }
  }
  return numbers;
}

}  // namespace wick::native
