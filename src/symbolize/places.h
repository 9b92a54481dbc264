// What is known of some addresses of one module: the function, its line, and what was inlined.
//
//     place      address -> a run of frames, the outermost first, the others inlined into it
//     frame      function and line; a frame without function only knows its line
//     function   name for people, name for the linker, file, line, address (0: known by DWARF only)
//     text       every name once
//
// The rows are plain numbers, so that they can be kept in a file as they are (base/kept_files.h)
// and looked at where they are mapped: places ascend by address. PlaceView is that; PlaceTable
// makes one. A view of a file is checked once, when it is opened, and may be believed from then on.
#pragma once

#include <cstdint>
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

struct Place {
  uint64_t address = 0;
  uint32_t first_frame = 0;
  uint32_t frames = 0;
};
struct PlaceFrame {
  static constexpr uint32_t kNoFunction = UINT32_MAX;
  uint32_t function = kNoFunction;
  uint32_t line = 0;
};
// Texts by number; 0 is the empty one.
struct PlaceFunction {
  uint64_t address = 0;
  uint32_t name = 0;
  uint32_t linkage_name = 0;
  uint32_t file = 0;
  uint32_t line = 0;
};

struct PlaceView {
  std::span<const Place> places;
  std::span<const PlaceFunction> functions;
  std::span<const PlaceFrame> frames;
  std::span<const uint32_t> text_ends;
  std::string_view text;

  // What PlaceTable::bytes() made, borrowed; nothing when it is anything else.
  static std::optional<PlaceView> parse(Bytes bytes);

  const Place* find(uint64_t address) const;
  std::span<const PlaceFrame> frames_of(const Place& place) const {
    return frames.subspan(place.first_frame, place.frames);
  }
  std::string_view string(uint32_t number) const {
    uint32_t begin = number == 0 ? 0 : text_ends[number - 1];
    return text.substr(begin, text_ends[number] - begin);
  }
};

class PlaceTable {
 public:
  PlaceTable() { string(""); }

  // `chain` is what DWARF says, the innermost first; it may be empty. An address is added once.
  void add(uint64_t address,
           const std::optional<NamedRange>& symbol,
           std::span<const DwarfFrame> chain);
  // Everything that another table knows.
  void add(const PlaceView& other);
  bool empty() const { return places_.empty(); }

  // Sorts; the view holds until something is added.
  PlaceView view();
  std::string bytes();

 private:
  uint32_t string(std::string_view text);
  uint32_t function(const PlaceFunction& function);
  uint32_t symbol_function(const NamedRange& symbol, const DwarfFrame* outer);
  uint32_t dwarf_function(const DwarfFrame& frame);
  PlaceFunction named(std::string_view linkage_name);
  void set_source(PlaceFunction& function, const DwarfFrame& frame);

  std::vector<Place> places_;
  std::vector<PlaceFrame> frames_;
  std::vector<PlaceFunction> functions_;
  std::vector<uint32_t> text_ends_;
  std::string text_;
  IdIndex string_index_;
  IdIndex function_index_;  // of functions_ by content
  // By what the sources say, so that a name is demangled once.
  std::unordered_map<uint64_t, uint32_t> symbol_functions_;  // by where they start
  // Where the texts are: names are long, and one text stands in one place as long as the table is
  // being made. The same text in two places costs a second look, not a second function.
  struct DwarfKey {
    const char* scope = nullptr;
    const char* name = nullptr;
    const char* file = nullptr;
    uint32_t line = 0;
    friend bool operator==(const DwarfKey&, const DwarfKey&) = default;
  };
  struct DwarfKeyHash {
    size_t operator()(const DwarfKey& key) const;
  };
  std::unordered_map<DwarfKey, uint32_t, DwarfKeyHash> dwarf_functions_;
};

}  // namespace wick
