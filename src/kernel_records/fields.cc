// SPDX-License-Identifier: Apache-2.0
#include "kernel_records/fields.h"

namespace wick::kernel_records {

std::string_view text_before_nul(Bytes bytes) {
  std::string_view text = as_text(bytes);
  return text.substr(0, text.find('\0'));
}

std::string_view FieldReader::fixed_text(size_t size) {
  return text_before_nul(take(size));
}

std::string_view FieldReader::terminated_text() {
  ByteReader ahead = reader_;
  std::string_view text = text_before_nul(ahead.take(ahead.remaining()));
  take(text.size());
  take(1);  // fails if there is no NUL
  return ok() ? text : std::string_view();
}

}  // namespace wick::kernel_records
