// SPDX-License-Identifier: Apache-2.0
// DwarfCursor: reads DWARF's numbers from untrusted bytes, quickly.
//
// It works like ByteReader (base/bytes.h): a read past the end gives zero, every later read fails
// too, and the caller checks ok() once. In addition it knows DWARF's encodings: signed and unsigned
// LEB128 of any length, and the pointers of .eh_frame (DW_EH_PE_*). It is inline down to the byte,
// because compiling CFI reads some hundred million bytes a second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "base/bytes.h"

namespace wick {

// The encoding of a pointer in .eh_frame: the low four bits give its size, the next three its base,
// and the top bit says that this is the address of the pointer.
namespace eh_pointer {
inline constexpr uint8_t kAbsolute = 0x00;  // an address of the machine's size
inline constexpr uint8_t kUleb = 0x01;
inline constexpr uint8_t kUdata2 = 0x02;
inline constexpr uint8_t kUdata4 = 0x03;
inline constexpr uint8_t kUdata8 = 0x04;
inline constexpr uint8_t kSleb = 0x09;
inline constexpr uint8_t kSdata2 = 0x0A;
inline constexpr uint8_t kSdata4 = 0x0B;
inline constexpr uint8_t kSdata8 = 0x0C;
inline constexpr uint8_t kSizeMask = 0x0F;

inline constexpr uint8_t kToPc = 0x10;        // relative to its own address
inline constexpr uint8_t kToText = 0x20;      // to the text section
inline constexpr uint8_t kToData = 0x30;      // to the data section (.eh_frame_hdr or the GOT)
inline constexpr uint8_t kToFunction = 0x40;  // to the function
inline constexpr uint8_t kAligned = 0x50;     // absolute, at the next multiple of its size
inline constexpr uint8_t kBaseMask = 0x70;
inline constexpr uint8_t kIndirect = 0x80;
inline constexpr uint8_t kOmit = 0xFF;
}  // namespace eh_pointer

class DwarfCursor {
 public:
  DwarfCursor() = default;
  explicit DwarfCursor(Bytes bytes)
      : at_(bytes.data()), begin_(bytes.data()), end_(bytes.data() + bytes.size()) {}

  bool ok() const { return ok_; }
  bool at_end() const { return at_ == end_; }
  size_t remaining() const { return static_cast<size_t>(end_ - at_); }
  size_t offset() const { return static_cast<size_t>(at_ - begin_); }
  const std::byte* here() const { return at_; }

