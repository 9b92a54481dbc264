// SPDX-License-Identifier: Apache-2.0
#include "base/whole_input.h"

namespace wick {

WholeInput::WholeInput(Input& input) : mapped_(input.map()) {
  while (mapped_ == nullptr) {
    Result<Bytes> block = input.next();
    if (!block) {
      error_ = block.error().message;
      return;
    }
    if (block->empty()) {
      return;
    }
    if (block->size() > kMaxCollected - text_.size()) {
      error_ = "it unpacks to more than 1 GiB";
      return;
    }
    text_ += as_text(*block);
  }
}

std::string whole_file(const std::string& path) {
  Result<Input> input = Input::open(path, nullptr);
  return input ? std::string(WholeInput(*input).text()) : std::string();
}

}  // namespace wick
