// SPDX-License-Identifier: Apache-2.0
// Checks whether the functions of an unwound stack can have called one another.
//
// wick reads the memory of a running process a moment after the sample. So the data may be of two
// times: the inner part as it was at the sample, the outer part overwritten since by the thread.
// Each part is a valid stack, so unwinding does not notice. But the code shows it: where the two
// parts meet, the call before the return address calls another function (unwind/call_site.h).
//
// The called function may also have reached this one by a jump: a tail call, or the jump into its
// cold part. A call through the PLT names a location in memory that holds the function's address. A
// call through a register names nothing. wick accepts it if the same two return addresses were
// adjacent in a stack that the kernel copied. Deep recursion repeats a few pairs thousands of times,
// so those that the code has proven are remembered in the same table.
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
            SeenLinks& seen)
      : arch_(arch), memory_(memory), pid_(pid), space_(space), modules_(modules), seen_(seen) {}

  // Whether each frame can have been called by the next; leaf first.
  bool agrees(std::span<const UnwoundFrame> frames);

 private:
  bool called(const UnwoundFrame& inner, const UnwoundFrame& caller);
  bool leads_to(uint64_t target, uint64_t inside) const;
  // 0 if there is none.
  uint64_t slot_of_stub_at(uint64_t address) const;
  uint64_t address_in(uint64_t slot) const;

  UnwindArch arch_;
  ProcessMemory& memory_;
  int32_t pid_;
  const AddressSpace& space_;
  LoadedModules& modules_;
  SeenLinks& seen_;
};

}  // namespace wick
