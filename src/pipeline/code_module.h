// SPDX-License-Identifier: Apache-2.0
// CodeModule: the code of one module, from one of several sources (code_reader.h).
//
//     ElfCode         a file; the kernel's image is one, too
//     KernelCode      the kernel's memory; the functions come from the kernel's symbol list
//     GeneratedCode   the dump of a run-time compiler
//
// All addresses are those of the profile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.h"
#include "elf/image.h"
#include "profile/code.h"
#include "symbolize/disassembly.h"

namespace wick {

struct CodeRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::string name;     // empty if unknown
  std::string linkage;  // as in the symbol table
};

class CodeModule {
 public:
  virtual ~CodeModule() = default;

  // The file or memory that holds the code, for people.
  virtual const std::string& path() const = 0;
  virtual Architecture machine() const = 0;
  // The function at the frame.
  virtual std::optional<CodeRange> range_at(const Profile& profile, const Frame& frame) = 0;
  // The bytes of the function at the frame; there may be fewer than the function has. Borrowed
  // until the next call.
  virtual Bytes code(const Profile& profile, const Frame& frame, const CodeRange& range) = 0;
  // The function and the inlined functions at the frame's address.
  virtual CodeChain chain_at(const Profile& profile, const Frame& frame) = 0;
  // The name of the data or code that an instruction refers to, outside of its own function; may be
  // empty.
  virtual std::string name_of(const Instruction& instruction, const CodeRange& own) = 0;
  // Whether callers must compare the recorded names with the names in this module, because nothing
  // else proves that this is the recorded code.
  virtual bool is_unproven() const { return false; }
  // Sentences for the user.
  virtual std::vector<std::string> notes() = 0;
};

inline std::string with_offset(std::string name, uint64_t offset) {
  return offset == 0 ? name : fmt::format("{}+{:#x}", name, offset);
}

}  // namespace wick
