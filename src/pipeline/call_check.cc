#include "pipeline/call_check.h"

#include <algorithm>
#include <array>

#include "pipeline/live_stack.h"
#include "unwind/call_site.h"

namespace wick {

bool CallCheck::agrees(std::span<const UnwoundFrame> frames) const {
  for (size_t i = 0; i + 1 < frames.size(); ++i) {
    const UnwoundFrame& inner = frames[i];
    const UnwoundFrame& caller = frames[i + 1];
    bool is_call = caller.is_return_address() && inner.source != FrameSource::kSignalReturn;
    bool is_repeated = i > 0 && inner.is_return_address() &&
                       inner.address == frames[i - 1].address && caller.address == inner.address;
    if (is_call && !is_repeated && !called(inner, caller)) {
      return false;
    }
  }
  return true;
}

bool CallCheck::called(const UnwoundFrame& inner, const UnwoundFrame& caller) const {
  std::array<std::byte, kLongestCall> code = {};
  if (!read_process(pid_, caller.address - code.size(), code)) {
    return false;
  }
  CallSite site = call_before(arch_, code, caller.address);
  switch (site.kind) {
    case CallSite::Kind::kNone:
      return false;
    case CallSite::Kind::kIndirect:
      return true;
    case CallSite::Kind::kDirect:
      return is_target(site.target, inner.lookup_address());
  }
  return false;
}

// A target that is no function by its unwind information is a PLT entry, or code made at run time.
bool CallCheck::is_target(uint64_t target, uint64_t inside) const {
  const Mapping* mapping = space_.find(target);
  if (mapping == nullptr) {
    return false;
  }
  std::optional<LoadedModules::Function> function = modules_.function_at(*mapping, target);
  bool is_function = function && function->begin == target;
  return !is_function || (inside >= function->begin && inside < function->end);
}

}  // namespace wick
