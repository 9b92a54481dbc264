// SPDX-License-Identifier: Apache-2.0
#include "kernel_records/attr.h"

#include <algorithm>

namespace wick::kernel_records {
namespace {

constexpr uint32_t kFirstAttrBytes = 64;  // the size if a kernel left the field at zero

uint64_t reverse_bits_of_bytes(uint64_t value) {
  value = (value >> 1 & 0x5555555555555555ULL) | (value & 0x5555555555555555ULL) << 1;
  value = (value >> 2 & 0x3333333333333333ULL) | (value & 0x3333333333333333ULL) << 2;
  return (value >> 4 & 0x0F0F0F0F0F0F0F0FULL) | (value & 0x0F0F0F0F0F0F0F0FULL) << 4;
}

// Reads fields at fixed offsets; a field beyond the end is zero.
class FieldLoader {
 public:
  FieldLoader(Bytes bytes, ByteOrder order) : bytes_(bytes), order_(order) {}

  template <typename T>
  T at(size_t offset) const {
    return offset + sizeof(T) <= bytes_.size() ? load<T>(bytes_.data() + offset, order_) : T{0};
  }
  // The bytes in stored order, whatever the byte order.
  uint64_t bit_field_at(size_t offset) const {
    if (offset + 8 > bytes_.size()) {
      return 0;
    }
    uint64_t bits = load<uint64_t>(bytes_.data() + offset, ByteOrder::kLittle);
    return order_ == ByteOrder::kLittle ? bits : reverse_bits_of_bytes(bits);
  }

 private:
  Bytes bytes_;
  ByteOrder order_;
};

}  // namespace

uint32_t stored_attr_size(Bytes bytes, ByteOrder order) {
  if (bytes.size() < 8) {
    return 0;
  }
  auto size = load<uint32_t>(bytes.data() + 4, order);
  return size == 0 ? kFirstAttrBytes : size;
}

EventAttr parse_attr(Bytes bytes, ByteOrder order) {
  bytes = bytes.first(std::min<size_t>(bytes.size(), stored_attr_size(bytes, order)));
  FieldLoader fields(bytes, order);
  return {.type = fields.at<uint32_t>(0),
          .config = fields.at<uint64_t>(8),
          .period_or_frequency = fields.at<uint64_t>(16),
          .sample_type = fields.at<uint64_t>(24),
          .read_format = fields.at<uint64_t>(32),
          .flags = fields.bit_field_at(40),
          .breakpoint_type = fields.at<uint32_t>(52),
          .breakpoint_address = fields.at<uint64_t>(56),
          .breakpoint_length = fields.at<uint64_t>(64),
          .branch_sample_type = fields.at<uint64_t>(72),
          .user_registers = fields.at<uint64_t>(80),
          .user_stack_bytes = fields.at<uint32_t>(88),
          .clock_id = static_cast<int32_t>(fields.at<uint32_t>(92)),
          .interrupt_registers = fields.at<uint64_t>(96)};
}

}  // namespace wick::kernel_records
