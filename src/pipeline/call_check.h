// SPDX-License-Identifier: Apache-2.0
// Whether the callers that were found on a stack can have called one another.
//
// What is read from a running process, a moment after the sample, may be of two times: the inner
// part as it was, the outer part overwritten by what the thread did next. Each part is a stack by
// itself, so unwinding does not notice. The code does: where the two meet, the call before the
// return address is a call of another function (unwind/call_site.h).
//
// A function may also be reached by jumps from the one that was called: a tail call, or the way
// into its cold part. A call through the PLT names a location in memory that holds the function's
// address. Calls through registers name nothing; they are believed when the same two return
// addresses have been seen one above the other in a stack that was copied.
#pragma once

#include <cstdint>
#include <span>

#include "pipeline/loaded_modules.h"
#include "pipeline/process_memory.h"
#include "pipeline/unwind_scratch.h"
#include "unwind/unwind.h"

namespace wick {

class CallCheck {
 public:
  CallCheck(UnwindArch arch,
            ProcessMemory& memory,
            int32_t pid,
            const AddressSpace& space,
            LoadedModules& modules,
            const SeenLinks& seen)
      : arch_(arch), memory_(memory), pid_(pid), space_(space), modules_(modules), seen_(seen) {}

  // Leaf first: whether each frame can have been called by the next.
  bool agrees(std::span<const UnwoundFrame> frames) const;

 private:
  bool called(const UnwoundFrame& inner, const UnwoundFrame& caller) const;
  bool leads_to(uint64_t target, uint64_t inside) const;
  // 0 when there is none.
  uint64_t slot_of_stub_at(uint64_t address) const;
  uint64_t address_in(uint64_t slot) const;

  UnwindArch arch_;
  ProcessMemory& memory_;
  int32_t pid_;
  const AddressSpace& space_;
  LoadedModules& modules_;
  const SeenLinks& seen_;
};

}  // namespace wick
