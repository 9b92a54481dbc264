// SPDX-License-Identifier: Apache-2.0
#include "pipeline/elf_names.h"

namespace wick {

void ElfNames::find(std::span<const uint64_t> addresses) {
  if (base_ == 0) {
    resolver_.find(addresses, context_.pool());
    return;
  }
  std::vector<uint64_t> linked;
  linked.reserve(addresses.size());
  for (uint64_t address : addresses) {
    linked.push_back(address + base_);
  }
  std::ranges::sort(linked);  // hostile addresses may wrap around
  resolver_.find(linked, context_.pool());
}

std::optional<uint64_t> ElfNames::linked_address(uint64_t file_offset) const {
  if (source_.binary == nullptr) {
    return {};
  }
  for (const ElfSegment& segment : source_.binary->segments()) {
    if (file_offset >= segment.offset && file_offset - segment.offset < segment.file_size &&
        segment.executable) {
      return file_offset + segment.address - segment.offset;
    }
  }
  return file_offset;
}

void ElfNames::report(NameNotes& notes, NameFiles& files) const {
  files.binary = source_.binary != nullptr ? source_.path : "";
  files.debug = source_.debug_path;
  for (const ModuleResolver::Shortcoming& shortcoming : resolver_.shortcomings()) {
    notes.add(shortcoming.text, shortcoming.debug_file.empty() ? path_ : shortcoming.debug_file);
  }
}

}  // namespace wick
