// SPDX-License-Identifier: Apache-2.0
// Protocol buffers as bytes: the only code in wick that reads and writes them.
//
// A message is a sequence of fields: a key (number << 3 | kind), then a varint (kind 0), 8 bytes
// (1), a length and bytes (2), or 4 bytes (5). Messages inside of messages, texts and packed lists
// of numbers are all "bytes"; only the format knows which. A list of numbers may be packed or not.
//
// Messages come from untrusted files. ProtoReader never reads past their end. After the first byte
// that is not a field it stops, and ok() is false. It allocates nothing.
//
// ProtoWriter appends fields to a string. Fields with their default value (0, empty) are omitted,
// as protobuf 3 does. docs/decisions/0034-own-protobuf.md says why this is not a library.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace wick {

enum class ProtoKind : uint8_t {
  kNumber = 0,
  kFixed64 = 1,
  kBytes = 2,
  kFixed32 = 5,
};

class ProtoReader {
 public:
  explicit ProtoReader(Bytes message)
      : at_(reinterpret_cast<const uint8_t*>(message.data())), end_(at_ + message.size()) {}

  // The next field. False at the end, and after damage.
  bool next();
  // Whether all bytes so far were fields.
  bool ok() const { return ok_; }
  // Bytes of the message that are not read yet: 0 at the end, the damaged rest after damage.
  size_t remaining() const { return static_cast<size_t>(end_ - at_); }

  uint32_t field() const { return field_; }
  ProtoKind kind() const { return kind_; }
  bool is(uint32_t field, ProtoKind kind) const { return field_ == field && kind_ == kind; }
  uint64_t number() const { return number_; }
  int64_t signed_number() const { return static_cast<int64_t>(number_); }
  Bytes bytes() const { return bytes_; }

 private:
  friend class ProtoNumbers;
  static bool take_varint(const uint8_t*& at, const uint8_t* end, uint64_t& value) {
    if (at != end && *at < 0x80) [[likely]] {
      value = *at++;
      return true;
    }
    return take_long_varint(at, end, value);
  }
  static bool take_long_varint(const uint8_t*& at, const uint8_t* end, uint64_t& value);
  bool take_fixed(size_t size);
  bool take_bytes();

  const uint8_t* at_;
  const uint8_t* end_;
  bool ok_ = true;
  uint32_t field_ = 0;
  ProtoKind kind_ = ProtoKind::kNumber;
  uint64_t number_ = 0;
  Bytes bytes_;
};

// The numbers of a list field, packed or not.
//
//     for (ProtoNumbers numbers(fields); numbers.next();) use(numbers.value());
class ProtoNumbers {
 public:
  explicit ProtoNumbers(const ProtoReader& field)
      : at_(reinterpret_cast<const uint8_t*>(field.bytes().data())),
        end_(at_ + field.bytes().size()),
        single_(field.kind() == ProtoKind::kNumber),
        value_(field.number()),
        ok_(field.kind() == ProtoKind::kNumber || field.kind() == ProtoKind::kBytes) {}

  bool next() {
    if (single_) {
      single_ = false;
      return true;
    }
    if (at_ == end_ || !ok_) {
      return false;
    }
    ok_ = ProtoReader::take_varint(at_, end_, value_);
    return ok_;
  }
  // False if the packed bytes are not numbers.
  bool ok() const { return ok_; }
  uint64_t value() const { return value_; }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
  bool single_;
  uint64_t value_;
  bool ok_;
};

class ProtoWriter {
 public:
  void number(uint32_t field, uint64_t value) {
    if (value != 0) {
      always_number(field, value);
    }
  }
  // Also writes 0: a member of a oneof.
  void always_number(uint32_t field, uint64_t value) {
    key(field, ProtoKind::kNumber);
    varint(value);
  }
  void signed_number(uint32_t field, int64_t value) { number(field, static_cast<uint64_t>(value)); }
  void real(uint32_t field, double value) {
    key(field, ProtoKind::kFixed64);
    auto bits = std::bit_cast<uint64_t>(value);
    bytes_.append(reinterpret_cast<const char*>(&bits), sizeof(bits));
  }
  void text(uint32_t field, std::string_view text) {
    if (!text.empty()) {
      message(field, text);
    }
  }
  // A message, which may be empty, or bytes.
  void message(uint32_t field, std::string_view bytes) {
    key(field, ProtoKind::kBytes);
    varint(bytes.size());
    bytes_ += bytes;
  }
  void message(uint32_t field, const ProtoWriter& inner) { message(field, inner.bytes_); }
  // A packed list.
  void numbers(uint32_t field, std::span<const uint64_t> values);

  // The fields of another writer.
  void append(const ProtoWriter& other) { bytes_ += other.bytes_; }

  const std::string& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }

 private:
  void key(uint32_t field, ProtoKind kind) {
    varint(uint64_t{field} << 3U | static_cast<uint64_t>(kind));
  }
  void varint(uint64_t value) {
    while (value >= 0x80) {
      bytes_.push_back(static_cast<char>(value | 0x80));
      value >>= 7U;
    }
    bytes_.push_back(static_cast<char>(value));
  }

  std::string bytes_;
};

}  // namespace wick
