// SPDX-License-Identifier: Apache-2.0
// Code as values: the instructions of a function, their source locations, and the source text.
//
// Analyses that show code get it from a CodeSource, so they remain pure functions.
// pipeline/code_reader.h reads the files; a test supplies invented code.
//
// Addresses are those of the profile (docs/decisions/0008-what-an-address-is.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"

namespace wick {

// A function and its current line.
struct CodeLocation {
  std::string function;  // demangled name; empty if unknown
  std::string file;      // as the compiler recorded it; empty if unknown
  uint32_t line = 0;     // 0 if unknown
  friend auto operator<=>(const CodeLocation&, const CodeLocation&) = default;
};

// The functions at an address, innermost first: the inlined functions, and last the function that
// contains the code. Empty if unknown.
using CodeChain = std::vector<CodeLocation>;

struct CodeInstruction {
  uint64_t address = 0;
  uint32_t length = 0;
  std::string bytes;               // raw
  std::string text;                // disassembled
  std::optional<uint64_t> target;  // of a jump or call
  std::string refers_to;           // the name of its call target, jump target or data; may be empty
  uint32_t chain = 0;              // index into FunctionCode::chains
  bool is_call = false;
  bool is_unnamed = false;  // the disassembler does not know this instruction
  bool contains(uint64_t other) const { return other - address < length; }
};

struct FunctionCode {
  std::string name;
  std::string file;  // path of the binary
  uint64_t begin = 0;
  uint64_t end = 0;
  std::vector<CodeInstruction> instructions;  // sorted by address, without gaps
  std::vector<CodeChain> chains;              // each distinct chain once; chain 0 is empty
  std::vector<std::string> notes;             // whole sentences for the user
};

struct SourceText {
  std::string path;                // path of the file; empty if wick did not find it
  std::vector<std::string> lines;  // line 1 is lines[0]
  bool is_newer = false;           // changed after the binary was built

  // The text of a line, or empty.
  const std::string& line(uint32_t number) const {
    static const std::string kNone;
    return number == 0 || number > lines.size() ? kNone : lines[number - 1];
  }
};

class CodeSource {
 public:
  virtual ~CodeSource() = default;

  // The function that contains the code at the frame's address, or an error that says why the code
  // is missing.
  virtual Result<FunctionCode> function_at(const Profile& profile, const Frame& frame) = 0;
  // The functions at the frame's address.
  virtual CodeChain locations_at(const Profile& profile, const Frame& frame) = 0;
  // The text of a source file. wick searches the file relative to the module of the last request,
  // and caches the text until the next request for a function or a location.
  virtual const SourceText& source(const std::string& file) = 0;
};

}  // namespace wick
