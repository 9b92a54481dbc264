// Code as values: the instructions of a function, the places in the source that they come from, and
// the text of the source. Analyses that show code ask a CodeSource for it, so that they stay pure
// functions: files are somebody else's business (pipeline/code_reader.h), and a test makes up its
// own code.
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

// A function at work, at a line.
struct CodePlace {
  std::string function;  // as shown to people; empty when unknown
  std::string file;      // as the compiler recorded it; empty when unknown
  uint32_t line = 0;     // 0 when unknown
  friend auto operator<=>(const CodePlace&, const CodePlace&) = default;
};

// The functions at work at an address, innermost first: what was inlined, and last the function
// that has the code. Empty when nothing is known.
using CodeChain = std::vector<CodePlace>;

struct CodeInstruction {
  uint64_t address = 0;
  uint32_t length = 0;
  std::string bytes;               // raw
  std::string text;                // in words
  std::optional<uint64_t> target;  // of a jump or call
  std::string refers_to;           // the name of what it calls, jumps to or reads; may be empty
  uint32_t chain = 0;              // number in FunctionCode::chains
  bool is_call = false;
  bool is_unnamed = false;  // the disassembler does not know it
  bool contains(uint64_t other) const { return other - address < length; }
};

struct FunctionCode {
  std::string name;
  std::string file;  // the binary that it was read from
  uint64_t begin = 0;
  uint64_t end = 0;
  std::vector<CodeInstruction> instructions;  // by address, without gaps
  std::vector<CodeChain> chains;              // each once; 0 is the empty one
  std::vector<std::string> notes;             // what the reader should know, as sentences
};

struct SourceText {
  std::string path;                // where it was found; empty when it was not
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

  // The function that has the code at an address, or a sentence that says why it cannot be had.
  virtual Result<FunctionCode> function_at(const Profile& profile, const Frame& frame) = 0;
  // What is at work at the frame's address.
  virtual CodeChain places_at(const Profile& profile, const Frame& frame) = 0;
  // The text of a source file, looked for as the module sees it that was asked for last. Kept until
  // another function or place is asked for.
  virtual const SourceText& source(const std::string& file) = 0;
};

}  // namespace wick
