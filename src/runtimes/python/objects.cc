// SPDX-License-Identifier: Apache-2.0
#include "runtimes/python/objects.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/utf8.h"
#include "runtimes/memory_words.h"

namespace wick::python {
namespace {

constexpr uint64_t kIsBytes = uint64_t{1} << 27;
constexpr uint64_t kIsText = uint64_t{1} << 28;
constexpr std::string_view kEllipsis = "\u2026";
constexpr uint32_t kReplacement = 0xFFFD;

bool is_character(uint32_t code) {
  bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code <= 0x10FFFF && !is_surrogate;
}

template <typename Unit>
std::string utf8_of(Bytes units) {
  std::string text;
  for (size_t at = 0; at < units.size(); at += sizeof(Unit)) {
    uint32_t code = number_at<Unit>(units, at);
    append_utf8(text, is_character(code) ? code : kReplacement);
  }
  return text;
}

std::string utf8_of(Bytes units, size_t width) {
  return width == 1   ? utf8_of<uint8_t>(units)
         : width == 2 ? utf8_of<uint16_t>(units)
                      : utf8_of<uint32_t>(units);
}

}  // namespace

Objects::Type Objects::read_type(uint64_t type) {
  auto flags = read_number<uint64_t>(memory_, type + layout_.type_flags).value_or(0);
  if ((flags & kIsText) != 0) {
    return Type::kText;
  }
  if ((flags & kIsBytes) != 0) {
    return Type::kBytes;
  }
  constexpr std::string_view kCode("code\0", 5);
  std::array<char, kCode.size()> name = {};
  uint64_t name_at = read_number<uint64_t>(memory_, type + layout_.type_name).value_or(0);
  bool is_code = name_at != 0 && memory_.read(name_at, std::as_writable_bytes(std::span(name))) &&
                 std::ranges::equal(name, kCode);
  return is_code ? Type::kCode : Type::kOther;
}

Objects::Type Objects::type_of(uint64_t object) {
  uint64_t address =
      object == 0 ? 0 : read_number<uint64_t>(memory_, object + layout_.type).value_or(0);
  if (address == 0) {
    return Type::kOther;
  }
  if (auto known = types_.find(address); known != types_.end()) {
    return known->second;
  }
  constexpr size_t kMostTypes = 64;
  Type type = read_type(address);
  if (type != Type::kOther && types_.size() < kMostTypes) {
    types_.emplace(address, type);
  }
  return type;
}

bool Objects::is_code(uint64_t object) {
  return type_of(object) == Type::kCode;
}

std::optional<std::string> Objects::text(uint64_t object, size_t max_characters) {
  if (type_of(object) != Type::kText) {
    return {};
  }
  auto length = read_number<uint64_t>(memory_, object + layout_.text_length);
  auto state = read_number<uint32_t>(memory_, object + layout_.text_state);
  if (!length || !state) {
    return {};
  }
  uint32_t bits = *state >> layout_.text_kind_bit;
  size_t width = bits & 7U;
  bool is_compact = (bits & 8U) != 0;
  bool is_ascii = (bits & 16U) != 0;
  if (width != 1 && width != 2 && width != 4) {
    return {};
  }
  uint64_t data = object + (is_ascii ? layout_.ascii_data : layout_.compact_data);
  if (!is_compact) {
    data = read_number<uint64_t>(memory_, object + layout_.text_pointer).value_or(0);
  }
  size_t characters = std::min<uint64_t>(*length, max_characters);
  std::string units(characters * width, '\0');
  if (!memory_.read(data, std::as_writable_bytes(std::span(units)))) {
    return {};
  }
  std::string text = utf8_of(as_bytes(units), width);
  return characters < *length ? text + std::string(kEllipsis) : text;
}

std::optional<std::string> Objects::bytes(uint64_t object, size_t max_bytes) {
  if (type_of(object) != Type::kBytes) {
    return {};
  }
  auto size = read_number<uint64_t>(memory_, object + layout_.bytes_size);
  if (!size || *size > max_bytes) {
    return {};
  }
  std::string bytes(*size, '\0');
  if (!memory_.read(object + layout_.bytes_data, std::as_writable_bytes(std::span(bytes)))) {
    return {};
  }
  return bytes;
}

}  // namespace wick::python
