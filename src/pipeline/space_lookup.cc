// SPDX-License-Identifier: Apache-2.0
#include "pipeline/space_lookup.h"

#include <algorithm>

namespace wick {

// From the file. Generated code is read from the running process, later from the process' dump.
Bytes SpaceLookup::code_at(uint64_t address) const {
  const Mapping* mapping = space_.find(address);
  if (mapping == nullptr) {
    return {};
  }
  if (modules_[mapping->loaded].kind != LoadedKind::kGenerated) {
    return modules_.code_at(*mapping, address);
  }
  if (process_.memory == nullptr) {
    return modules_.dumped_code_at(process_.pid, address);
  }
  uint64_t size = std::min<uint64_t>(generated_.size(), mapping->end - address);
  std::span<std::byte> wanted = std::span(generated_).first(size);
  return wanted.first(process_.memory->read_some(process_.pid, address, wanted));
}

Ending ending_at(LoadedModules& modules,
                 const SpaceState& space,
                 FrameAddress outermost,
                 UnwindScratch& scratch) {
  uint64_t address = outermost.lookup();
  UnwindScratch::Outermost& known = scratch.outermost[address % scratch.outermost.size()];
  if (known.address != address || known.epoch != space.epoch) {
    SpaceLookup lookup(space.space, modules);
    const MappedModule* module = lookup.find(address);
    Ending ending = Ending::kFramePointer;
    if (module != nullptr && module->table != nullptr) {
      bool is_end =
          module->table->find(address - module->bias).cfa_register == UnwindRule::kEndOfStack;
      ending = is_end ? Ending::kComplete : ending;
    } else if (module != nullptr && lookup.file_is_missing()) {
      ending = Ending::kUnknown;
    }
    known = {address, space.epoch, ending};
  }
  return known.ending;
}

}  // namespace wick
