// SPDX-License-Identifier: Apache-2.0
// Code that a run-time compiler generated, from its dump: see code_module.h.
//
// Several functions may have been at one address at different times. The name of the frame selects
// one, so a sample from before the address was reused shows the code that it hit.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/mapped_file.h"
#include "pipeline/code_module.h"
#include "symbolize/jit_dump.h"

namespace wick {

class GeneratedCode : public CodeModule {
 public:
  GeneratedCode(MappedFile file, std::string path)
      : file_(std::move(file)), dump_(JitDump::parse(file_.bytes())), path_(std::move(path)) {}

  const std::string& path() const override { return path_; }
  Architecture machine() const override { return dump_.machine(); }
  std::optional<CodeRange> range_at(const Profile& profile, const Frame& frame) override;
  Bytes code(const Profile& profile, const Frame& frame, const CodeRange& range) override;
  CodeChain chain_at(const Profile& profile, const Frame& frame) override;
  std::string name_of(const Instruction& instruction, const CodeRange& own) override;
  std::vector<std::string> notes() override;

 private:
  // Its number in the dump.
  std::optional<uint32_t> function_of(const Profile& profile, const Frame& frame);

  MappedFile file_;
  JitDump dump_;
  std::string path_;
  std::unordered_map<uint32_t, std::optional<uint32_t>> numbers_;  // by function of the profile
  bool has_lines_ = false;                                         // of the last requested function
};

}  // namespace wick
