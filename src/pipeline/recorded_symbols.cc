// SPDX-License-Identifier: Apache-2.0
#include "pipeline/recorded_symbols.h"

#include <algorithm>
#include <numeric>

namespace wick {
namespace {

// A symbol without a file has only its address.
uint64_t file_offset(const SymbolEvent& symbol) {
  return symbol.file_offset == SymbolEvent::kNoFile ? symbol.address : symbol.file_offset;
}

}  // namespace

void RecordedSymbols::add(const SymbolEvent& symbol) {
  text_.emplace_back(symbol.name);
  SymbolEvent owned = symbol;
  owned.name = text_.back();
  owned.path = {};
  symbols_.push_back(owned);
}

template <typename StartOf>
std::optional<NamedRange> RecordedSymbols::find(std::vector<uint32_t>& rows,
                                                uint64_t at,
                                                StartOf start_of) {
  auto start_of_row = [&](uint32_t row) { return start_of(symbols_[row]); };
  if (rows.size() != symbols_.size()) {
    rows.resize(symbols_.size());
    std::iota(rows.begin(), rows.end(), 0U);
    std::ranges::stable_sort(rows, {}, start_of_row);
  }
  auto after = std::ranges::upper_bound(rows, at, {}, start_of_row);
  if (after == rows.begin()) {
    return {};
  }
  const SymbolEvent& symbol = symbols_[*(after - 1)];
  uint64_t start = start_of(symbol);
  return at - start < symbol.size ? std::optional(NamedRange{start, symbol.size, symbol.name})
                                  : std::nullopt;
}

std::optional<NamedRange> RecordedSymbols::find_linked(uint64_t address) {
  return find(by_address_, address, [](const SymbolEvent& symbol) { return symbol.address; });
}

std::optional<NamedRange> RecordedSymbols::find_in_file(uint64_t offset) {
  return find(by_offset_, offset, file_offset);
}

}  // namespace wick
