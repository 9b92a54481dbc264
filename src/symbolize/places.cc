#include "symbolize/places.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/check.h"
#include "base/hash.h"
#include "symbolize/demangle.h"

namespace wick {
namespace {

// In front of the columns, in this order: places, functions, frames, ends of text, text.
struct Counts {
  uint64_t places;
  uint64_t functions;
  uint64_t frames;
  uint64_t texts;
  uint64_t text_bytes;
};

template <typename T>
void append(std::string& bytes, std::span<const T> rows) {
  bytes.append(reinterpret_cast<const char*>(rows.data()), rows.size_bytes());
}

// Takes rows off the front; fails by leaving `ok` false.
template <typename T>
std::span<const T> take(Bytes& bytes, uint64_t count, bool& ok) {
  if (!ok || count > bytes.size() / sizeof(T)) {
    ok = false;
    return {};
  }
  std::span<const T> rows(reinterpret_cast<const T*>(bytes.data()), static_cast<size_t>(count));
  bytes = bytes.subspan(rows.size_bytes());
  return rows;
}

bool is_sound(const PlaceView& view) {
  uint32_t before = 0;
  for (uint32_t end : view.text_ends) {
    if (end < before || end > view.text.size()) {
      return false;
    }
    before = end;
  }
  size_t texts = view.text_ends.size();
  auto has_texts = [&](const PlaceFunction& function) {
    return function.name < texts && function.linkage_name < texts && function.file < texts;
  };
  auto has_function = [&](const PlaceFrame& frame) {
    return frame.function == PlaceFrame::kNoFunction || frame.function < view.functions.size();
  };
  auto has_frames = [&](const Place& place) {
    return place.first_frame <= view.frames.size() &&
           place.frames <= view.frames.size() - place.first_frame;
  };
  return texts > 0 && std::ranges::all_of(view.functions, has_texts) &&
         std::ranges::all_of(view.frames, has_function) &&
         std::ranges::all_of(view.places, has_frames) &&
         std::ranges::is_sorted(view.places, std::ranges::less(), &Place::address);
}

}  // namespace

std::optional<PlaceView> PlaceView::parse(Bytes bytes) {
  Counts counts = {};
  if (bytes.size() < sizeof counts ||
      reinterpret_cast<uintptr_t>(bytes.data()) % alignof(Place) != 0) {
    return {};
  }
  std::memcpy(&counts, bytes.data(), sizeof counts);
  bytes = bytes.subspan(sizeof counts);
  bool ok = true;
  PlaceView view;
  view.places = take<Place>(bytes, counts.places, ok);
  view.functions = take<PlaceFunction>(bytes, counts.functions, ok);
  view.frames = take<PlaceFrame>(bytes, counts.frames, ok);
  view.text_ends = take<uint32_t>(bytes, counts.texts, ok);
  if (!ok || bytes.size() != counts.text_bytes) {
    return {};
  }
  view.text = as_text(bytes);
  return is_sound(view) ? std::optional(view) : std::nullopt;
}

const Place* PlaceView::find(uint64_t address) const {
  auto found = std::ranges::lower_bound(places, address, {}, &Place::address);
  return found != places.end() && found->address == address ? &*found : nullptr;
}

size_t PlaceTable::DwarfKeyHash::operator()(const DwarfKey& key) const {
  auto number = [](const char* text) { return reinterpret_cast<uintptr_t>(text); };
  return static_cast<size_t>(
      hash_mix(hash_mix(number(key.name), number(key.file)), number(key.scope) ^ key.line));
}

uint32_t PlaceTable::string(std::string_view text) {
  auto at = [&](uint32_t row) {
    uint32_t begin = row == 0 ? 0 : text_ends_[row - 1];
    return std::string_view(text_).substr(begin, text_ends_[row] - begin);
  };
  uint64_t hash = hash_bytes(text);
  uint32_t known = string_index_.find(hash, [&](uint32_t row) { return at(row) == text; });
  if (known != IdIndex::kNone) {
    return known;
  }
  if (text.size() > UINT32_MAX - text_.size()) {
    return 0;  // 4 GB of names are no names
  }
  text_ += text;
  text_ends_.push_back(static_cast<uint32_t>(text_.size()));
  string_index_.add(hash, [&](uint32_t row) { return hash_bytes(at(row)); });
  return static_cast<uint32_t>(text_ends_.size() - 1);
}

uint32_t PlaceTable::function(const PlaceFunction& function) {
  auto hash_of = [](const PlaceFunction& f) {
    uint64_t names = hash_mix(uint64_t{f.name} << 32U | f.linkage_name, f.address);
    return hash_mix(names, uint64_t{f.file} << 32U | f.line);
  };
  auto is_equal = [&](uint32_t row) {
    const PlaceFunction& other = functions_[row];
    return other.address == function.address && other.name == function.name &&
           other.linkage_name == function.linkage_name && other.file == function.file &&
           other.line == function.line;
  };
  uint64_t hash = hash_of(function);
  uint32_t known = function_index_.find(hash, is_equal);
  if (known == IdIndex::kNone) {
    known = static_cast<uint32_t>(functions_.size());
    functions_.push_back(function);
    function_index_.add(hash, [&](uint32_t row) { return hash_of(functions_[row]); });
  }
  return known;
}

PlaceFunction PlaceTable::named(std::string_view linkage_name) {
  std::string shown = demangled(linkage_name);
  PlaceFunction function;
  function.linkage_name = shown == linkage_name ? 0 : string(linkage_name);
  function.name = string(shown);
  return function;
}

void PlaceTable::set_source(PlaceFunction& function, const DwarfFrame& frame) {
  const SourceFile& file = frame.declared_in.known() ? frame.declared_in : frame.file;
  function.file = string(file.known() ? file.path() : "");
  function.line = frame.declared_line;
}

// The function that has the code keeps its name from the symbol table.
uint32_t PlaceTable::symbol_function(const NamedRange& symbol, const DwarfFrame* outer) {
  auto [slot, made] = symbol_functions_.try_emplace(symbol.start);
  if (made) {
    PlaceFunction function = named(symbol.name);
    function.address = symbol.start;
    slot->second = this->function(function);
  }
  PlaceFunction& function = functions_[slot->second];
  if (outer != nullptr && function.file == 0) {
    set_source(function, *outer);
  }
  return slot->second;
}

uint32_t PlaceTable::dwarf_function(const DwarfFrame& frame) {
  auto [slot, made] = dwarf_functions_.try_emplace({frame.scope.data(),
                                                    frame.symbol().data(),
                                                    frame.declared_in.name.data(),
                                                    frame.declared_line});
  if (made) {
    PlaceFunction function = named(frame.symbol());
    if (!frame.scope.empty()) {
      function.name = string(fmt::format("{}::{}", frame.scope, frame.name));
    }
    set_source(function, frame);
    slot->second = this->function(function);
  }
  return slot->second;
}

void PlaceTable::add(uint64_t address,
                     const std::optional<NamedRange>& symbol,
                     std::span<const DwarfFrame> chain) {
  Place place{.address = address, .first_frame = static_cast<uint32_t>(frames_.size())};
  const DwarfFrame* outer = chain.empty() ? nullptr : &chain.back();
  PlaceFrame frame{.line = outer != nullptr ? outer->line : 0};
  if (symbol) {
    frame.function = symbol_function(*symbol, outer);
  } else if (outer != nullptr && !outer->symbol().empty()) {
    frame.function = dwarf_function(*outer);
  }
  if (symbol || outer != nullptr) {
    frames_.push_back(frame);
  }
  for (size_t i = chain.size(); i > 1; --i) {
    const DwarfFrame& inlined = chain[i - 2];
    if (!inlined.symbol().empty()) {
      frames_.push_back({.function = dwarf_function(inlined), .line = inlined.line});
    }
  }
  CHECK(frames_.size() < UINT32_MAX);
  place.frames = static_cast<uint32_t>(frames_.size()) - place.first_frame;
  places_.push_back(place);
}

void PlaceTable::add(const PlaceView& other) {
  std::vector<uint32_t> strings(other.text_ends.size());
  for (uint32_t row = 0; row < strings.size(); ++row) {
    strings[row] = string(other.string(row));
  }
  std::vector<uint32_t> functions;
  functions.reserve(other.functions.size());
  for (PlaceFunction row : other.functions) {
    row.name = strings[row.name];
    row.linkage_name = strings[row.linkage_name];
    row.file = strings[row.file];
    functions.push_back(function(row));
  }
  for (Place place : other.places) {
    std::span<const PlaceFrame> frames = other.frames_of(place);
    place.first_frame = static_cast<uint32_t>(frames_.size());
    for (PlaceFrame frame : frames) {
      if (frame.function != PlaceFrame::kNoFunction) {
        frame.function = functions[frame.function];
      }
      frames_.push_back(frame);
    }
    places_.push_back(place);
  }
}

PlaceView PlaceTable::view() {
  if (!std::ranges::is_sorted(places_, {}, &Place::address)) {
    std::ranges::sort(places_, {}, &Place::address);
  }
  return {places_, functions_, frames_, text_ends_, text_};
}

std::string PlaceTable::bytes() {
  PlaceView view = this->view();
  Counts counts = {.places = view.places.size(),
                   .functions = view.functions.size(),
                   .frames = view.frames.size(),
                   .texts = view.text_ends.size(),
                   .text_bytes = view.text.size()};
  std::string bytes(reinterpret_cast<const char*>(&counts), sizeof counts);
  append(bytes, view.places);
  append(bytes, view.functions);
  append(bytes, view.frames);
  append(bytes, view.text_ends);
  bytes += view.text;
  return bytes;
}

}  // namespace wick
