// SPDX-License-Identifier: Apache-2.0
// Memory for records that cannot be borrowed from a file: those of a pipe, and unpacked ones.
//
// A block holds records one after another. It must stay as long as a run of waiting records is in
// it (order.h). It is freed at a checkpoint, because delivered samples borrow from it until then.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/bytes.h"
#include "kernel_records/order.h"

namespace wick::kernel_records {

class Block : public RunHome {
 public:
  explicit Block(size_t capacity)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(capacity)), capacity_(capacity) {}

  std::byte* data() { return bytes_.get(); }
  size_t capacity() const { return capacity_; }

  void passed(const std::byte* /*begin*/, const std::byte* /*end*/) override {}
  void run_opened() override { ++runs_; }
  void run_finished() override { --runs_; }

  // No more records will be added.
  void retire() { retired_ = true; }
  bool is_free() const { return retired_ && runs_ == 0; }
  // A free block gets records again.
  void reuse() { retired_ = false; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  size_t capacity_;
  size_t runs_ = 0;
  bool retired_ = false;
};

class BlockPool {
 public:
  // The first blocks are small, because most pipes are.
  static constexpr size_t kSmallBlockBytes = 64 << 10;
  static constexpr size_t kBlockBytes = 1 << 20;

  Block& add(size_t capacity) {
    blocks_.push_back(std::make_unique<Block>(capacity));
    bytes_ += capacity;
    return *blocks_.back();
  }
  // Frees the blocks that are no longer in use: call it right after a checkpoint.
  void release();

  size_t bytes() const { return bytes_; }
  // Total size of the blocks that release() would free.
  size_t free_bytes() const;

 private:
  std::vector<std::unique_ptr<Block>> blocks_;
  size_t bytes_ = 0;
};

}  // namespace wick::kernel_records
