// SPDX-License-Identifier: Apache-2.0
// One message of JSON-RPC 2.0, as a client wrote it on one line:
//
//     {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {...}}     a request
//     {"jsonrpc": "2.0", "method": "notifications/initialized"}                 a notification
//     {"jsonrpc": "2.0", "id": 7, "result": {...}}                              a response
//     [message, ...]                                                            a batch
//
// The client is untrusted: nothing recurses, nesting is limited (base/json.h), and what is not a
// message becomes an error to answer with. An id is returned as the client wrote it, so that a
// number above 2^53 stays exact.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace wick::mcp {

// Codes of JSON-RPC, and one of MCP.
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kUnknownMethod = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kUnsupportedVersion = -32022;

inline constexpr size_t kLongestMessage = size_t{1} << 20;
inline constexpr size_t kLargestBatch = 100;

struct Message {
  enum class Kind : uint8_t { kRequest, kNotification, kResponse, kInvalid };

  Kind kind = Kind::kInvalid;
  std::string id = "null";  // JSON
  std::string method = {};
  Json params = {};
  int code = 0;            // kInvalid: what is wrong with it
  std::string error = {};  // a sentence
};

struct Messages {
  std::vector<Message> all;
  bool is_batch = false;
};

// At least one message, unless the line is blank.
Messages read_messages(std::string_view line);

}  // namespace wick::mcp
