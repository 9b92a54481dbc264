// SPDX-License-Identifier: Apache-2.0
// The server side of the Model Context Protocol: which method has which answer.
//
//     initialize             for the revisions up to 2025-11-25, which begin with it
//     server/discover        for 2026-07-28, which has no session: every request names its revision
//     ping, tools/list       at any time
//     tools/call             a question, answered by Questions
//     notifications          never answered; a question is answered before the next line is read,
//                            so there is nothing to cancel
//
// The server trusts no client: each line has an answer or needs none, and no line ends it. It sends
// no requests of its own.
#pragma once

#include <string>
#include <string_view>

#include "mcp/message.h"
#include "mcp/questions.h"

namespace wick::mcp {

class Server {
 public:
  explicit Server(Questions questions) : questions_(std::move(questions)) {}

  // The answer to a line, without a line end; empty if it needs none.
  std::string answer(std::string_view line);
  std::string answer_to_long_line() const;

  const Questions& questions() const { return questions_; }

 private:
  std::string answer_to(const Message& message);
  std::string call_tool(const Message& message, bool is_modern);

  Questions questions_;
};

}  // namespace wick::mcp
