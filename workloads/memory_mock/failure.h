// Something the program cannot mend: a whole sentence for the person who started it. Thrown where
// it is found, printed once by main (status 1).
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

// "Connection refused" and the like, for the last call that failed.
inline std::string why() {
  return std::strerror(errno);
}

}  // namespace memory_mock
