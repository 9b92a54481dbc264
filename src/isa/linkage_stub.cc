// SPDX-License-Identifier: Apache-2.0
#include "isa/linkage_stub.h"

#include <cstring>
#include <string_view>

namespace wick::isa {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kEndbr64 = "\xF3\x0F\x1E\xFA"sv;
constexpr std::string_view kEndbr32 = "\xF3\x0F\x1E\xFB"sv;
constexpr std::string_view kLoadIndex = "\x41\xBB"sv;  // mov $index,%r11d
constexpr size_t kLoadIndexLength = 6;
constexpr std::string_view kJumpByEbx = "\xFF\xA3"sv;

template <typename T>
T load(Bytes code, size_t at) {
  T value = 0;
  std::memcpy(&value, code.data() + at, sizeof value);
  return value;
}

size_t bytes_before_jump(InstructionSet set, std::string_view code) {
  bool is_64 = set == InstructionSet::kX86_64;
  size_t at = code.starts_with(is_64 ? kEndbr64 : kEndbr32) ? kEndbr64.size() : 0;
  bool loads_index = is_64 && code.substr(at).starts_with(kLoadIndex);
  return at + (loads_index ? kLoadIndexLength : 0);
}

std::optional<LinkageStub> x86_stub(InstructionSet set, Bytes code, uint64_t address) {
  size_t at = bytes_before_jump(set, as_text(code));
  if (at >= code.size()) {
    return std::nullopt;
  }
  Bytes rest = code.subspan(at);
  Instruction jump = decode(set, rest, address + at);
  if (jump.kind != Kind::kIndirectJump) {
    return std::nullopt;
  }
  auto length = static_cast<uint8_t>(at + jump.length);
  if (jump.slot != 0) {
    return LinkageStub{.slot = jump.slot, .length = length};
  }
  if (set == InstructionSet::kX86 && as_text(rest).starts_with(kJumpByEbx)) {
    auto distance = uint64_t{load<uint32_t>(rest, kJumpByEbx.size())};
    return LinkageStub{.slot = distance, .by_ebx = true, .length = length};
  }
  return std::nullopt;
}

std::optional<LinkageStub> aarch64_stub(Bytes code, uint64_t address) {
  constexpr uint32_t kBtiC = 0xD503'245F;
  constexpr size_t kWord = 4;
  bool is_guarded = code.size() >= kWord && load<uint32_t>(code, 0) == kBtiC;
  size_t at = is_guarded ? kWord : 0;
  if (code.size() < at + 2 * kWord) {
    return std::nullopt;
  }
  auto adrp = load<uint32_t>(code, at);
  auto ldr = load<uint32_t>(code, at + kWord);
  if ((adrp & 0x9F00'001F) != 0x9000'0010 || (ldr & 0xFFC0'03FF) != 0xF940'0211) {
    return std::nullopt;
  }
  // The distance in pages: 21 bits with a sign, in two fields.
  uint64_t pages = ((adrp >> 5U & 0x7FFFFU) << 2U) | (adrp >> 29U & 3U);
  uint64_t distance = (pages ^ 0x100000U) - 0x100000U;
  uint64_t page = ((address + at) & ~uint64_t{0xFFF}) + (distance << 12U);
  return LinkageStub{.slot = page + uint64_t{ldr >> 10U & 0xFFFU} * 8,
                     .length = static_cast<uint8_t>(at + 2 * kWord)};
}

}  // namespace

std::optional<LinkageStub> decode_linkage_stub(InstructionSet set, Bytes code, uint64_t address) {
  return set == InstructionSet::kAarch64 ? aarch64_stub(code, address)
                                         : x86_stub(set, code, address);
}

}  // namespace wick::isa
