// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of this folder: opens files, and maps modules at given addresses. For tests
// and benchmarks only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/input.h"
#include "base/mapped_file.h"
#include "elf/image.h"
#include "unwind/unwind.h"

namespace wick::testing {

// A file with its image and its table.
struct LoadedFile {
  MappedFile file;
  std::unique_ptr<ElfImage> image;
  UnwindTable table;
};

// Null if the file cannot be read; the caller then fails or skips.
inline std::unique_ptr<LoadedFile> load_elf(const std::string& path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) {
    return nullptr;
  }
  auto loaded = std::make_unique<LoadedFile>();
  loaded->file = std::move(*file);
  Result<ElfImage> image = ElfImage::parse(loaded->file.bytes());
  if (!image) {
    return nullptr;
  }
  loaded->image = std::make_unique<ElfImage>(std::move(*image));
  loaded->table = UnwindTable::compile(*loaded->image);
  return loaded;
}

// A text file, unpacked.
inline std::string read_unpacked(const std::string& path) {
  std::string text;
  if (Result<Input> input = Input::open(path, nullptr)) {
    for (Result<Bytes> block = input->next(); block && !block->empty(); block = input->next()) {
      text += as_text(*block);
    }
  }
  return text;
}

class ModuleList : public ModuleLookup {
 public:
  void add(const MappedModule& module) { modules_.push_back(module); }
  const MappedModule* find(uint64_t address) const override {
    for (const MappedModule& module : modules_) {
      if (address >= module.begin && address < module.end) {
        return &module;
      }
    }
    return nullptr;
  }

 private:
  std::vector<MappedModule> modules_;
};

}  // namespace wick::testing