  template <typename T>
  T number() {
    static_assert(std::is_integral_v<T>);
    if (remaining() < sizeof(T)) [[unlikely]] {
      fail();
      return 0;
    }
    T value;
    std::memcpy(&value, at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  // Little-endian unsigned number of 1, 2, 4 or 8 bytes.
  uint64_t unsigned_of(size_t size) {
    switch (size) {
      case 1:
        return number<uint8_t>();
      case 2:
        return number<uint16_t>();
      case 4:
        return number<uint32_t>();
      case 8:
        return number<uint64_t>();
      default:
        fail();
        return 0;
    }
  }

  // Drops bits beyond 64, as every reader does.
  uint64_t uleb() {
    if (at_ != end_ && static_cast<uint8_t>(*at_) < 0x80) [[likely]] {
      return static_cast<uint8_t>(*at_++);
    }
    // The codes of abbreviations in large units have two bytes.
    if (end_ - at_ >= 2 && static_cast<uint8_t>(at_[1]) < 0x80) {
      uint64_t value = (static_cast<uint64_t>(at_[0]) & 0x7FU) | static_cast<uint64_t>(at_[1])
                                                                     << 7U;
      at_ += 2;
      return value;
    }
    return long_leb().value;
  }
  int64_t sleb() {
    Leb leb = long_leb();
    bool is_negative = (leb.last & 0x40U) != 0 && leb.bits < 64;
    return static_cast<int64_t>(is_negative ? leb.value | ~uint64_t{0} << leb.bits : leb.value);
  }

  Bytes take(uint64_t size) {
    if (size > remaining()) [[unlikely]] {
      fail();
      return {};
    }
    Bytes taken(at_, static_cast<size_t>(size));
    at_ += size;
    return taken;
  }
  void skip(uint64_t size) {
    if (size > remaining()) [[unlikely]] {
      fail();
      return;
    }
    at_ += size;
  }
  // Text up to its NUL; skips the NUL, too.
  std::string_view text() {
    const void* nul = at_ == end_ ? nullptr : std::memchr(at_, 0, remaining());
    if (nul == nullptr) {
      fail();
      return {};
    }
    size_t size = static_cast<size_t>(static_cast<const std::byte*>(nul) - at_);
    std::string_view found = as_text(Bytes(at_, size));
    at_ += size + 1;
    return found;
  }

  void fail() {
    ok_ = false;
    at_ = end_;
  }

 private:
  // A number in groups of seven bits, lowest first; the top bit of a byte says that another
  // follows. All zero when the bytes end before the number does.
  struct Leb {
    uint64_t value = 0;
    unsigned bits = 0;
    uint8_t last = 0;  // byte
  };
  Leb long_leb() {
    Leb leb;
    while (at_ != end_) [[likely]] {
      leb.last = static_cast<uint8_t>(*at_++);
      if (leb.bits < 64) {
        leb.value |= uint64_t{leb.last & 0x7FU} << leb.bits;
        leb.bits += 7;
      }
      if ((leb.last & 0x80U) == 0) {
        return leb;
      }
    }
    fail();
    return {};
  }

  const std::byte* at_ = nullptr;
  const std::byte* begin_ = nullptr;
  const std::byte* end_ = nullptr;
  bool ok_ = true;
};

// The bases of encoded pointers, as linked addresses.
struct EhPointerBases {
  uint64_t section = 0;  // address of the cursor's first byte
  uint64_t text = 0;
  uint64_t data = 0;
  uint64_t function = 0;
  uint8_t address_size = 8;
};

// Reads a pointer in the given encoding. For an indirect one, returns the address of the pointer.
inline uint64_t read_eh_pointer(DwarfCursor& cursor,
                                uint8_t encoding,
                                const EhPointerBases& bases) {
  if (encoding == eh_pointer::kOmit) {
    return 0;
  }
  uint64_t here = bases.section + cursor.offset();
  if ((encoding & eh_pointer::kBaseMask) == eh_pointer::kAligned) {
    uint64_t padding = (bases.address_size - here % bases.address_size) % bases.address_size;
    cursor.skip(padding);
    return cursor.unsigned_of(bases.address_size);
  }
  uint64_t value = 0;
  switch (encoding & eh_pointer::kSizeMask) {
    case eh_pointer::kAbsolute:
      value = cursor.unsigned_of(bases.address_size);
      break;
    case eh_pointer::kUleb:
      value = cursor.uleb();
      break;
    case eh_pointer::kUdata2:
      value = cursor.number<uint16_t>();
      break;
    case eh_pointer::kUdata4:
      value = cursor.number<uint32_t>();
      break;
    case eh_pointer::kUdata8:
      value = cursor.number<uint64_t>();
      break;
    case eh_pointer::kSleb:
      value = static_cast<uint64_t>(cursor.sleb());
      break;
    case eh_pointer::kSdata2:
      value = static_cast<uint64_t>(int64_t{cursor.number<int16_t>()});
      break;
    case eh_pointer::kSdata4:
      value = static_cast<uint64_t>(int64_t{cursor.number<int32_t>()});
      break;
    case eh_pointer::kSdata8:
      value = cursor.number<uint64_t>();
      break;
    default:
      cursor.fail();
      return 0;
  }
  switch (encoding & eh_pointer::kBaseMask) {
    case 0:
      break;
    case eh_pointer::kToPc:
      value += here;
      break;
    case eh_pointer::kToText:
      value += bases.text;
      break;
    case eh_pointer::kToData:
      value += bases.data;
      break;
    case eh_pointer::kToFunction:
      value += bases.function;
      break;
    default:
      cursor.fail();
      return 0;
  }
  return bases.address_size == 4 ? value & 0xFFFF'FFFF : value;
}

}  // namespace wick
