// SPDX-License-Identifier: Apache-2.0
#include "base/utf8.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace wick {
namespace {

struct Range {
  uint32_t first;
  uint32_t last;
};

// Only the blocks that occur in real names. If a terminal disagrees, a column shifts and no more.
constexpr std::array<Range, 7> kCombining = {{{0x0300, 0x036F},
                                              {0x0483, 0x0489},
                                              {0x0591, 0x05BD},
                                              {0x1AB0, 0x1AFF},
                                              {0x200B, 0x200F},
                                              {0x20D0, 0x20FF},
                                              {0xFE00, 0xFE0F}}};
constexpr std::array<Range, 8> kWide = {{{0x1100, 0x115F},
                                         {0x2E80, 0xA4CF},
                                         {0xAC00, 0xD7A3},
                                         {0xF900, 0xFAFF},
                                         {0xFE30, 0xFE6F},
                                         {0xFF00, 0xFF60},
                                         {0x1F300, 0x1FAFF},
                                         {0x20000, 0x3FFFD}}};

template <size_t N>
bool in_ranges(const std::array<Range, N>& ranges, uint32_t code) {
  return std::ranges::any_of(ranges, [&](Range r) { return code >= r.first && code <= r.last; });
}

uint32_t byte_at(std::string_view text, size_t index) {
  return static_cast<unsigned char>(text[index]);
}

// The length of a sequence, from its first byte; 0 for a byte that cannot start one.
size_t sequence_length(uint32_t lead) {
  if (lead < 0x80) {
    return 1;
  }
  if (lead >= 0xC2 && lead < 0xE0) {
    return 2;
  }
  if (lead >= 0xE0 && lead < 0xF0) {
    return 3;
  }
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

bool is_well_formed(uint32_t code, size_t length) {
  constexpr std::array<uint32_t, 5> kSmallest = {0, 0, 0x80, 0x800, 0x10000};
  bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code >= kSmallest[length] && code <= 0x10FFFF && !surrogate;
}

}  // namespace

Utf8Char Utf8Cursor::next() {
  uint32_t lead = byte_at(rest_, 0);
  size_t length = sequence_length(lead);
  uint32_t code = length <= 1 ? lead : lead & (0x7FU >> length);
  bool valid = length > 0 && length <= rest_.size();
  for (size_t i = 1; valid && i < length; ++i) {
    uint32_t byte = byte_at(rest_, i);
    valid = (byte & 0xC0U) == 0x80;
    code = (code << 6) | (byte & 0x3FU);
  }
  valid = valid && is_well_formed(code, length);
  size_t taken = valid ? length : 1;
  Utf8Char result{valid ? code : lead, rest_.substr(0, taken), valid};
  rest_.remove_prefix(taken);
  return result;
}

void append_utf8(std::string& out, uint32_t code) {
  auto put = [&](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xC0U | (code >> 6));
    put(0x80U | (code & 0x3FU));
  } else if (code < 0x10000) {
    put(0xE0U | (code >> 12));
    put(0x80U | ((code >> 6) & 0x3FU));
    put(0x80U | (code & 0x3FU));
  } else {
    put(0xF0U | (code >> 18));
    put(0x80U | ((code >> 12) & 0x3FU));
    put(0x80U | ((code >> 6) & 0x3FU));
    put(0x80U | (code & 0x3FU));
  }
}

std::string valid_utf8(std::string_view text) {
  constexpr uint32_t kReplacement = 0xFFFD;
  std::string valid;
  valid.reserve(text.size());
  Utf8Cursor cursor(text);
  while (!cursor.at_end()) {
    Utf8Char next = cursor.next();
    if (next.valid) {
      valid += next.bytes;
    } else {
      append_utf8(valid, kReplacement);
    }
  }
  return valid;
}

int display_columns(uint32_t code) {
  if (code < 0x300) {
    return 1;
  }
  if (in_ranges(kCombining, code)) {
    return 0;
  }
  return in_ranges(kWide, code) ? 2 : 1;
}

size_t display_columns(std::string_view text) {
  size_t columns = 0;
  for (Utf8Cursor cursor(text); !cursor.at_end();) {
    columns += static_cast<size_t>(display_columns(cursor.next().code));
  }
  return columns;
}

}  // namespace wick
