// SPDX-License-Identifier: Apache-2.0
// Source and assembly of the most expensive functions, as the page shows them. The member
// "annotations" of the header has one entry for each function and run:
//
//     {"run", "frameFunction": row of the functions, "note",
//      "source": {"file", "firstLine", "lines": [line ...]} | null,
//      "code": {"address", "instructions": [{"offset", "text", "line"} ...]} | null}
//
// Two builds of a function have two entries. A run and the merged tables number functions
// differently, so name and module identify a function until write_code looks up its row.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "profile/profile.h"

namespace wick {

struct PageInstruction {
  uint64_t offset = 0;  // from the function's first address
  std::string text;
  uint32_t line = 0;  // in the function's file; 0: unknown
};
// Source lines, instructions, or both; or a sentence that says why the code is missing.
struct PageCode {
  FunctionId function;  // of the run's profile
  std::string file;
  uint32_t first_line = 0;
  std::vector<std::string> lines;
  uint64_t address = 0;
  std::vector<PageInstruction> instructions;
  std::string note;  // why instructions are missing, as a sentence
};

// Name and module.
using FunctionKey = std::pair<std::string, std::string>;
FunctionKey key_of(const Profile& profile, FunctionId id);

struct CodeOfRun {
  size_t run = 0;
  FunctionKey function;
  PageCode code;
};

void write_code(JsonWriter& json, const Profile& merged, const std::vector<CodeOfRun>& codes);

}  // namespace wick
