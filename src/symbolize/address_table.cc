// SPDX-License-Identifier: Apache-2.0
// Builds, checks and serialises the tables of address_table.h.
//
// AddressTable interns texts and functions by hash (string_index_, function_index_) and appends
// frames. ChainReader copies the chains of one unit: each frame is copied when the first address
// needs it, outer frames first. The outermost frame is named by the symbol at the address and not
// by DWARF, so frames are valid for one symbol only; generation_ marks those that were made for the
// current symbol.
//
// The serialised form is Counts, followed by the columns in that order, each a plain array. parse()
// checks everything that a reader relies on (is_sound): numbers are inside their tables, a caller
// comes before its callee (so chains end), addresses ascend. A reader of a parsed view needs no
// further checks.
#include "symbolize/address_table.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/check.h"
#include "base/hash.h"
#include "symbolize/demangle.h"

namespace wick {
namespace {

// Comes before the columns, in this order: entries, functions, frames, ends of text, text.
struct Counts {
  uint64_t entries;
  uint64_t functions;
  uint64_t frames;
  uint64_t texts;
  uint64_t text_bytes;
};

template <typename T>
void append(std::string& bytes, std::span<const T> rows) {
  bytes.append(reinterpret_cast<const char*>(rows.data()), rows.size_bytes());
}

// Removes rows from the front of the bytes; sets `ok` to false if there are fewer.
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

bool is_sound(const AddressView& view) {
  uint32_t before = 0;
  for (uint32_t end : view.text_ends) {
    if (end < before || end > view.text.size()) {
      return false;
    }
    before = end;
  }
  size_t texts = view.text_ends.size();
  auto has_texts = [&](const AddressFunction& function) {
    return function.name < texts && function.linkage_name < texts && function.file < texts &&
           function.build < texts &&
           function.build_kind <= static_cast<uint16_t>(last_of(BuildKind()));
  };
  auto has_frame = [&](const AddressEntry& entry) {
    return entry.innermost == AddressFrame::kNone || entry.innermost < view.frames.size();
  };
  for (size_t row = 0; row < view.frames.size(); ++row) {
    const AddressFrame& frame = view.frames[row];
    bool has_function =
        frame.function == AddressFrame::kNone || frame.function < view.functions.size();
    bool has_caller = frame.caller == AddressFrame::kNone || frame.caller < row;
    if (!has_function || !has_caller || frame.file >= texts) {
      return false;
    }
  }
  return texts > 0 && std::ranges::all_of(view.functions, has_texts) &&
         std::ranges::all_of(view.entries, has_frame) &&
         std::ranges::is_sorted(view.entries, std::ranges::less(), &AddressEntry::address);
}

}  // namespace

std::optional<AddressView> AddressView::parse(Bytes bytes) {
  Counts counts = {};
  if (bytes.size() < sizeof counts ||
      reinterpret_cast<uintptr_t>(bytes.data()) % alignof(AddressEntry) != 0) {
    return {};
  }
  std::memcpy(&counts, bytes.data(), sizeof counts);
  bytes = bytes.subspan(sizeof counts);
  bool ok = true;
  AddressView view;
  view.entries = take<AddressEntry>(bytes, counts.entries, ok);
  view.functions = take<AddressFunction>(bytes, counts.functions, ok);
  view.frames = take<AddressFrame>(bytes, counts.frames, ok);
  view.text_ends = take<uint32_t>(bytes, counts.texts, ok);
  if (!ok || bytes.size() != counts.text_bytes) {
    return {};
  }
  view.text = as_text(bytes);
  return is_sound(view) ? std::optional(view) : std::nullopt;
}

const AddressEntry* AddressView::find(uint64_t address) const {
  auto found = std::ranges::lower_bound(entries, address, {}, &AddressEntry::address);
  return found != entries.end() && found->address == address ? &*found : nullptr;
}

void AddressView::frames_of(const AddressEntry& entry, std::vector<uint32_t>& numbers) const {
  numbers.clear();
  for (uint32_t frame = entry.innermost; frame != AddressFrame::kNone;
       frame = frames[frame].caller) {
    numbers.push_back(frame);
  }
  std::ranges::reverse(numbers);
}

uint32_t AddressTable::string(std::string_view text) {
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
    return 0;  // more than 4 GB of names are dropped
  }
  text_ += text;
  text_ends_.push_back(static_cast<uint32_t>(text_.size()));
  text_hashes_.push_back(hash);
  string_index_.add(hash, [&](uint32_t row) { return text_hashes_[row]; });
  return static_cast<uint32_t>(text_ends_.size() - 1);
}

