// SPDX-License-Identifier: Apache-2.0
#include "pipeline/kernel_code.h"

namespace wick {

std::optional<CodeRange> KernelCode::range_at(const Profile&, const Frame& frame) {
  std::optional<NamedRange> found = kernel_.find_in(module_, frame.address);
  if (!found) {
    return {};
  }
  std::string name(found->name);
  return CodeRange{found->start, found->start + found->size, name, name};
}

Bytes KernelCode::code(const Profile&, const Frame&, const CodeRange& range) {
  bytes_ = memory_.read(start_ + range.begin, range.end - range.begin);
  return bytes_;
}

// The kernel's symbol list has no lines.
CodeChain KernelCode::chain_at(const Profile& profile, const Frame& frame) {
  return file_ != nullptr ? file_->chain_at(profile, frame) : CodeChain();
}

std::string KernelCode::name_of(const Instruction& instruction, const CodeRange& own) {
  if (!instruction.target) {
    return "";
  }
  uint64_t target = *instruction.target;
  bool inside = target - own.begin < own.end - own.begin;
  bool is_own_start = instruction.is_call && target == own.begin;
  std::optional<NamedRange> found = kernel_.find_address(start_ + target);
  if (!found || (inside && !is_own_start)) {
    return "";
  }
  return with_offset(std::string(found->name), start_ + target - found->start);
}

std::vector<std::string> KernelCode::notes() {
  if (file_ != nullptr) {
    return {fmt::format("The code is from {}, the lines are from {}.", path(), file_->path())};
  }
  return {
      fmt::format("The code is from {}, without source lines: they need a vmlinux of this build "
                  "with debug information (Debian: linux-image-...-dbg; --debug-dir DIR).",
                  path())};
}

}  // namespace wick
