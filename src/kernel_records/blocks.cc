// SPDX-License-Identifier: Apache-2.0
#include "kernel_records/blocks.h"

#include <algorithm>

namespace wick::kernel_records {

void BlockPool::release() {
  bytes_ -= free_bytes();
  std::erase_if(blocks_, [](const std::unique_ptr<Block>& block) { return block->is_free(); });
}

size_t BlockPool::free_bytes() const {
  size_t bytes = 0;
  for (const std::unique_ptr<Block>& block : blocks_) {
    bytes += block->is_free() ? block->capacity() : 0;
  }
  return bytes;
}

}  // namespace wick::kernel_records
