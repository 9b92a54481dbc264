// SPDX-License-Identifier: Apache-2.0
// All bytes of an input at once, for readers that need it as one text. A plain file is mapped;
// other inputs are collected in memory. That is bounded, since a small packed file can unpack to
// any size: beyond the bound the text ends, and error() says so.
#pragma once

#include <string>
#include <string_view>

#include "base/input.h"

namespace wick {

class WholeInput {
 public:
  static constexpr size_t kMaxCollected = size_t{1} << 30;

  // The input must outlive this.
  explicit WholeInput(Input& input);

  std::string_view text() const { return mapped_ != nullptr ? as_text(mapped_->bytes()) : text_; }
  // Why the text is incomplete; empty if it is complete.
  const std::string& error() const { return error_; }

 private:
  const MappedFile* mapped_;
  std::string text_;
  std::string error_;
};

// The content of a small system file, also of files without a size (/proc, /sys); empty if it
// cannot be read.
std::string whole_file(const std::string& path);

}  // namespace wick
