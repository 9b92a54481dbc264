// SPDX-License-Identifier: Apache-2.0
// The mappings of one process for the unwinder, and how a stack ends at an address.
#pragma once

#include <array>

#include "base/frame_address.h"
#include "pipeline/loaded_modules.h"
#include "pipeline/process_memory.h"
#include "pipeline/processes.h"
#include "pipeline/unwind_scratch.h"

namespace wick {

// The process of the mappings, and its memory if it is running.
struct LookupProcess {
  ProcessMemory* memory = nullptr;  // null if a recording is read
  int32_t pid = 0;
  int64_t time_ns = kNoTime;  // of the sample, if its clock is that of dumps
};

class SpaceLookup : public ModuleLookup {
 public:
  SpaceLookup(const AddressSpace& space, LoadedModules& modules, LookupProcess process = {})
      : space_(space), modules_(modules), process_(process) {}

  const MappedModule* find(uint64_t address) const override {
    const Mapping* mapping = space_.find(address);
    if (mapping == nullptr) {
      return nullptr;
    }
    LoadedModules::UnwindInfo info = modules_.unwind_info(*mapping);
    found_ = {mapping->start,
              mapping->end,
              info.bias,
              info.table,
              modules_[mapping->loaded].kind == LoadedKind::kVdso,
              info.missing};
    return &found_;
  }
  Bytes code_at(uint64_t address) const override;
  uint32_t code_version(uint64_t address) const override;
  std::vector<uint64_t> starts_before(uint64_t address) const override {
    const Mapping* mapping = space_.find(address);
    return mapping == nullptr ? std::vector<uint64_t>() : modules_.starts_before(*mapping, address);
  }

 private:
  const AddressSpace& space_;
  LoadedModules& modules_;
  LookupProcess process_;
  // The generated code that was read last.
  mutable std::array<std::byte, 1024> generated_ = {};
  mutable uint64_t generated_begin_ = 0;
  mutable size_t generated_size_ = 0;
  mutable MappedModule found_;
};

// How a chain of calls ends with its outermost frame at this address: complete if CFI says that
// this code has no caller. Without the file it is unknown.
StackEnd ending_at(LoadedModules& modules,
                   const SpaceState& space,
                   FrameAddress outermost,
                   UnwindScratch& scratch);

}  // namespace wick
