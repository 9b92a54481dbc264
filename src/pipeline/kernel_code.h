// SPDX-License-Identifier: Apache-2.0
// Code from the kernel's memory: see code_module.h.
//
// The kernel's symbol list says where a function begins and ends. Its bytes are the current ones,
// with the patches that the kernel applies at run time. If the file of a kernel module is
// available, lines come from it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pipeline/code_module.h"
#include "pipeline/elf_code.h"
#include "symbolize/kernel_memory.h"
#include "symbolize/kernel_symbols.h"

namespace wick {

class KernelCode : public CodeModule {
 public:
  // The kernel's text, or one of its modules ("[ext4]", ".../ext4.ko.xz"), loaded at `start`.
  KernelCode(const KernelSymbols& kernel, KernelMemory memory, std::string module, uint64_t start)
      : kernel_(kernel), memory_(std::move(memory)), module_(std::move(module)), start_(start) {}
  // Takes the result of find_module_as_loaded().
  void take_lines(std::unique_ptr<ElfCode> file) { file_ = std::move(file); }

  const std::string& path() const override { return kernel_.memory_path(); }
  Architecture machine() const override { return memory_.machine(); }
  std::optional<CodeRange> range_at(const Profile& profile, const Frame& frame) override;
  Bytes code(const Profile& profile, const Frame& frame, const CodeRange& range) override;
  CodeChain chain_at(const Profile& profile, const Frame& frame) override;
  std::string name_of(const Instruction& instruction, const CodeRange& own) override;
  std::vector<std::string> notes() override;

 private:
  const KernelSymbols& kernel_;
  KernelMemory memory_;
  std::string module_;
  uint64_t start_;
  std::vector<std::byte> bytes_;
  std::unique_ptr<ElfCode> file_;  // may be null
};

}  // namespace wick
