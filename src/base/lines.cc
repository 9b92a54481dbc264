#include "base/lines.h"

#include <algorithm>

namespace wick {

bool LineReader::refill() {
  if (ended_) {
    return false;
  }
  Result<Bytes> block = input_.next();
  if (!block) {
    error_ = block.error().message;
  }
  ended_ = !block || block->empty();
  block_ = ended_ ? std::string_view() : as_text(*block);
  return !ended_;
}

void LineReader::carry(std::string_view piece) {
  size_t room = kMaxLineBytes - std::min(kMaxLineBytes, carried_.size());
  cut_ = cut_ || piece.size() > room;
  carried_.append(piece.substr(0, room));
  carrying_ = true;
}

Line LineReader::finish(std::string_view text) {
  if (text.ends_with('\r')) {
    text.remove_suffix(1);
  }
  Line line{text, ++number_, cut_};
  carrying_ = false;
  cut_ = false;
  return line;
}

std::optional<Line> LineReader::next() {
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
  // A line that the input broke off in is not whole: its number may miss digits.
  if (carrying_ && error_.empty()) {
    return finish(carried_);
  }
  return std::nullopt;
}

}  // namespace wick
