// What is known of some addresses of one module: the function, its line, and what was inlined.
//
//     place      address -> its innermost frame, or none
//     frame      function, file, line and column, and the frame it was inlined into; a frame
//                without function only has its line. Places share frames.
//     function   name for people, name for the linker, file, line, address (0: known by DWARF only)
//     text       every name once
//
// The rows are plain numbers, so that they can be kept in a file as they are (base/kept_files.h)
// and looked at where they are mapped: places ascend by address, callers stand before what is
// inlined into them. PlaceView is that; PlaceTable makes one. A view of a file is checked once,
// when it is opened, and may be believed from then on.
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
#include "symbolize/text_symbols.h"

namespace wick {

struct PlaceFrame {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint32_t function = kNone;
  uint32_t file = 0;  // text; of the line, not of the function
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t caller = kNone;
};
struct Place {
  uint64_t address = 0;
  uint32_t innermost = PlaceFrame::kNone;
  uint32_t unused = 0;
};
// Texts by number; 0 is the empty one.
struct PlaceFunction {
  uint64_t address = 0;
  uint32_t name = 0;
  uint32_t linkage_name = 0;
  uint32_t file = 0;
  uint32_t line = 0;
  uint32_t is_made_up =
      0;  // 1: there was no symbol, the name is made from the module and an address
  uint32_t unused = 0;
};

// Calls use(item, place) for each item whose address is that of a place. Items ascend by
// address_of(item) and may share one; either side may be much longer than the other.
template <typename Item, typename AddressOf, typename Use>
void for_each_match(std::span<const Item> items,
                    std::span<const Place> places,
                    AddressOf address_of,
                    Use use) {
  // The first from `at` on that is not below the address: steps that double, then halves.
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
  auto place = places.begin();
  while (item != items.end() && place != places.end()) {
    uint64_t address = address_of(*item);
    if (place->address < address) {
      place = first_from(place, places.end(), address, [](const Place& p) { return p.address; });
    } else if (address < place->address) {
      item = first_from(item, items.end(), place->address, address_of);
    } else {
      use(*item, *place);
      ++item;
    }
  }
}

struct PlaceView {
  std::span<const Place> places;
  std::span<const PlaceFunction> functions;
  std::span<const PlaceFrame> frames;
  std::span<const uint32_t> text_ends;
  std::string_view text;

  // What PlaceTable::bytes() made, borrowed; nothing when it is anything else.
  static std::optional<PlaceView> parse(Bytes bytes);

  const Place* find(uint64_t address) const;
  // Numbers of the frames at a place, the outermost first.
  void frames_of(const Place& place, std::vector<uint32_t>& numbers) const;
  std::string_view string(uint32_t number) const {
    uint32_t begin = number == 0 ? 0 : text_ends[number - 1];
    return text.substr(begin, text_ends[number] - begin);
  }
};

class PlaceTable {
 public:
  // Names as the linker has them need no demangling: 100,000 addresses of a C++ program take 198 ms
  // of CPU time instead of 256, of which a part is that the text is shorter.
  // Without any, the functions are not even looked up (where answers are kept they are, since the
  // next question may be for names).
  enum class Names : uint8_t { kForPeople, kOfLinker, kNone };
  explicit PlaceTable(Names names = Names::kForPeople) : names_(names) { string(""); }

  // An address is added once. Here, DWARF knows nothing of it.
  void add(uint64_t address, const std::optional<NamedRange>& symbol);
  // What DWARF says of some addresses. The function that has the code keeps its name from the
  // symbol table: symbol(address, has_name) tells it, and DWARF has a name or not.
  using SymbolAt = std::function<std::optional<NamedRange>(uint64_t address, bool has_name)>;
  void add(std::span<const uint64_t> addresses, const DwarfChains& chains, const SymbolAt& symbol);
  // Everything that another table knows.
  void add(const PlaceView& other);
  bool empty() const { return places_.empty(); }

  // Sorts; the view holds until something is added.
  PlaceView view();
  std::string bytes();

 private:
  class ChainReader;

  uint32_t string(std::string_view text);
  uint32_t function(const PlaceFunction& function);
  uint32_t symbol_function(const NamedRange& symbol);
  PlaceFunction named(std::string_view linkage_name);

  Names names_;
  std::vector<Place> places_;
  std::vector<PlaceFrame> frames_;
  std::vector<PlaceFunction> functions_;
  std::vector<uint32_t> text_ends_;
  std::string text_;
  std::vector<uint64_t> text_hashes_;
  IdIndex string_index_;
  IdIndex function_index_;                                   // of functions_ by content
  std::unordered_map<uint64_t, uint32_t> symbol_functions_;  // by where they start
};

}  // namespace wick
