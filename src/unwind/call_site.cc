// SPDX-License-Identifier: Apache-2.0
#include "unwind/call_site.h"

#include <algorithm>
#include <optional>

#include "isa/linkage_stub.h"
#include "isa/signal_return.h"

namespace wick {
namespace {

// The call of `length` bytes at the end of `code`, if these bytes are a call.
std::optional<isa::Instruction> call_of_length(UnwindArch arch,
                                               Bytes code,
                                               uint64_t return_address,
                                               size_t length) {
  if (code.size() < length) {
    return std::nullopt;
  }
  isa::Instruction found =
      isa::decode(traits_of(arch).instructions, code.last(length), return_address - length);
  bool is_call = found.kind == isa::Kind::kCall || found.kind == isa::Kind::kIndirectCall;
  return is_call && found.length == length ? std::optional(found) : std::nullopt;
}

CallSite site_of(UnwindArch arch, const isa::Instruction& call) {
  if (call.kind == isa::Kind::kCall) {
    return {CallSite::Kind::kDirect, call.target};
  }
  // pipeline/call_check.cc reads pointers of 8 bytes, which 32-bit programs do not have.
  return {CallSite::Kind::kIndirect, 0, arch == UnwindArch::kX86 ? 0 : call.slot};
}

// Read backwards, bytes may be several calls of different lengths. A call through a slot comes
// first, then any other indirect call: a direct call among several could have a wrong target.
CallSite x86_call(UnwindArch arch, Bytes code, uint64_t return_address) {
  constexpr size_t kDirectLength = 5;
  constexpr size_t kShortest = 2;
  constexpr size_t kLongestWithoutPrefix = 7;
  CallSite best;
  for (size_t length = kShortest; length <= kLongestWithoutPrefix; ++length) {
    std::optional<isa::Instruction> call = call_of_length(arch, code, return_address, length);
    if (!call || (call->kind == isa::Kind::kCall && length != kDirectLength)) {
      continue;
    }
    CallSite site = site_of(arch, *call);
    bool is_better = best.kind == CallSite::Kind::kNone || site.slot != 0 ||
                     (site.kind == CallSite::Kind::kIndirect && best.slot == 0);
    best = is_better ? site : best;
  }
  return best;
}

CallSite aarch64_call(UnwindArch arch, Bytes code, uint64_t return_address) {
  constexpr size_t kLength = 4;
  std::optional<isa::Instruction> call = call_of_length(arch, code, return_address, kLength);
  return call ? site_of(arch, *call) : CallSite{};
}

}  // namespace

CallSite call_before(UnwindArch arch, Bytes code, uint64_t return_address) {
  return arch == UnwindArch::kAarch64 ? aarch64_call(arch, code, return_address)
                                      : x86_call(arch, code, return_address);
}

bool is_system_call_before(UnwindArch arch, Bytes code) {
  std::string_view text = as_text(code);
  switch (arch) {
    case UnwindArch::kX86_64:
      return text.ends_with("\x0F\x05");
    case UnwindArch::kX86:
      return text.ends_with("\xCD\x80") || text.ends_with("\x0F\x34");
    case UnwindArch::kAarch64:
      return text == std::string_view("\x01\0\0\xD4", kLongestSystemCall);
  }
  return false;
}

bool begins_signal_return(UnwindArch arch, Bytes code) {
  return isa::is_signal_return(traits_of(arch).instructions, code);
}

bool is_signal_return_before(UnwindArch arch, Bytes code) {
  return std::ranges::any_of(isa::kSignalReturns, [&](const isa::SignalReturn& known) {
    return known.set == traits_of(arch).instructions && as_text(code).ends_with(known.code);
  });
}

// The C libraries load the number of the call directly before it: execve, execveat.
bool is_exec_before(UnwindArch arch, Bytes code) {
  using namespace std::string_view_literals;
  auto ends_with_any = [&](std::initializer_list<std::string_view> calls) {
    return std::ranges::any_of(
        calls, [&](std::string_view call) { return as_text(code).ends_with(call); });
  };
  switch (arch) {
    case UnwindArch::kX86_64:
      return ends_with_any({"\xB8\x3B\0\0\0\x0F\x05"sv, "\xB8\x42\x01\0\0\x0F\x05"sv});
    case UnwindArch::kX86:
      return ends_with_any({"\xB8\x0B\0\0\0\xCD\x80"sv, "\xB8\x66\x01\0\0\xCD\x80"sv});
    case UnwindArch::kAarch64:
      return ends_with_any({"\xA8\x1B\x80\xD2\x01\0\0\xD4"sv, "\x28\x23\x80\xD2\x01\0\0\xD4"sv});
  }
  return false;
}

uint64_t slot_of_stub(UnwindArch arch, Bytes code, uint64_t address) {
  if (arch == UnwindArch::kX86) {
    return 0;  // see site_of()
  }
  auto stub = isa::decode_linkage_stub(traits_of(arch).instructions, code, address);
  return stub ? stub->slot : 0;
}

std::vector<uint64_t> jumps_out_of(UnwindArch arch, Bytes code, uint64_t address) {
  size_t step = arch == UnwindArch::kAarch64 ? 4 : 1;
  std::vector<uint64_t> targets;
  for (size_t at = 0; at < code.size();) {
    isa::Instruction found =
        isa::decode(traits_of(arch).instructions, code.subspan(at), address + at);
    bool is_jump = found.kind == isa::Kind::kJump || found.kind == isa::Kind::kConditionalJump;
    if (is_jump && found.target - address >= code.size()) {
      targets.push_back(found.target);
    }
    at += found.ok() ? found.length : step;
  }
  std::ranges::sort(targets);
  return targets;
}

bool has_address_in(std::span<const uint64_t> addresses, uint64_t begin, uint64_t end) {
  auto first = std::ranges::lower_bound(addresses, begin);
  return first != addresses.end() && *first < end;
}

}  // namespace wick
