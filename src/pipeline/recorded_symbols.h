// SPDX-License-Identifier: Apache-2.0
// The names in the recording itself for one file (simpleperf writes them).
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "stream/event.h"
#include "symbolize/text_symbols.h"

namespace wick {

class RecordedSymbols {
 public:
  void add(const SymbolEvent& symbol);
  // By linked address or by file offset; ranges use the same kind, names are borrowed.
  std::optional<NamedRange> find_linked(uint64_t address);
  std::optional<NamedRange> find_in_file(uint64_t offset);

 private:
  // `rows` are the symbols in the order of `start_of`, sorted on first use.
  template <typename StartOf>
  std::optional<NamedRange> find(std::vector<uint32_t>& rows, uint64_t at, StartOf start_of);

  std::vector<SymbolEvent> symbols_;  // text_ has their names
  std::deque<std::string> text_;
  std::vector<uint32_t> by_address_;
  std::vector<uint32_t> by_offset_;
};

}  // namespace wick
