// SPDX-License-Identifier: Apache-2.0
// The question that a person would ask next: a tool with complete arguments, and the reason. The
// arguments repeat the profile and the filters of the answered question, so that an assistant can
// use them as they are.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/json_writer.h"
#include "mcp/tools.h"
#include "report/report.h"

namespace wick::mcp {

struct NextArgument {
  std::string name;
  std::string text;
  std::optional<uint64_t> number = {};  // instead of the text
};

struct NextQuestion {
  std::string_view tool;
  std::vector<NextArgument> arguments;  // besides those that are repeated
  std::string why;
};

// What an answer says about its profile besides the report.
struct AnswerTraits {
  std::vector<std::string> profile;  // as the client would name it; two for a comparison
  bool has_code = false;             // the profile has addresses, so annotate can work
  size_t threads = 0;
};

// At most a few; `report` has its rows chosen already.
std::vector<NextQuestion> next_questions(const Tool& tool,
                                         const Arguments& arguments,
                                         const Report& report,
                                         const AnswerTraits& traits);

// An array of {"tool", "arguments", "why"}. `given` are the arguments of the answered question.
void write_next(const std::vector<NextQuestion>& questions,
                const Tool& asked,
                const AnswerTraits& traits,
                const Json& given,
                JsonWriter& json);

}  // namespace wick::mcp
