// SPDX-License-Identifier: Apache-2.0
#include "base/lines.h"

#include <algorithm>

namespace wick {

bool LineReader::refill() {
  if (ended_) {
    return false;
  }
  if (file_ != nullptr) {
    return refill_from_file();
  }
  Result<Bytes> block = input_.next();
  if (!block) {
    error_ = block.error().message;
  }
  ended_ = !block || block->empty();
  block_ = ended_ ? std::string_view() : as_text(*block);
  return !ended_;
}

bool LineReader::refill_from_file() {
  Bytes all = file_->bytes();
  file_->forget(window_begin_, window_end_);
  window_begin_ = window_end_;
  window_end_ = std::min<uint64_t>(all.size(), window_begin_ + kWindowBytes);
  input_.report_progress(window_begin_);
  block_ = as_text(all.subspan(window_begin_, window_end_ - window_begin_));
  ended_ = block_.empty();
  if (ended_ && file_->changed()) {
    error_ = "The file became shorter while it was read.";
  }
  return !ended_;
}

void LineReader::carry(std::string_view piece) {
  size_t room = kMaxLineBytes - std::min(kMaxLineBytes, carried_.size());
  cut_ = cut_ || piece.size() > room;
  carried_.append(piece.substr(0, room));
  carrying_ = true;
}

std::optional<Line> LineReader::next_across_blocks() {
  if (!carrying_) {
    carried_.clear();
  }
  while (!block_.empty() || refill()) {
    size_t end = block_.find('\n');
    std::string_view piece = block_.substr(0, end);
    block_.remove_prefix(end == std::string_view::npos ? block_.size() : end + 1);
    if (end != std::string_view::npos && !carrying_) {
      return finish(piece);
    }
    carry(piece);
    if (end != std::string_view::npos) {
      return finish(carried_);
    }
  }
  // If the input broke off inside a line, that line is incomplete: its number may lack digits.
  if (carrying_ && error_.empty()) {
    return finish(carried_, false);
  }
  return std::nullopt;
}

}  // namespace wick
