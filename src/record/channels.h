// SPDX-License-Identifier: Apache-2.0
// How the threads and processes of a recording wait for each other: a pipe, and a descriptor that
// becomes readable when it is signalled, for poll().
#pragma once

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <sys/eventfd.h>

#include "base/descriptor.h"
#include "base/result.h"

namespace wick::record {

// What to do if a descriptor could not be opened, as one more sentence.
inline std::string_view descriptor_advice(int error) {
  return error == EMFILE ? " Raise the limit of open files: `ulimit -n 1024`." : "";
}

struct Pipe {
  Descriptor read;
  Descriptor write;
};

inline Result<Pipe> make_pipe() {
  std::array<int, 2> ends = {-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail("Cannot create a pipe: {}.{}", std::strerror(errno), descriptor_advice(errno));
  }
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

class Wakeup {
 public:
  // An owner must call open() before it uses the rest.
  Result<> open() {
    descriptor_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!descriptor_.valid()) {
      return fail("Cannot create an event descriptor: {}.{}",
                  std::strerror(errno),
                  descriptor_advice(errno));
    }
    return {};
  }

  int get() const { return descriptor_.get(); }
  void signal() const {
    uint64_t one = 1;
    [[maybe_unused]] ssize_t written = ::write(get(), &one, sizeof one);
  }
  void clear() const {
    uint64_t count = 0;
    [[maybe_unused]] ssize_t got = ::read(get(), &count, sizeof count);
  }

 private:
  Descriptor descriptor_;
};

}  // namespace wick::record
