// SPDX-License-Identifier: Apache-2.0
#include "synthetic_trace/path.h"

namespace workloads {
namespace {

bool is_prefix(unsigned char byte) {
  switch (byte) {
    case 0x26:
    case 0x2E:
    case 0x36:
    case 0x3E:
    case 0x64:
    case 0x65:
    case 0x66:
    case 0x67:
    case 0xF2:
    case 0xF3:
      return true;
    default:
      return byte >= 0x40 && byte <= 0x4F;
  }
}

// The bytes after the opcode of an instruction with a ModRM byte.
size_t operand_bytes(const unsigned char* modrm, size_t size) {
  unsigned mode = modrm[0] >> 6;
  unsigned memory = modrm[0] & 7;
  size_t length = 1;
  bool has_sib = mode != 3 && memory == 4;
  length += has_sib ? 1 : 0;
  bool sib_without_base = has_sib && mode == 0 && size > 1 && (modrm[1] & 7) == 5;
  if (mode == 1) {
    length += 1;
  } else if (mode == 2 || (mode == 0 && memory == 5) || sib_without_base) {
    length += 4;
  }
  return length;
}

}  // namespace

BranchInstruction decode_branch(const unsigned char* bytes, size_t size) {
  size_t at = 0;
  while (at < size && is_prefix(bytes[at])) {
    ++at;
  }
  if (at + 1 >= size) {
    return {};
  }
  unsigned char opcode = bytes[at];
  unsigned char next = bytes[at + 1];
  if ((opcode >= 0x70 && opcode <= 0x7F) || (opcode >= 0xE0 && opcode <= 0xE3)) {
    return {BranchKind::kConditional, at + 2};
  }
  if (opcode == 0x0F && next >= 0x80 && next <= 0x8F) {
    return {BranchKind::kConditional, at + 6};
  }
  switch (opcode) {
    case 0xEB:
      return {BranchKind::kJump, at + 2};
    case 0xE9:
      return {BranchKind::kJump, at + 5};
    case 0xE8:
      return {BranchKind::kCall, at + 5};
    case 0xC3:
      return {BranchKind::kReturn, at + 1};
    case 0xC2:
      return {BranchKind::kReturn, at + 3};
    case 0xFF: {
      unsigned operation = next >> 3 & 7;
      size_t length = at + 1 + operand_bytes(bytes + at + 1, size - at - 1);
      if (operation == 2) {
        return {BranchKind::kIndirectCall, length};
      }
      if (operation == 4) {
        return {BranchKind::kIndirectJump, length};
      }
      return {};
    }
    default:
      return {};
  }
}

}  // namespace workloads
