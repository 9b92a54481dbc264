#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace wick {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr,
               "wick: a defect in wick itself: %s does not hold (%s:%d). "
               "Please report it with the input that led here.\n",
               condition,
               file,
               line);
  std::abort();
}

}  // namespace wick
