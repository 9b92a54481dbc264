// SPDX-License-Identifier: Apache-2.0
#include "formats/jfr/values.h"

#include "base/utf8.h"

namespace wick::jfr {
namespace {

enum TextKind : uint8_t { kNull, kEmpty, kConstant, kUtf8, kChars, kLatin1 };

// Joins pairs of surrogates; a single one becomes the replacement character.
class Utf16 {
 public:
  void add(uint32_t unit) {
    bool is_low = unit >= 0xdc00 && unit < 0xe000;
    if (high_ != 0) {
      append_utf8(text_, is_low ? 0x10000 + ((high_ - 0xd800) << 10) + (unit - 0xdc00) : 0xfffd);
      high_ = 0;
      if (is_low) {
        return;
      }
    }
    if (unit >= 0xd800 && unit < 0xdc00) {
      high_ = unit;
    } else {
      append_utf8(text_, is_low || unit > 0xffff ? 0xfffd : unit);
    }
  }
  std::string finish() {
    if (high_ != 0) {
      append_utf8(text_, 0xfffd);
    }
    return std::move(text_);
  }

 private:
  std::string text_;
  uint32_t high_ = 0;
};

}  // namespace

Bytes ValueReader::take(size_t size) {
  size_t begin = at_;
  skip(size);
  return ok_ ? bytes_.subspan(begin, size) : Bytes();
}

ValueReader::Text ValueReader::text() {
  uint64_t kind = fixed(1);
  if (kind == kConstant) {
    return {.key = integer(8), .is_key = true};
  }
  if (kind == kNull || kind == kEmpty) {
    return {};
  }
  uint64_t length = integer(4);
  if (kind > kLatin1 || length > remaining()) {
    fail();
    return {};
  }
  if (kind == kUtf8) {
    return {.text = std::string(as_text(take(length)))};
  }
  Utf16 units;
  for (uint64_t i = 0; i < length && ok_; ++i) {
    units.add(static_cast<uint32_t>(kind == kLatin1 ? fixed(1) : integer(2)));
  }
  return {.text = units.finish()};
}

void ValueReader::skip_text() {
  uint64_t kind = fixed(1);
  if (kind == kConstant) {
    integer(8);
  } else if (kind == kUtf8 || kind == kLatin1) {
    skip(integer(4));
  } else if (kind == kChars) {
    uint64_t length = integer(4);
    for (uint64_t i = 0; i < length && ok_; ++i) {
      integer(2);
    }
  } else if (kind > kLatin1) {
    fail();
  }
}

}  // namespace wick::jfr
