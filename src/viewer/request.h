// SPDX-License-Identifier: Apache-2.0
// Decides about one HTTP request: which content to send, or which status refuses it.
//
// The server supports only GET, and only the headers that it must check. All bytes of a request are
// untrusted, so decide() accepts exact matches and refuses everything else.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace wick {

// The contents of the server, and the secret that a request must contain.
struct Site {
  uint16_t port = 0;
  std::string token;                                // first part of every path
  std::map<std::string, std::string_view> content;  // name after the token, and content type
};

struct Decision {
  int status = 200;
  std::string name;  // the content to send, if the status is 200
};

// `head` is everything before the empty line. 400: malformed; 403: from another site or for another
// host; 404: unknown; 405: not GET. The server itself answers 431.
Decision decide(std::string_view head, const Site& site);

std::string_view status_text(int status);

}  // namespace wick