uint32_t AddressTable::function(const AddressFunction& function) {
  auto hash_of = [](const AddressFunction& f) {
    uint64_t names = hash_mix(uint64_t{f.name} << 32U | f.linkage_name, f.address);
    return hash_mix(names, uint64_t{f.file} << 32U | f.line);
  };
  auto is_equal = [&](uint32_t row) {
    const AddressFunction& other = functions_[row];
    return other.address == function.address && other.name == function.name &&
           other.linkage_name == function.linkage_name && other.file == function.file &&
           other.line == function.line && other.is_made_up == function.is_made_up;
  };
  uint64_t hash = hash_of(function);
  uint32_t known = function_index_.find(hash, is_equal);
  if (known == IdIndex::kNone) {
    known = static_cast<uint32_t>(functions_.size());
    functions_.push_back(function);
    function_index_.add(hash, [&](uint32_t row) { return hash_of(functions_[row]); });
  } else if (functions_[known].build == 0) {
    functions_[known].build = function.build;
    functions_[known].build_kind = function.build_kind;
  }
  return known;
}

void AddressTable::set_build(const CodeBuild& build) {
  build_ = string(build.text);
  build_kind_ = build.kind;
}

void AddressTable::add_build(AddressFunction& function) const {
  if (function.build == 0) {
    function.build = build_;
    function.build_kind = static_cast<uint16_t>(build_kind_);
  }
}

AddressFunction AddressTable::named(std::string_view linkage_name) {
  AddressFunction function;
  if (names_ == Names::kOfLinker) {
    function.name = string(linkage_name);
    return function;
  }
  std::string shown = demangled(linkage_name);
  function.linkage_name = shown == linkage_name ? 0 : string(linkage_name);
  function.name = string(shown);
  return function;
}

uint32_t AddressTable::symbol_function(const NamedRange& symbol) {
  auto [slot, made] = symbol_functions_.try_emplace(symbol.start);
  if (made) {
    AddressFunction function = named(symbol.name);
    function.address = symbol.start;
    function.is_made_up = symbol.is_made_up ? 1 : 0;
    add_build(function);
    slot->second = this->function(function);
  }
  return slot->second;
}

// Copies the frames of the chains of one unit, each when the first address needs it. The frame that
// has the code is named by the symbol at the address, so all frames are made again where the next
// symbol starts.
class AddressTable::ChainReader {
 public:
  ChainReader(AddressTable& table, const DwarfChains& chains)
      : table_(table),
        chains_(chains),
        functions_(chains.functions.size(), AddressFrame::kNone),
        files_(chains.files.size(), 0),
        frames_(chains.frames.size()) {}

  bool has_name(uint32_t innermost) const {
    uint32_t frame = innermost;
    while (frame != DwarfChains::kNone && chains_.frames[frame].caller != DwarfChains::kNone) {
      frame = chains_.frames[frame].caller;
    }
    return frame != DwarfChains::kNone && chains_.frames[frame].function != DwarfChains::kNone &&
           !chains_.functions[chains_.frames[frame].function].symbol().empty();
  }

  // The number of the frame in the table.
  uint32_t frame(uint32_t innermost, const std::optional<NamedRange>& symbol) {
    uint64_t begins = symbol ? symbol->start : 0;
    if (begins != symbol_) {
      symbol_ = begins;
      ++generation_;
    }
    open_.clear();
    uint32_t at = innermost;
    uint32_t caller = AddressFrame::kNone;
    for (; at != DwarfChains::kNone; at = chains_.frames[at].caller) {
      if (frames_[at].generation == generation_) {
        caller = frames_[at].number;
        break;
      }
      open_.push_back(at);
    }
    for (; !open_.empty(); open_.pop_back()) {
      caller = add(chains_.frames[open_.back()], caller, symbol);
      frames_[open_.back()] = {caller, generation_};
    }
    return caller;
  }

 private:
  struct Made {
    uint32_t number = 0;
    uint32_t generation = 0;
  };

  uint32_t add(const DwarfChains::Frame& frame,
               uint32_t caller,
               const std::optional<NamedRange>& symbol) {
    AddressFrame row{
        .file = file(frame.file), .line = frame.line, .column = frame.column, .caller = caller};
    bool has_code = frame.caller == DwarfChains::kNone;
    if (has_code && symbol) {
      const DwarfChains::Function* known =
          frame.function == DwarfChains::kNone ? nullptr : &chains_.functions[frame.function];
      row.function = table_.symbol_function(*symbol);
      if (table_.functions_[row.function].file == 0) {
        set_source(table_.functions_[row.function], known, row.file);
      }
    } else {
      row.function = function(frame.function, row.file);
      if (row.function == AddressFrame::kNone && !has_code && table_.names_ != Names::kNone) {
        return caller;  // omit inlined calls of nameless functions
      }
      if (has_code && row.function != AddressFrame::kNone) {
        table_.add_build(table_.functions_[row.function]);
      }
    }
    table_.frames_.push_back(row);
    CHECK(table_.frames_.size() < UINT32_MAX);
    return static_cast<uint32_t>(table_.frames_.size() - 1);
  }

  uint32_t function(uint32_t number, uint32_t file) {
    if (number == DwarfChains::kNone || chains_.functions[number].symbol().empty()) {
      return AddressFrame::kNone;
    }
    if (functions_[number] == AddressFrame::kNone) {
      const DwarfChains::Function& function = chains_.functions[number];
      AddressFunction row = table_.named(function.symbol());
      if (!function.scope.empty()) {
        row.name = table_.string(fmt::format("{}::{}", function.scope, function.name));
      }
      set_source(row, &function, file);
      functions_[number] = table_.function(row);
    }
    return functions_[number];
  }

