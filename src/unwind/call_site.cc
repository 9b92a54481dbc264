#include "unwind/call_site.h"

#include <cstring>
#include <string_view>

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

bool is_indirect_call(Bytes code) {
  for (size_t length = 2; length <= 7 && length <= code.size(); ++length) {
    uint8_t modrm = byte_at(code, length - 1);
    bool is_call = byte_at(code, length) == 0xFF && (modrm >> 3 & 7) == 2;
    uint8_t sib = length > 2 ? byte_at(code, length - 2) : 0;
    if (is_call && indirect_length(modrm, sib) == length) {
      return true;
    }
  }
  return false;
}

int32_t last_distance(Bytes code) {
  int32_t distance = 0;
  std::memcpy(&distance, code.data() + code.size() - sizeof distance, sizeof distance);
  return distance;
}

// call *slot(%rip), which 32-bit code does not have.
bool is_call_by_slot(Bytes code, uint64_t address_mask) {
  return address_mask == UINT64_MAX && code.size() >= 6 && byte_at(code, 6) == 0xFF &&
         byte_at(code, 5) == 0x15;
}

// Read backwards, bytes may be either; then nobody can know the target.
CallSite x86_call(Bytes code, uint64_t return_address, uint64_t address_mask) {
  if (is_call_by_slot(code, address_mask)) {
    uint64_t slot = return_address + static_cast<uint64_t>(int64_t{last_distance(code)});
    return {CallSite::Kind::kIndirect, 0, slot};
  }
  if (is_indirect_call(code)) {
    return {CallSite::Kind::kIndirect};
  }
  if (code.size() < 5 || byte_at(code, 5) != 0xE8) {
    return {};
  }
  uint64_t target = return_address + static_cast<uint64_t>(int64_t{last_distance(code)});
  return {CallSite::Kind::kDirect, target & address_mask};
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
  return {is_indirect ? CallSite::Kind::kIndirect : CallSite::Kind::kNone};
}

template <typename Distance>
uint64_t jump_target(Bytes code, size_t at, uint64_t address) {
  Distance distance = 0;
  std::memcpy(&distance, code.data() + at, sizeof distance);
  return address + at + sizeof distance + static_cast<uint64_t>(int64_t{distance});
}

// Where the jump at code[at] leads, if it is one that names its target; else 0.
uint64_t x86_jump(Bytes code, size_t at, uint64_t address) {
  size_t left = code.size() - at;
  uint8_t first = std::to_integer<uint8_t>(code[at]);
  bool is_short = first == 0xEB || first >> 4 == 7;
  if (is_short && left >= 2) {
    return jump_target<int8_t>(code, at + 1, address);
  }
  if (first == 0xE9 && left >= 5) {
    return jump_target<int32_t>(code, at + 1, address);
  }
  bool is_conditional =
      first == 0x0F && left >= 6 && std::to_integer<uint8_t>(code[at + 1]) >> 4 == 8;
  return is_conditional ? jump_target<int32_t>(code, at + 2, address) : 0;
}

// Every byte is tried: what is taken for a jump by mistake hardly ever leads to the right place.
bool x86_jumps_into(Bytes code, uint64_t address, uint64_t begin, uint64_t end, uint64_t mask) {
  for (size_t at = 0; at < code.size(); ++at) {
    uint64_t target = x86_jump(code, at, address) & mask;
    if (target >= begin && target < end) {
      return true;
    }
  }
  return false;
}

bool aarch64_jumps_into(Bytes code, uint64_t address, uint64_t begin, uint64_t end) {
  for (size_t at = 0; at + 4 <= code.size(); at += 4) {
    uint32_t instruction = 0;
    std::memcpy(&instruction, code.data() + at, sizeof instruction);
    auto distance = static_cast<int32_t>(instruction << 6) >> 4;
    uint64_t target = address + at + static_cast<uint64_t>(int64_t{distance});
    if (instruction >> 26 == 0x05 && target >= begin && target < end) {  // b
      return true;
    }
  }
  return false;
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

// endbr64, bnd, and then a jump through the slot.
uint64_t slot_of_stub(UnwindArch arch, Bytes code, uint64_t address) {
  using namespace std::string_view_literals;
  std::string_view text = as_text(code);
  size_t at = text.starts_with("\xF3\x0F\x1E\xFA"sv) ? 4U : 0U;
  at += text.substr(at).starts_with('\xF2') ? 1U : 0U;
  constexpr size_t kJumpBytes = 6;
  bool is_jump = text.substr(at).starts_with("\xFF\x25"sv) && text.size() - at >= kJumpBytes;
  if (arch != UnwindArch::kX86_64 || !is_jump) {
    return 0;
  }
  at += kJumpBytes;
  return address + at + static_cast<uint64_t>(int64_t{last_distance(code.first(at))});
}

bool jumps_into(UnwindArch arch, Bytes code, uint64_t address, uint64_t begin, uint64_t end) {
  switch (arch) {
    case UnwindArch::kX86_64:
      return x86_jumps_into(code, address, begin, end, UINT64_MAX);
    case UnwindArch::kX86:
      return x86_jumps_into(code, address, begin, end, UINT32_MAX);
    case UnwindArch::kAarch64:
      return aarch64_jumps_into(code, address, begin, end);
  }
  return false;
}

}  // namespace wick
