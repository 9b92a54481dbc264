// SPDX-License-Identifier: Apache-2.0
#include "base/descriptor.h"

#include <algorithm>
#include <cstdint>

#include <sys/resource.h>
#include <sys/syscall.h>

namespace wick {
namespace {

void close_range_of(unsigned first, unsigned last) {
  if (::syscall(SYS_close_range, first, last, 0) == 0) {
    return;
  }
  rlimit limit = {};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  auto end = std::min<uint64_t>(last, limit.rlim_cur);
  for (uint64_t each = first; each <= end; ++each) {
    ::close(static_cast<int>(each));
  }
}

}  // namespace

void close_all_but(std::initializer_list<int> ascending) {
  unsigned first = 0;
  for (int open : ascending) {
    auto number = static_cast<unsigned>(open);
    if (number > first) {
      close_range_of(first, number - 1);
    }
    first = number + 1;
  }
  close_range_of(first, ~0U);
}

}  // namespace wick
