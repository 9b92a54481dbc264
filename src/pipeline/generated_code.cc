// SPDX-License-Identifier: Apache-2.0
#include "pipeline/generated_code.h"

#include "symbolize/demangle.h"

namespace wick {

std::optional<uint32_t> GeneratedCode::function_of(const Profile& profile, const Frame& frame) {
  if (!frame.function.valid()) {
    return dump_.number_at(frame.address);
  }
  auto [number, is_new] = numbers_.try_emplace(frame.function.value);
  if (is_new) {
    const Function& function = profile.functions[frame.function];
    StringId name = function.linkage_name.empty() ? function.name : function.linkage_name;
    number->second = dump_.number_of(function.address, profile.strings[name]);
  }
  return number->second;
}

std::optional<CodeRange> GeneratedCode::range_at(const Profile& profile, const Frame& frame) {
  std::optional<uint32_t> number = function_of(profile, frame);
  if (!number) {
    return {};
  }
  NamedRange function = dump_.code_at(*number, frame.address).function;
  has_lines_ = dump_.has_lines(*number);
  return CodeRange{function.start,
                   function.start + function.size,
                   demangled(function.name),
                   std::string(function.name)};
}

Bytes GeneratedCode::code(const Profile& profile, const Frame& frame, const CodeRange&) {
  std::optional<uint32_t> number = function_of(profile, frame);
  return number ? dump_.code_of(*number, file_.bytes()) : Bytes();
}

CodeChain GeneratedCode::chain_at(const Profile& profile, const Frame& frame) {
  std::optional<uint32_t> number = function_of(profile, frame);
  if (!number) {
    return {};
  }
  NamedCode code = dump_.code_at(*number, frame.address);
  return {{.function = demangled(code.function.name),
           .file = std::string(code.file),
           .line = code.line}};
}

std::string GeneratedCode::name_of(const Instruction& instruction, const CodeRange& own) {
  if (!instruction.target) {
    return "";
  }
  uint64_t target = *instruction.target;
  if (target - own.begin < own.end - own.begin) {
    return instruction.is_call && target == own.begin ? own.name : "";
  }
  std::optional<NamedCode> found = dump_.find(target);
  return found ? with_offset(demangled(found->function.name), target - found->function.start) : "";
}

std::vector<std::string> GeneratedCode::notes() {
  if (has_lines_) {
    return {};
  }
  return {fmt::format("{} has no lines for this function: its compiler wrote none.", path_)};
}

}  // namespace wick
