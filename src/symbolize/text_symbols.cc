#include "symbolize/text_symbols.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>

#include "base/lines.h"
#include "elf/symbols.h"

namespace wick {
namespace {

constexpr size_t kMostTextBytes = std::numeric_limits<int32_t>::max();

// Takes a hexadecimal number, with or without 0x, and the blank behind it off the front.
std::optional<uint64_t> take_hex(std::string_view& line) {
  std::string_view rest = line;
  if (rest.starts_with("0x")) {
    rest.remove_prefix(2);
  }
  uint64_t value = 0;
  auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value, 16);
  if (error != std::errc()) {
    return {};
  }
  rest.remove_prefix(static_cast<size_t>(end - rest.data()));
  if (rest.empty() || (rest[0] != ' ' && rest[0] != '\t')) {
    return {};
  }
  line = rest.substr(1);
  return value;
}

bool is_function_kind(char kind) {
  return kind == 't' || kind == 'T' || kind == 'w' || kind == 'W';
}

}  // namespace

void TextSymbols::add(uint64_t start, uint64_t size, std::string_view name, bool global) {
  auto begin = static_cast<size_t>(name.data() - text_.data());
  if (begin + name.size() > kMostTextBytes) {
    ++skipped_;
    return;
  }
  rows_.push_back({.start = start,
                   .size = size,
                   .name_begin = static_cast<uint32_t>(begin),
                   .name_size = static_cast<uint32_t>(name.size()) & 0x7FFF'FFFFU,
                   .global = global ? 1U : 0U});
}

void TextSymbols::sort() {
  if (!std::ranges::is_sorted(rows_, {}, &Row::start)) {
    std::ranges::stable_sort(rows_, {}, &Row::start);
  }
}

bool TextSymbols::is_better(const Row& a, const Row& b) const {
  auto rank = [&](const Row& row) {
    std::string_view text = name(row);
    auto underscores = static_cast<int64_t>(std::min(text.find_first_not_of('_'), text.size()));
    // The same code serves programs of both kinds: the name is that of the usual one.
    bool internal = is_internal_alias(text) || text.starts_with("__ia32_");
    return std::tuple(row.name_size > 0, !internal, row.global == 1, -underscores, text.size());
  };
  return rank(a) > rank(b);
}

TextSymbols TextSymbols::from_kallsyms(std::string text) {
  TextSymbols result;
  result.text_ = std::move(text);
  result.rows_.reserve(result.text_.size() / 40);
  for_each_line(result.text_, [&](std::string_view line) {
    std::optional<uint64_t> address = take_hex(line);
    if (!address || line.size() < 3 || line[1] != ' ') {
      ++result.skipped_;
      return;
    }
    char kind = line[0];
    std::string_view name = line.substr(2, line.find_first_of("\t ", 2) - 2);
    // A kernel that hides its addresses gives all of them as 0.
    if (*address == 0) {
      return;
    }
    bool global = kind == 'T' || kind == 'W';
    result.add(*address, 0, is_function_kind(kind) ? name : name.substr(0, 0), global);
    if (name == "_text" || (name == "_stext" && result.kernel_text_ == 0)) {
      result.kernel_text_ = *address;
    }
  });
  result.sort();
  // All symbols of one address end at the next one.
  std::vector<Row> unique;
  unique.reserve(result.rows_.size());
  for (const Row& row : result.rows_) {
    if (unique.empty() || unique.back().start != row.start) {
      unique.push_back(row);
    } else if (result.is_better(row, unique.back())) {
      unique.back() = row;
    }
  }
  for (size_t i = 0; i + 1 < unique.size(); ++i) {
    unique[i].size = unique[i + 1].start - unique[i].start;
  }
  if (!unique.empty()) {
    unique.back().size = 4096;  // nobody knows; what is far beyond is not this function
  }
  result.rows_ = std::move(unique);
  return result;
}

TextSymbols TextSymbols::from_perf_map(std::string text) {
  TextSymbols result;
  result.text_ = std::move(text);
  for_each_line(result.text_, [&](std::string_view line) {
    std::optional<uint64_t> start = take_hex(line);
    std::optional<uint64_t> size = start ? take_hex(line) : start;
    if (!size || *size == 0 || *size > UINT64_MAX - *start || line.empty()) {
      ++result.skipped_;
      return;
    }
    result.add(*start, *size, line, false);
  });
  std::vector<OwnedRange> ranges;
  ranges.reserve(result.rows_.size());
  for (const Row& row : result.rows_) {
    ranges.push_back({row.start, row.start + row.size, static_cast<uint32_t>(ranges.size())});
  }
  result.latest_ = RangeTable(std::move(ranges), RangeTable::Winner::kLarger);
  return result;
}

std::optional<NamedRange> TextSymbols::find(uint64_t address) const {
  if (latest_) {
    uint32_t row = latest_->find(address);
    return row == RangeTable::kNone ? std::nullopt : std::optional((*this)[row]);
  }
  auto after = std::ranges::upper_bound(rows_, address, {}, &Row::start);
  if (after == rows_.begin()) {
    return {};
  }
  const Row& row = *(after - 1);
  if (address - row.start >= row.size || row.name_size == 0) {
    return {};
  }
  return NamedRange{row.start, row.size, name(row)};
}

}  // namespace wick
