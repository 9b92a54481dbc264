// SPDX-License-Identifier: Apache-2.0
// Lines in, lines out: the transport of MCP over standard input and output.
//
// LineReader returns one line at a time and drops what is longer than kLongestMessage, so a client
// cannot make wick store an endless line. serve() answers each line before it reads the next one:
// what waits in the pipe costs no memory, and a client that does not read its answers only blocks
// itself. The end of the input, or a client that has gone, ends the service.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "mcp/server.h"

namespace wick::mcp {

struct Line {
  std::string text;
  bool is_too_long = false;  // the text is dropped
};

class LineReader {
 public:
  explicit LineReader(int descriptor) : descriptor_(descriptor) {}
  // Nothing at the end of the input. A last line without a line end counts.
  std::optional<Line> next();

 private:
  bool read_more();

  int descriptor_;
  std::string buffer_;
  size_t searched_ = 0;  // bytes of buffer_ that have no line end
};

// Returns at the end of the input, or an Error if an answer cannot be written.
Result<> serve(Server& server, int input, int output);

}  // namespace wick::mcp
