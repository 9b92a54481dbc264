// SPDX-License-Identifier: Apache-2.0
// The tools that a client can call: every analysis (analyze/analyses.cc) whose answer is text, and
// two more, `profiles` and `info`. A new analysis is a new tool; nothing is listed by hand.
//
// A tool's properties are the flags of its row, in the words of the command line. Flags that name
// files to write are left out; the value of a flag that names a file to read is the text itself. So
// no argument but `profile`, `before` and `after` is a path, and those go through AllowedFiles.
//
//     {"profile": "perf.data", "function": "parse", "focus": "main", "limit": 20}
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/analyses.h"
#include "base/flags.h"
#include "base/json.h"
#include "base/json_writer.h"
#include "base/result.h"

namespace wick::mcp {

enum class Subject : uint8_t {
  kAllFiles,    // all allowed files
  kProfile,     // one profile
  kComparison,  // two sides
};

struct Tool {
  std::string_view name;
  std::string_view help;
  Subject subject = Subject::kProfile;
  const Analysis* analysis = nullptr;
  std::vector<Flag> flags = {};  // those that a client can give
};

const std::vector<Tool>& all_tools();
const Tool* find_tool(std::string_view name);

inline constexpr uint64_t kUsualLimit = 20;

// What a client asks, checked, but with the paths as the client wrote them.
struct Arguments {
  std::vector<std::string> profile;  // empty: the client named none
  std::vector<std::string> before;
  std::vector<std::string> after;
  std::string function;
  uint64_t limit = kUsualLimit;
  FlagValues flags;  // all flags of the analysis, the filters and the names
};

// `given` is an object. The Error is a sentence that lets the client correct itself.
Result<Arguments> read_arguments(const Tool& tool, const Json& given);

// The JSON Schema of the arguments.
void write_schema(const Tool& tool, JsonWriter& json);

}  // namespace wick::mcp
