// SPDX-License-Identifier: Apache-2.0
// The functions, lines and inlined calls at some addresses of one module.
//
//     entry      address -> its innermost frame, or none
//     frame      function, file, line and column, and the frame it was inlined into; a frame
//                without function only has its line. Entries share frames.
//     function   readable name, linker name, file, line, address (0: known by DWARF only), and how
//                its code was compiled
//     text       every name once
//
// The rows are plain numbers, so a file can store them unchanged (base/file_cache.h), and readers
// use them where they are mapped: entries ascend by address, and callers come before the frames
// inlined into them. AddressView is such a table; AddressTable makes one. A view of a file is
// checked once, when it is opened, and is valid from then on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "base/id_index.h"
#include "base/string_table.h"
#include "elf/dwarf_info.h"
#include "symbolize/code_build.h"
#include "symbolize/text_symbols.h"

namespace wick {

struct AddressFrame {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t function = kNone;
  uint32_t file = 0;  // text; file of the line, not of the function
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t caller = kNone;
};
struct AddressEntry {
  uint64_t address = 0;
  uint32_t innermost = AddressFrame::kNone;
  uint32_t unused = 0;
};
// Texts by number; 0 is the empty text.
struct AddressFunction {
  uint64_t address = 0;
  uint32_t name = 0;
  uint32_t linkage_name = 0;
  uint32_t file = 0;
  uint32_t line = 0;
  uint16_t is_made_up = 0;  // 1: no symbol; the name consists of the module and an address
  uint16_t build_kind = 0;  // BuildKind
  uint32_t build = 0;       // text; how the code was compiled (code_build.h)
};

// Calls use(item, entry) for each item that has the address of an entry. Items ascend by
// address_of(item) and may share an address; either side may be much longer than the other.
template <typename Item, typename AddressOf, typename Use>
void for_each_match(std::span<const Item> items,
                    std::span<const AddressEntry> entries,
                    AddressOf address_of,
                    Use use) {
  // The first from `at` on that is not below the address: steps that double, then a binary search.
  auto first_from = [](auto at, auto end, uint64_t address, auto key) {
    ptrdiff_t step = 1;
    while (end - at > step && key(*(at + step)) < address) {
      at += step;
      step *= 2;
    }
    auto last = end - at > step ? at + step + 1 : end;
    return std::ranges::lower_bound(at, last, address, {}, key);
  };
  auto item = items.begin();
  auto entry = entries.begin();
  while (item != items.end() && entry != entries.end()) {
    uint64_t address = address_of(*item);
    if (entry->address < address) {
      entry = first_from(
          entry, entries.end(), address, [](const AddressEntry& p) { return p.address; });
    } else if (address < entry->address) {
      item = first_from(item, items.end(), entry->address, address_of);
    } else {
      use(*item, *entry);
      ++item;
    }
  }
}

struct AddressView {
  std::span<const AddressEntry> entries;
  std::span<const AddressFunction> functions;
  std::span<const AddressFrame> frames;
  std::span<const uint32_t> text_ends;
  std::string_view text;

  // Parses the output of AddressTable::bytes(), borrowed; none if it is anything else.
  static std::optional<AddressView> parse(Bytes bytes);

  const AddressEntry* find(uint64_t address) const;
  // The numbers of the frames of an entry, the outermost first.
  void frames_of(const AddressEntry& entry, std::vector<uint32_t>& numbers) const;
  std::string_view string(uint32_t number) const {
    uint32_t begin = number == 0 ? 0 : text_ends[number - 1];
    return text.substr(begin, text_ends[number] - begin);
  }
};

class AddressTable {
 public:
  // Linker names need no demangling: 100,000 addresses of a C++ program take 198 ms of CPU time
  // instead of 256, partly because the text is shorter. With kNone, functions are not even looked
  // up (they are if answers are cached, since the next request may be for names).
  enum class Names : uint8_t { kForPeople, kOfLinker, kNone };
  explicit AddressTable(Names names = Names::kForPeople) : names_(names) { string(""); }

  // How the code of the next addresses was compiled.
  void set_build(const CodeBuild& build);
  // Adds an address for which DWARF has nothing. Add each address once.
  void add(uint64_t address, const std::optional<NamedRange>& symbol);
  // A function of a list, with the line if the list has lines.
  void add_listed(uint64_t address, const NamedCode& code);
  // Adds DWARF's answers for some addresses. The function that has the code gets its name from the
  // symbol table: symbol(address, has_name) returns it, where has_name says whether DWARF has a
  // name.
  using SymbolAt = std::function<std::optional<NamedRange>(uint64_t address, bool has_name)>;
  void add(std::span<const uint64_t> addresses, const DwarfChains& chains, const SymbolAt& symbol);
  // Adds everything from another table.
  void add(const AddressView& other);
  bool empty() const { return entries_.empty(); }

  // Sorts; the view is valid until something is added.
  AddressView view();
  std::string bytes();

 private:
  class ChainReader;

  uint32_t string(std::string_view text);
  uint32_t function(const AddressFunction& function);
  uint32_t symbol_function(const NamedRange& symbol);
  uint32_t listed_function(const NamedCode& code);
  AddressFunction named(std::string_view linkage_name);
  void add_build(AddressFunction& function) const;

  Names names_;
  std::vector<AddressEntry> entries_;
  std::vector<AddressFrame> frames_;
  std::vector<AddressFunction> functions_;
  std::vector<uint32_t> text_ends_;
  std::string text_;
  std::vector<uint64_t> text_hashes_;
  IdIndex string_index_;
  IdIndex function_index_;                                   // of functions_ by content
  std::unordered_map<uint64_t, uint32_t> symbol_functions_;  // by start address
  // The function of a list that was added last, by number and as the list names it.
  uint32_t last_listed_ = AddressFrame::kNone;
  std::string last_listed_name_;
  // Of the current addresses.
  uint32_t build_ = 0;
  BuildKind build_kind_ = BuildKind::kUnknown;
};

}  // namespace wick