  // `file` is the file of the code, for functions without a declaration.
  void set_source(AddressFunction& row, const DwarfChains::Function* function, uint32_t file) {
    bool declared = function != nullptr && function->declared_in != DwarfChains::kNone;
    row.file = declared ? this->file(function->declared_in) : file;
    row.line = function != nullptr ? function->declared_line : 0;
  }

  uint32_t file(uint32_t number) {
    if (number == DwarfChains::kNone) {
      return 0;
    }
    if (files_[number] == 0) {
      files_[number] = table_.string(chains_.files[number].path());
    }
    return files_[number];
  }

  AddressTable& table_;
  const DwarfChains& chains_;
  std::vector<uint32_t> functions_;
  std::vector<uint32_t> files_;
  std::vector<Made> frames_;
  std::vector<uint32_t> open_;
  uint64_t symbol_ = 0;
  uint32_t generation_ = 1;
};

void AddressTable::add(uint64_t address, const std::optional<NamedRange>& symbol) {
  AddressEntry entry{.address = address};
  if (symbol) {
    entry.innermost = static_cast<uint32_t>(frames_.size());
    frames_.push_back({.function = symbol_function(*symbol)});
  }
  entries_.push_back(entry);
}

void AddressTable::add_listed(uint64_t address, const NamedCode& code) {
  entries_.push_back({.address = address, .innermost = static_cast<uint32_t>(frames_.size())});
  frames_.push_back(
      {.function = listed_function(code), .file = string(code.file), .line = code.line});
}

// Lists may have several functions that start at one address, because memory was used again: the
// start alone does not identify a function. Neighbouring addresses mostly share one.
uint32_t AddressTable::listed_function(const NamedCode& code) {
  uint32_t file = string(code.file);
  bool is_last = last_listed_ != AddressFrame::kNone && last_listed_name_ == code.function.name &&
                 functions_[last_listed_].address == code.function.start &&
                 functions_[last_listed_].file == file;
  if (!is_last) {
    AddressFunction function = named(code.function.name);
    function.address = code.function.start;
    function.file = file;
    function.is_made_up = code.function.is_made_up ? 1 : 0;
    last_listed_ = this->function(function);
    last_listed_name_ = code.function.name;
  }
  return last_listed_;
}

void AddressTable::add(std::span<const uint64_t> addresses,
                       const DwarfChains& chains,
                       const SymbolAt& symbol) {
  ChainReader reader(*this, chains);
  for (size_t index = 0; index < addresses.size(); ++index) {
    uint32_t innermost = chains.innermost[index];
    std::optional<NamedRange> named = symbol(addresses[index], reader.has_name(innermost));
    if (innermost == DwarfChains::kNone) {
      add(addresses[index], named);
    } else {
      entries_.push_back(
          {.address = addresses[index], .innermost = reader.frame(innermost, named)});
    }
  }
}

void AddressTable::add(const AddressView& other) {
  std::vector<uint32_t> strings(other.text_ends.size());
  for (uint32_t row = 0; row < strings.size(); ++row) {
    strings[row] = string(other.string(row));
  }
  std::vector<uint32_t> functions;
  functions.reserve(other.functions.size());
  for (AddressFunction row : other.functions) {
    row.name = strings[row.name];
    row.linkage_name = strings[row.linkage_name];
    row.file = strings[row.file];
    row.build = strings[row.build];
    functions.push_back(function(row));
  }
  auto first = static_cast<uint32_t>(frames_.size());
  CHECK(other.frames.size() < AddressFrame::kNone - first);
  for (AddressFrame frame : other.frames) {
    frame.file = strings[frame.file];
    frame.function =
        frame.function == AddressFrame::kNone ? AddressFrame::kNone : functions[frame.function];
    frame.caller += frame.caller == AddressFrame::kNone ? 0 : first;
    frames_.push_back(frame);
  }
  for (AddressEntry entry : other.entries) {
    entry.innermost += entry.innermost == AddressFrame::kNone ? 0 : first;
    entries_.push_back(entry);
  }
}

AddressView AddressTable::view() {
  if (!std::ranges::is_sorted(entries_, {}, &AddressEntry::address)) {
    std::ranges::sort(entries_, {}, &AddressEntry::address);
  }
  return {entries_, functions_, frames_, text_ends_, text_};
}

std::string AddressTable::bytes() {
  AddressView view = this->view();
  Counts counts = {.entries = view.entries.size(),
                   .functions = view.functions.size(),
                   .frames = view.frames.size(),
                   .texts = view.text_ends.size(),
                   .text_bytes = view.text.size()};
  std::string bytes(reinterpret_cast<const char*>(&counts), sizeof counts);
  append(bytes, view.entries);
  append(bytes, view.functions);
  append(bytes, view.frames);
  append(bytes, view.text_ends);
  bytes += view.text;
  return bytes;
}

}  // namespace wick
