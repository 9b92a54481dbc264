#include "base/bytes.h"

namespace wick {

uint64_t ByteReader::varint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    auto byte = number<uint8_t>();
    if (!ok_) {
      return 0;
    }
    uint64_t bits = byte & 0x7FU;
    if (shift == 63 && bits > 1) {
      break;  // would not fit 64 bits
    }
    value |= bits << shift;
    if ((byte & 0x80U) == 0) {
      return value;
    }
  }
  ok_ = false;
  rest_ = {};
  return 0;
}

void ByteWriter::varint(uint64_t value) {
  while (value >= 0x80) {
    bytes_.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  bytes_.push_back(static_cast<char>(value));
}

}  // namespace wick
