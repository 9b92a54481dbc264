// SPDX-License-Identifier: Apache-2.0
// The names that the recording itself has for one file (simpleperf writes them).
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
  // By address as linked, or by offset in the file; ranges are counted likewise, names borrowed.
  std::optional<NamedRange> find_linked(uint64_t address);
  std::optional<NamedRange> find_in_file(uint64_t offset);

 private:
  // `rows` are the symbols in the order of `start_of`, sorted when they are first asked for.
  template <typename StartOf>
  std::optional<NamedRange> find(std::vector<uint32_t>& rows, uint64_t at, StartOf start_of);

  std::vector<SymbolEvent> symbols_;  // names live in text_
  std::deque<std::string> text_;
  std::vector<uint32_t> by_address_;
  std::vector<uint32_t> by_offset_;
};

}  // namespace wick
