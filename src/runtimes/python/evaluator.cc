// SPDX-License-Identifier: Apache-2.0
#include "runtimes/python/evaluator.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <elf.h>

#include "elf/function_ranges.h"
#include "elf/symbol_reader.h"
#include "isa/instruction.h"

namespace wick::python {
namespace {

bool is_evaluator_name(std::string_view name) {
  constexpr std::string_view kName = "_PyEval_EvalFrameDefault";
  return name.starts_with(kName) && (name.size() == kName.size() || name[kName.size()] == '.');
}

constexpr size_t kMaxRanges = 16;  // a file may claim any number

// What the file names, as far as unwind entries know it.
std::vector<CodeRange> named_ranges(const ElfImage& image, const FunctionRanges& functions) {
  std::vector<CodeRange> ranges;
  for (std::string_view table : {".dynsym", ".symtab"}) {
    SymbolReader symbols(image, table);
    for (size_t i = 0; i < symbols.size() && ranges.size() < kMaxRanges; ++i) {
      RawSymbol symbol = symbols[i];
      if (symbol.type != STT_FUNC || symbol.section == SHN_UNDEF ||
          !is_evaluator_name(symbols.name(symbol))) {
        continue;
      }
      uint64_t end = symbol.value + symbol.size;
      if (auto function = functions.find(symbol.value); function && function->end > end) {
        end = function->end;
      }
      if (end > symbol.value && !is_in(ranges, symbol.value)) {
        ranges.push_back({symbol.value, end});
      }
    }
  }
  return ranges;
}

std::optional<isa::InstructionSet> instructions_of(Architecture machine) {
  switch (machine) {
    case Architecture::kX86_64:
      return isa::InstructionSet::kX86_64;
    case Architecture::kAarch64:
      return isa::InstructionSet::kAarch64;
    default:
      return {};
  }
}

// Adds the parts that the code of a range jumps into. A jump to the start of an entry may be a call
// of another function in the last position.
void add_moved_parts(const ElfImage& image,
                     const FunctionRanges& functions,
                     CodeRange range,
                     std::vector<CodeRange>& ranges) {
  constexpr size_t kLargest = size_t{1} << 20;
  std::optional<isa::InstructionSet> instructions = instructions_of(image.machine());
  if (!instructions) {
    return;
  }
  Bytes code = image.bytes_at(range.begin);
  code = code.first(std::min<uint64_t>({code.size(), range.end - range.begin, kLargest}));
  for (size_t at = 0; at < code.size();) {
    isa::Instruction found = isa::decode(*instructions, code.subspan(at), range.begin + at);
    at += std::max<size_t>(found.length, 1);
    bool is_direct_jump =
        found.kind == isa::Kind::kJump || found.kind == isa::Kind::kConditionalJump;
    if (!found.ok() || !is_direct_jump) {
      continue;
    }
    auto part = functions.find(found.target);
    if (part && found.target != part->begin && !is_in(ranges, found.target) &&
        ranges.size() < kMaxRanges) {
      ranges.push_back({part->begin, part->end});
    }
  }
}

}  // namespace

bool is_in(const std::vector<CodeRange>& ranges, uint64_t address) {
  return std::ranges::any_of(ranges, [&](const CodeRange& range) {
    return address >= range.begin && address < range.end;
  });
}

std::vector<CodeRange> find_evaluator(const ElfImage& image) {
  FunctionRanges functions(image);
  std::vector<CodeRange> ranges = named_ranges(image, functions);
  for (size_t next = 0; next < ranges.size(); ++next) {
    add_moved_parts(image, functions, ranges[next], ranges);
  }
  return ranges;
}

}  // namespace wick::python
