// SPDX-License-Identifier: Apache-2.0
// Recognises the message by the structure of its first bytes. The head may end anywhere inside nested
// messages, so a field that is longer than the rest is examined as far as it goes.
#include <algorithm>

#include "formats/otlp/message.h"
#include "formats/otlp/otlp.h"

namespace wick::otlp {
namespace {

// Calls accept(number, kind, bytes) for each field. False if it is, or if bytes are not fields.
template <typename Accept>
bool all_fields(Bytes bytes, Accept accept) {
  constexpr uint64_t kBytesKind = 2;
  ByteReader reader(bytes);
  auto varint = [&] {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && reader.ok(); shift += 7) {
      auto byte = reader.number<uint8_t>();
      value |= uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) {
        break;
      }
    }
    return value;
  };
  while (!reader.at_end()) {
    uint64_t key = varint();
    uint64_t kind = key & 7U;
    uint64_t value = kind == 0 || kind == kBytesKind ? varint() : 0;
    if (!reader.ok()) {
      return true;  // the head ends here
    }
    Bytes content;
    if (kind == kBytesKind) {
      content = reader.take(static_cast<size_t>(std::min<uint64_t>(value, reader.remaining())));
    } else if (kind == 1 || kind == 5) {
      reader.take(kind == 1 ? 8 : 4);
    } else if (kind != 0) {
      return false;
    }
    if (!accept(key >> 3U, kind == kBytesKind, content)) {
      return false;
    }
  }
  return true;
}

class Sniffer {
 public:
  bool is_data(Bytes head) {
    return all_fields(head,
                      [&](uint64_t field, bool is_message, Bytes bytes) {
                        return is_message && ((field == 1 && is_resource(bytes)) ||
                                              (field == 2 && is_dictionary(bytes)));
                      }) &&
           has_evidence_;
  }

 private:
  bool is_resource(Bytes bytes) {
    return all_fields(bytes, [&](uint64_t field, bool is_message, Bytes inner) {
      return is_message && field >= 1 && field <= 3 && (field != 2 || is_scope(inner));
    });
  }
  bool is_scope(Bytes bytes) {
    return all_fields(bytes, [&](uint64_t field, bool is_message, Bytes inner) {
      return is_message && field >= 1 && field <= 3 && (field != 2 || is_profile(inner));
    });
  }
  bool is_profile(Bytes bytes) {
    constexpr uint64_t kLastField = 14;
    has_evidence_ = true;
    return all_fields(bytes, [](uint64_t field, bool is_message, Bytes inner) {
      return field >= 1 && field <= kLastField && (field > 2 || is_message) &&
             (field != 1 || is_value_type(inner));
    });
  }
  static bool is_value_type(Bytes bytes) {
    return all_fields(bytes, [](uint64_t field, bool is_message, Bytes) {
      return field >= 1 && field <= 3 && !is_message;
    });
  }
  bool is_dictionary(Bytes bytes) {
    constexpr uint64_t kLastTable = 7;
    return all_fields(bytes, [&](uint64_t field, bool is_message, Bytes) {
      has_evidence_ = true;
      return field >= 1 && field <= kLastTable && is_message;
    });
  }

  bool has_evidence_ = false;
};

}  // namespace

bool sniff(Bytes head) {
  return Sniffer().is_data(head);
}

}  // namespace wick::otlp
