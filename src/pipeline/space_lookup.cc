// SPDX-License-Identifier: Apache-2.0
#include "pipeline/space_lookup.h"

#include <algorithm>

#include "base/hash.h"

namespace wick {

// From the file. Generated code is read from the running process, or from its dump if a recording
// is read.
Bytes SpaceLookup::code_at(uint64_t address) const {
  const Mapping* mapping = space_.find(address);
  if (mapping == nullptr) {
    return {};
  }
  if (modules_[mapping->loaded].kind != LoadedKind::kGenerated) {
    return modules_.code_at(*mapping, address);
  }
  if (process_.memory == nullptr) {
    return modules_.dumped_code_at(process_.pid, address, process_.time_ns).code;
  }
  constexpr uint64_t kLongestInstruction = 15;
  bool is_known = address >= generated_begin_ &&
                  address - generated_begin_ + kLongestInstruction < generated_size_;
  if (!is_known) {
    uint64_t size = std::min<uint64_t>(generated_.size(), mapping->end - address);
    generated_begin_ = address;
    generated_size_ = process_.memory->read_some(
        process_.pid, address, std::span(generated_).first(static_cast<size_t>(size)));
  }
  return Bytes(generated_).first(generated_size_).subspan(address - generated_begin_);
}

// Of generated code: its number in the dump, or a checksum of the running process' next
// instructions. The first byte does not count: it may be the last one of a call, whose target is
// often changed.
uint32_t SpaceLookup::code_version(uint64_t address) const {
  const Mapping* mapping = space_.find(address);
  if (mapping == nullptr || modules_[mapping->loaded].kind != LoadedKind::kGenerated) {
    return 0;
  }
  if (process_.memory == nullptr) {
    return modules_.dumped_code_at(process_.pid, address, process_.time_ns).number;
  }
  std::array<std::byte, 16> code = {};
  size_t size = process_.memory->read_some(process_.pid, address + 1, code);
  constexpr uint32_t kNotZero = 1;
  uint64_t hash = hash_bytes(as_text(Bytes(code).first(size)));
  return size == 0 ? 0 : static_cast<uint32_t>(hash) | kNotZero;  // 0: the process has ended
}

StackEnd ending_at(LoadedModules& modules,
                   const SpaceState& space,
                   FrameAddress outermost,
                   UnwindScratch& scratch) {
  uint64_t address = outermost.lookup();
  UnwindScratch::Outermost& known = scratch.outermost[address % scratch.outermost.size()];
  if (known.address != address || known.epoch != space.epoch) {
    SpaceLookup lookup(space.space, modules);
    const MappedModule* module = lookup.find(address);
    StackEnd ending = StackEnd::kFramePointer;
    if (module != nullptr && module->table != nullptr) {
      bool is_end =
          module->table->find(address - module->bias).cfa_register == UnwindRule::kEndOfStack;
      ending = is_end ? StackEnd::kComplete : ending;
    } else if (module != nullptr && module->is_missing) {
      ending = StackEnd::kUnknown;
    }
    known = {address, space.epoch, ending};
  }
  return known.ending;
}

}  // namespace wick
