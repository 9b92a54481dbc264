// SPDX-License-Identifier: Apache-2.0
#include "formats/otlp/shape.h"

namespace wick::otlp {

void Shape::add_profile(Bytes profile) {
  for (ProtoReader fields(profile); fields.next();) {
    if (fields.field() == 3 && fields.kind() != ProtoKind::kFixed64) {
      is_ancient_ = true;
    } else if (fields.is(2, ProtoKind::kBytes)) {
      add_sample(fields.bytes());
    }
  }
}

void Shape::add_sample(Bytes sample) {
  bool has_list = false;
  bool has_moved = false;
  bool has_times = false;
  bool is_outside = false;
  for (ProtoReader fields(sample); fields.next();) {
    bool is_list = fields.kind() == ProtoKind::kBytes;
    switch (fields.field()) {
      case 2:
        has_list = true;
        for (ProtoNumbers numbers(fields); numbers.next();) {
          is_outside = is_outside || numbers.value() >= dictionary_.attribute_count();
        }
        break;
      case 3:
        (is_list ? has_old_fields_ : has_new_fields_) = true;
        has_moved = true;
        break;
      case 4:
        (is_list ? has_new_fields_ : has_old_fields_) = true;
        has_moved = true;
        break;
      case 5:
        has_times = true;
        break;
      default:
        break;
    }
  }
  if (has_list && !has_moved) {
    (is_outside || !has_times ? has_only_values_ : has_ambiguous_) = true;
  }
}

Version Shape::version() const {
  if (is_ancient_) {
    return Version::kAncient;
  }
  bool is_old = has_old_fields_ || has_only_values_;
  if (is_old && has_new_fields_) {
    return Version::kUndecided;
  }
  if (is_old) {
    return Version::kOld;
  }
  return has_new_fields_ || !has_ambiguous_ ? Version::kNew : Version::kUndecided;
}

}  // namespace wick::otlp
