// SPDX-License-Identifier: Apache-2.0
// The text of functions in the page: what `wick annotate` would show, for the functions that cost
// the most. The header's member "annotations" has one entry for each function and run:
//
//     {"run", "frameFunction": row of the functions, "note",
//      "source": {"file", "firstLine", "lines": [line ...]} | null,
//      "code": {"address", "instructions": [{"offset", "text", "line"} ...]} | null}
//
// Two builds have two texts. Ids of a run are not those of the merged tables, so a function is
// known by its name and module until it is written.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "profile/profile.h"

namespace wick {

struct PageInstruction {
  uint64_t offset = 0;  // from the function's first
  std::string text;
  uint32_t line = 0;  // in the function's file, 0 when unknown
};
// Source lines, instructions, or both; or a sentence that says why there are none.
struct PageCode {
  FunctionId function;  // of the run's profile
  std::string file;
  uint32_t first_line = 0;
  std::vector<std::string> lines;
  uint64_t address = 0;
  std::vector<PageInstruction> instructions;
  std::string note;  // why there are no instructions
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
