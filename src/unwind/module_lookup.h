// SPDX-License-Identifier: Apache-2.0
// The executable memory of a process, as the unwinder sees it.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "unwind/code_flow.h"
#include "unwind/table.h"

namespace wick {

// A range of executable memory of a process.
struct MappedModule {
  uint64_t begin = 0;  // process addresses
  uint64_t end = 0;
  uint64_t bias = 0;                   // process address minus linked address
  const UnwindTable* table = nullptr;  // null: generated code, or the file is not available
  // The kernel's vdso: its effect on the stack is known even without its bytes.
  bool is_vdso = false;
  bool is_missing = false;  // the file is not available

  bool is_generated() const { return table == nullptr && !is_missing; }
};

// The executable memory of one process at one time.
class ModuleLookup : public CodeBytes {
 public:
  // The range that contains a process address, or null. The pointer is used until the next call.
  virtual const MappedModule* find(uint64_t address) const = 0;
  // Not available unless a derived class has it.
  Bytes code_at(uint64_t /*address*/) const override { return {}; }
  // A number that changes if other code was generated at an address; 0 for code of files, or if
  // the code is no longer available.
  virtual uint32_t code_version(uint64_t /*address*/) const { return 0; }
  // Where the function at an address probably starts: a few addresses up to it, ascending.
  virtual std::vector<uint64_t> starts_before(uint64_t /*address*/) const { return {}; }
};

}  // namespace wick
