// SPDX-License-Identifier: Apache-2.0
#include "symbolize/text_symbols.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <tuple>

#include "base/lines.h"
#include "elf/symbols.h"

namespace wick {
namespace {

constexpr size_t kMaxTextBytes = std::numeric_limits<int32_t>::max();

// Removes a hexadecimal number, with or without 0x, and the blank after it from the front.
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
  if (begin + name.size() > kMaxTextBytes) {
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
    // The same code serves programs of both kinds; the usual kind's name is preferred.
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
    // A kernel that hides its addresses prints all of them as 0.
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
  result.keep_best_names();
  result.reach_to_next();
  return result;
}

void TextSymbols::keep_best_names() {
  std::vector<Row> unique;
  unique.reserve(rows_.size());
  for (const Row& row : rows_) {
    if (unique.empty() || unique.back().start != row.start) {
      unique.push_back(row);
    } else if (is_better(row, unique.back())) {
      unique.back() = row;
    }
  }
  rows_ = std::move(unique);
}

void TextSymbols::reach_to_next() {
  for (size_t i = 0; i + 1 < rows_.size(); ++i) {
    rows_[i].size = rows_[i + 1].start - rows_[i].start;
  }
  if (!rows_.empty()) {
    rows_.back().size = 4096;  // unknown; an address far beyond is not in this function
  }
}

TextSymbols TextSymbols::from_perf_map(std::string text) {
  TextSymbols result;
  // Without its end the last line may lack a part of the name, or of the size.
  size_t whole_lines = text.rfind('\n') + 1;
  result.is_cut_ = whole_lines < text.size();
  text.resize(whole_lines);
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

TextSymbols TextSymbols::from_nm(std::string text) {
  TextSymbols result;
  size_t sizes = 0;
  result.text_ = std::move(text);
  for_each_line(result.text_, [&](std::string_view line) {
    if (line.ends_with('\r')) {
      line.remove_suffix(1);
    }
    std::optional<uint64_t> start = take_hex(line);
    // A kind is one letter, and some of these letters are hexadecimal digits.
    bool has_size = line.size() > 1 && line[1] != ' ';
    std::optional<uint64_t> size = has_size ? take_hex(line) : std::optional<uint64_t>(0);
    bool is_symbol = start && size && line.size() > 2 && line[1] == ' ';
    if (!is_symbol) {
      ++result.skipped_;
      return;
    }
    sizes += *size > 0 ? 1U : 0U;
    bool global = line[0] == 'T' || line[0] == 'W';
    std::string_view name = line.substr(2);
    result.add(*start, *size, is_function_kind(line[0]) ? name : name.substr(0, 0), global);
  });
  if (sizes > 0) {
    std::erase_if(result.rows_, [](const Row& row) { return row.size == 0 || row.name_size == 0; });
  }
  result.sort();
  result.keep_best_names();
  if (sizes == 0) {
    result.reach_to_next();
  }
  return result;
}

std::optional<NamedRange> TextSymbols::find_before(uint64_t address) const {
  auto after = std::ranges::upper_bound(rows_, address, {}, &Row::start);
  if (after == rows_.begin()) {
    return {};
  }
  const Row& row = *(after - 1);
  return row.name_size == 0 ? std::nullopt
                            : std::optional(NamedRange{row.start, row.size, name(row)});
}

std::optional<NamedRange> TextSymbols::find(uint64_t address) const {
  if (latest_) {
    uint32_t row = latest_->find(address);
    return row == RangeTable::kNone ? std::nullopt : std::optional((*this)[row]);
  }
  std::optional<NamedRange> found = find_before(address);
  return found && address - found->start < found->size ? found : std::nullopt;
}

}  // namespace wick
