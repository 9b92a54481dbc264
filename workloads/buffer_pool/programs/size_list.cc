// SPDX-License-Identifier: Apache-2.0
#include "buffer_pool/programs/size_list.h"

#include <charconv>

namespace buffer_pool {

namespace {

constexpr int kMostCount = 1'000'000;

// Removes a whole number from the front of the text.
template <typename Integer>
bool take_number(std::string_view& text, Integer& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) {
    return false;
  }
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

bool take_size(std::string_view text, size_t& size) {
  if (!take_number(text, size) || size > kLargestSize) {
    return false;
  }
  if (text == "K" || text == "M") {
    size <<= text == "K" ? 10U : 20U;
    text.remove_prefix(1);
  }
  return text.empty() && size >= kSmallestSize && size <= kLargestSize;
}

std::optional<SizeRow> parse_row(std::string_view text) {
  SizeRow row;
  size_t cross = text.find('x');
  if (cross != std::string_view::npos) {
    std::string_view count = text.substr(0, cross);
    if (!take_number(count, row.count) || !count.empty() || row.count < 1 ||
        row.count > kMostCount) {
      return std::nullopt;
    }
    text.remove_prefix(cross + 1);
  }
  return take_size(text, row.size) ? std::optional(row) : std::nullopt;
}

}  // namespace

std::optional<SizeList> parse_sizes(std::string_view text) {
  SizeList list;
  while (!text.empty()) {
    size_t comma = text.find(',');
    std::optional<SizeRow> row = parse_row(text.substr(0, comma));
    if (!row || comma + 1 == text.size()) {
      return std::nullopt;
    }
    list.push_back(*row);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  return list;
}

}  // namespace buffer_pool
