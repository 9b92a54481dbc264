// SPDX-License-Identifier: Apache-2.0
// Recognises the message by its structure: every field has a number and a kind that the format has,
// and the rows that fit into the head consist of such fields, too. Texts and other messages fail
// after a few bytes.
#include <array>

#include "base/protobuf.h"
#include "formats/pprof/pprof.h"

namespace wick::pprof {
namespace {

// The number of the last field of a row that contains only numbers: ValueType, Mapping, Function.
constexpr std::array<uint32_t, 16> kLastNumber = {0, 2, 0, 10, 0, 5, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0};

bool has_numbers_only(Bytes row, uint32_t last_field) {
  ProtoReader fields(row);
  while (fields.next()) {
    if (fields.kind() != ProtoKind::kNumber || fields.field() > last_field) {
      return false;
    }
  }
  return fields.ok();
}

bool is_sample(Bytes row) {
  ProtoReader fields(row);
  while (fields.next()) {
    bool is_list = fields.field() <= 2 &&
                   (fields.kind() == ProtoKind::kNumber || fields.kind() == ProtoKind::kBytes);
    bool is_label = fields.is(3, ProtoKind::kBytes) && has_numbers_only(fields.bytes(), 4);
    if (!is_list && !is_label) {
      return false;
    }
  }
  return fields.ok();
}

bool is_location(Bytes row) {
  ProtoReader fields(row);
  while (fields.next()) {
    bool is_line = fields.is(4, ProtoKind::kBytes) && has_numbers_only(fields.bytes(), 3);
    bool is_number =
        fields.kind() == ProtoKind::kNumber && fields.field() <= 5 && fields.field() != 4;
    if (!is_line && !is_number) {
      return false;
    }
  }
  return fields.ok();
}

bool is_field_of_profile(const ProtoReader& field) {
  uint32_t number = field.field();
  if (field.kind() == ProtoKind::kNumber) {
    return (number >= 7 && number <= 10) || (number >= 12 && number <= 15);
  }
  if (field.kind() != ProtoKind::kBytes) {
    return false;
  }
  switch (number) {
    case 2:
      return is_sample(field.bytes());
    case 4:
      return is_location(field.bytes());
    case 6:
    case 13:
      return true;
    default:
      return number < kLastNumber.size() && kLastNumber[number] != 0 &&
             has_numbers_only(field.bytes(), kLastNumber[number]);
  }
}

// The field that the end of the head cuts must at least be one of the format.
bool is_cut_field(Bytes rest) {
  uint32_t key = rest.empty() ? 0 : static_cast<uint32_t>(rest[0]);
  return rest.size() < 2 || (key < 128 && key >> 3U != 0 && ((key & 7U) == 0 || (key & 7U) == 2));
}

}  // namespace

bool sniff(Bytes head) {
  ProtoReader fields(head);
  bool has_rows = false;
  while (fields.next()) {
    if (!is_field_of_profile(fields)) {
      return false;
    }
    has_rows = has_rows || fields.field() <= 5;
  }
  return has_rows && is_cut_field(head.last(fields.remaining()));
}

}  // namespace wick::pprof
