// Whether the callers that were found on a stack can have called one another.
//
// What is read from a running process, a moment after the sample, may be of two times: the inner
// part as it was, the outer part overwritten by what the thread did next. Each part is a stack by
// itself, so unwinding does not notice. The code does: where the two meet, the call before the
// return address is a call of another function (unwind/call_site.h).
//
// Calls through pointers and through the PLT name no function, and are believed. A function that
// was reached by a jump from the one that was called (a tail call) is not: it cannot be told from
// such a seam, and a stack that is cut is better than one that is wrong.
#pragma once

#include <cstdint>
#include <span>

#include "pipeline/loaded_modules.h"
#include "unwind/unwind.h"

namespace wick {

class CallCheck {
 public:
  CallCheck(UnwindArch arch, int32_t pid, const AddressSpace& space, LoadedModules& modules)
      : arch_(arch), pid_(pid), space_(space), modules_(modules) {}

  // Leaf first: whether each frame can have been called by the next.
  bool agrees(std::span<const UnwoundFrame> frames) const;

 private:
  bool called(const UnwoundFrame& inner, const UnwoundFrame& caller) const;
  bool is_target(uint64_t target, uint64_t inside) const;

  UnwindArch arch_;
  int32_t pid_;
  const AddressSpace& space_;
  LoadedModules& modules_;
};

}  // namespace wick
