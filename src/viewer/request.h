// SPDX-License-Identifier: Apache-2.0
// One HTTP request as the server understands it: GET, and nothing else about HTTP than it must
// know. Everything here comes from a stranger; what is not exactly right is refused.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace wick {

// What the server serves, and who may ask for it.
struct Site {
  uint16_t port = 0;
  std::string token;                                // first part of every path
  std::map<std::string, std::string_view> content;  // name after the token to type
};

struct Decision {
  int status = 200;
  std::string name;  // what to send, when the status is 200
};

// `head` is everything before the empty line. 400 malformed, 403 from another site or for another
// host, 404 unknown, 405 not GET, 431 is the reader's.
Decision decide(std::string_view head, const Site& site);

std::string_view status_text(int status);

}  // namespace wick
