// SPDX-License-Identifier: Apache-2.0
// An error that the program cannot repair: a whole sentence for the user. Thrown where it is
// detected, printed once by main (status 1).
#pragma once

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace memory_mock {

class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// "Connection refused" and the like, for the last failed call.
inline std::string why() {
  return std::strerror(errno);
}

}  // namespace memory_mock
