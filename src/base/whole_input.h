// All bytes of an input at once, for readers that look at it as one text: mapped where it is a
// plain file, else collected. What is collected is bounded, since a small packed file can unpack to
// any size; beyond the bound the input breaks off, and error() says so.
#pragma once

#include <string>
#include <string_view>

#include "base/input.h"

namespace wick {

class WholeInput {
 public:
  static constexpr size_t kMostCollected = size_t{1} << 30;

  // The input must outlive this.
  explicit WholeInput(Input& input);

  std::string_view text() const { return mapped_ != nullptr ? as_text(mapped_->bytes()) : text_; }
  // Why it is not all there; empty when it is.
  const std::string& error() const { return error_; }

 private:
  const MappedFile* mapped_;
  std::string text_;
  std::string error_;
};

// The text of a small file of the system, also of those that have no size (/proc, /sys); empty when
// it cannot be read.
std::string whole_file(const std::string& path);

}  // namespace wick
