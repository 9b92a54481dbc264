// SPDX-License-Identifier: Apache-2.0
#include "base/pod_vector.h"

#include <cstdint>

#include <sys/mman.h>

namespace wick {

void prefer_huge_pages(void* block, size_t bytes) {
  constexpr size_t kHugePage = 2 << 20;
  if (bytes < 2 * kHugePage) {
    return;
  }
  auto begin = (reinterpret_cast<uintptr_t>(block) + kHugePage - 1) / kHugePage * kHugePage;
  auto end = (reinterpret_cast<uintptr_t>(block) + bytes) / kHugePage * kHugePage;
  // This is only advice: a kernel without huge pages refuses it, which is harmless.
  ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace wick
