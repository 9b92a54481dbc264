// SPDX-License-Identifier: Apache-2.0
#include "runtimes/python/evaluator.h"

#include <algorithm>
#include <string_view>

#include <elf.h>

#include "elf/function_ranges.h"
#include "elf/symbol_reader.h"

namespace wick::python {
namespace {

bool is_evaluator_name(std::string_view name) {
  constexpr std::string_view kName = "_PyEval_EvalFrameDefault";
  return name.starts_with(kName) && (name.size() == kName.size() || name[kName.size()] == '.');
}

}  // namespace

std::vector<CodeRange> find_evaluator(const ElfImage& image) {
  FunctionRanges functions(image);
  std::vector<CodeRange> ranges;
  for (std::string_view table : {".dynsym", ".symtab"}) {
    SymbolReader symbols(image, table);
    for (size_t i = 0; i < symbols.size(); ++i) {
      RawSymbol symbol = symbols[i];
      if (symbol.type != STT_FUNC || symbol.section == SHN_UNDEF ||
          !is_evaluator_name(symbols.name(symbol))) {
        continue;
      }
      uint64_t end = symbol.value + symbol.size;
      if (auto function = functions.find(symbol.value); function && function->end > end) {
        end = function->end;
      }
      if (end > symbol.value) {
        ranges.push_back({symbol.value, end});
      }
    }
  }
  std::ranges::sort(ranges, {}, &CodeRange::begin);
  auto doubles = std::ranges::unique(ranges, {}, &CodeRange::begin);
  ranges.erase(doubles.begin(), doubles.end());
  return ranges;
}

}  // namespace wick::python
