// SPDX-License-Identifier: Apache-2.0
#include "pipeline/space_lookup.h"

namespace wick {

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
