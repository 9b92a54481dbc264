// SPDX-License-Identifier: Apache-2.0
#include "pipeline/call_check.h"

#include <algorithm>
#include <array>
#include <vector>

#include "unwind/call_site.h"

namespace wick {
namespace {

// The outermost few frames call main and the functions of threads through pointers.
constexpr size_t kStartFrames = 3;
// Functions that jump to another instead of calling it are not larger.
constexpr uint64_t kMaxCodeBytes = 1 << 20;

}  // namespace

bool CallCheck::agrees(std::span<const UnwoundFrame> frames) {
  for (size_t i = 0; i + 1 < frames.size(); ++i) {
    const UnwoundFrame& inner = frames[i];
    const UnwoundFrame& caller = frames[i + 1];
    bool is_call = caller.is_return_address() && inner.source != FrameSource::kSignalReturn;
    bool is_start = i + 1 + kStartFrames >= frames.size();
    bool is_repeated = i > 0 && inner.is_return_address() &&
                       inner.address == frames[i - 1].address && caller.address == inner.address;
    if (is_call && !is_repeated && !is_start && !called(inner, caller)) {
      return false;
    }
  }
  return true;
}

bool CallCheck::called(const UnwoundFrame& inner, const UnwoundFrame& caller) {
  if (seen_.contains(inner.address, caller.address)) {
    return true;
  }
  std::array<std::byte, kLongestCall> code = {};
  if (!memory_.read(pid_, caller.address - code.size(), code)) {
    return false;
  }
  CallSite site = call_before(arch_, code, caller.address);
  if (site.kind == CallSite::Kind::kNone) {
    return false;
  }
  uint64_t inside = inner.frame_address().lookup();
  bool is_proven = site.kind == CallSite::Kind::kDirect
                       ? leads_to(site.target, inside) ||
                             leads_to(address_in(slot_of_stub_at(site.target)), inside)
                       : leads_to(address_in(site.slot), inside);
  if (is_proven) {
    seen_.add(inner.address, caller.address);
  }
  return is_proven;
}

uint64_t CallCheck::slot_of_stub_at(uint64_t address) const {
  std::array<std::byte, kLongestStub> code = {};
  return memory_.read(pid_, address, code) ? slot_of_stub(arch_, code, address) : 0;
}

uint64_t CallCheck::address_in(uint64_t slot) const {
  uint64_t address = 0;
  bool is_there =
      slot != 0 && memory_.read(pid_, slot, std::as_writable_bytes(std::span(&address, 1)));
  return is_there ? address : 0;
}

bool CallCheck::leads_to(uint64_t target, uint64_t inside) const {
  const Mapping* mapping = space_.find(target);
  const Mapping* inner_mapping = space_.find(inside);
  if (mapping == nullptr || inner_mapping == nullptr) {
    return false;
  }
  std::optional<LoadedModules::Function> called = modules_.function_at(*mapping, target);
  if (!called || called->begin != target) {
    return false;  // a stub, or generated code
  }
  if (inside >= called->begin && inside < called->end) {
    return true;
  }
  std::optional<LoadedModules::Function> inner = modules_.function_at(*inner_mapping, inside);
  if (!inner || called->end - called->begin > kMaxCodeBytes) {
    return false;
  }
  std::vector<std::byte> code(called->end - called->begin);
  return memory_.read(pid_, called->begin, code) &&
         has_address_in(jumps_out_of(arch_, code, called->begin), inner->begin, inner->end);
}

}  // namespace wick
