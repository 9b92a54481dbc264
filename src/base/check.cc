// SPDX-License-Identifier: Apache-2.0
#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace wick {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr,
               "wick: internal error: %s is false (%s:%d). Please report it with the input that "
               "caused it.\n",
               condition,
               file,
               line);
  std::abort();
}

}  // namespace wick
