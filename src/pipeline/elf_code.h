// SPDX-License-Identifier: Apache-2.0
// Code from an ELF file: see code_module.h.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "elf/data_symbols.h"
#include "elf/symbols.h"
#include "pipeline/code_module.h"
#include "pipeline/loaded_modules.h"
#include "symbolize/kernel_image.h"
#include "symbolize/module_dwarf.h"

namespace wick {

class ElfCode : public CodeModule {
 public:
  ElfCode(const FileSearch& search, ModuleFiles files, bool has_build_id);
  // Borrows an image that is open already (the vdso).
  ElfCode(const FileSearch& search,
          std::unique_ptr<LoadedModules> loaded,
          const LoadedModules::OpenModule& open);
  ElfCode(const FileSearch& search, KernelImage kernel);
  // The addresses of the profile are offsets in the file. `offset` is one of them.
  void use_file_offsets(uint64_t offset);

  const std::string& path() const override { return path_; }
  Architecture machine() const override { return image_->machine(); }
  std::optional<CodeRange> range_at(const Profile& profile, const Frame& frame) override;
  Bytes code(const Profile& profile, const Frame& frame, const CodeRange& range) override;
  CodeChain chain_at(const Profile& profile, const Frame& frame) override;
  std::string name_of(const Instruction& instruction, const CodeRange& own) override;
  bool is_unproven() const override { return !has_build_id_; }
  std::vector<std::string> notes() override;

 private:
  std::string name_of_frame(const DwarfFrame& frame, uint64_t linked);
  std::string name_of_data(uint64_t linked);
  const SymbolTable& symbols();
  const ModuleDwarf& dwarf();
  // Demangled once.
  const std::string& shown(std::string_view name);

  FileSearch search_;
  ModuleFiles files_;
  std::unique_ptr<LoadedModules> loaded_;
  const ElfImage* image_;
  const ElfImage* debug_ = nullptr;
  std::string path_;
  uint64_t base_ = 0;  // linked address minus address of the profile
  bool is_kernel_ = false;
  bool has_build_id_ = true;
  std::optional<SymbolTable> symbols_;
  std::optional<DataSymbols> data_;
  std::unique_ptr<ModuleDwarf> dwarf_;
  std::vector<DwarfFrame> frames_;
  std::unordered_map<std::string, std::string> shown_;
};

}  // namespace wick
