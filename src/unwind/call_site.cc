#include "unwind/call_site.h"

#include <cstring>

namespace wick {
namespace {

uint8_t byte_at(Bytes code, size_t from_end) {
  return std::to_integer<uint8_t>(code[code.size() - from_end]);
}

// Length of `FF /2` with its operand, by the two bytes that follow the opcode.
size_t indirect_length(uint8_t modrm, uint8_t sib) {
  unsigned mode = modrm >> 6;
  unsigned memory = modrm & 7;
  if (mode == 3) {
    return 2;
  }
  bool has_sib = memory == 4;
  bool wide_base = mode == 0 && (has_sib ? (sib & 7) == 5 : memory == 5);
  size_t displacement = mode == 1 ? 1 : mode == 2 || wide_base ? 4 : 0;
  return 2 + (has_sib ? 1 : 0) + displacement;
}

CallSite x86_call(Bytes code, uint64_t return_address, uint64_t address_mask) {
  if (code.size() >= 5 && byte_at(code, 5) == 0xE8) {
    int32_t distance = 0;
    std::memcpy(&distance, code.data() + code.size() - 4, sizeof distance);
    uint64_t target = return_address + static_cast<uint64_t>(int64_t{distance});
    return {CallSite::Kind::kDirect, target & address_mask};
  }
  for (size_t length = 2; length <= 7 && length <= code.size(); ++length) {
    uint8_t modrm = byte_at(code, length - 1);
    bool is_call = byte_at(code, length) == 0xFF && (modrm >> 3 & 7) == 2;
    uint8_t sib = length > 2 ? byte_at(code, length - 2) : 0;
    if (is_call && indirect_length(modrm, sib) == length) {
      return {CallSite::Kind::kIndirect, 0};
    }
  }
  return {};
}

CallSite aarch64_call(Bytes code, uint64_t return_address) {
  if (code.size() < 4) {
    return {};
  }
  uint32_t instruction = 0;
  std::memcpy(&instruction, code.data() + code.size() - 4, sizeof instruction);
  if (instruction >> 26 == 0x25) {  // bl
    // 26 bits that count words: moved up to fill 32, then down again with their sign.
    auto distance = static_cast<int32_t>(instruction << 6) >> 4;
    return {CallSite::Kind::kDirect, return_address - 4 + static_cast<uint64_t>(int64_t{distance})};
  }
  // blr, and its forms that check a signature
  bool is_indirect = (instruction & 0xFEFF'F000) == 0xD63F'0000;
  return {is_indirect ? CallSite::Kind::kIndirect : CallSite::Kind::kNone, 0};
}

}  // namespace

CallSite call_before(UnwindArch arch, Bytes code, uint64_t return_address) {
  switch (arch) {
    case UnwindArch::kX86_64:
      return x86_call(code, return_address, UINT64_MAX);
    case UnwindArch::kX86:
      return x86_call(code, return_address, UINT32_MAX);
    case UnwindArch::kAarch64:
      return aarch64_call(code, return_address);
  }
  return {};
}

}  // namespace wick
