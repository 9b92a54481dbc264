// SPDX-License-Identifier: Apache-2.0
// How a symbol table is built. Reading collects candidates; finish() turns them into rows:
//
//     sort_and_keep_best()  sorts by address (radix sort) and selects one name for each address
//     name_stubs()          adds the PLT stubs. It runs after the first selection, because a stub
//                           of an indirect function gets the name selected for its resolver
//     make_entries()        gives symbols without a size an end (SizelessEnds), drops labels inside
//                           of functions
//     make_owners()         sweeps over the symbols with a stack of open ones: it adds a row to
//                           starts_ and owners_ wherever the innermost symbol changes
//
// Invariants: symbols_ and starts_ ascend strictly, so lookups are binary searches; from starts_[i]
// on, the code belongs to owners_[i]. `better` is a strict order that ends with the bytes of the
// names, so the result does not depend on the order in the file. Names point into the images or
// into made_names_, which does not grow after name_stubs().
#include "elf/symbols.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#include "elf/function_ranges.h"
#include "elf/go_functions.h"
#include "elf/plt.h"
#include "elf/symbol_reader.h"
#include "isa/instruction.h"
#include "isa/signal_return.h"

namespace wick {
namespace {

// A candidate for the table, with the properties that decide between aliases.
struct Candidate {
  uint64_t address = 0;
  uint64_t size = 0;
  uint64_t limit = 0;  // end of its section
  const char* name = nullptr;
  bool typed = true;
  uint8_t binding = STB_GLOBAL;
};

// The name without the version that linkers append in .symtab: "memcpy@@GLIBC_2.14". Two versions
// of one function have two addresses; users do not need the version.
std::string_view without_version(const char* name) {
  std::string_view text = name;
  size_t at = text.find('@');
  if (at == std::string_view::npos || at == 0 || text[0] == '?') {  // '?' starts names of MSVC
    return text;
  }
  std::string_view rest = text.substr(at + 1);
  bool version =
      rest.starts_with('@') ? rest.size() > 1 : !rest.empty() && rest[0] >= 'A' && rest[0] <= 'Z';
  return version ? text.substr(0, at) : text;
}

size_t leading_underscores(std::string_view name) {
  return std::min(name.find_first_not_of('_'), name.size());
}

// Whether `a` is the better of two names for one address; a strict order.
bool better(const Candidate& a, const Candidate& b) {
  if ((a.size != 0) != (b.size != 0)) {
    return a.size != 0;
  }
  if (a.typed != b.typed) {
    return a.typed;
  }
  std::string_view name_a = without_version(a.name);
  std::string_view name_b = without_version(b.name);
  if (is_internal_alias(name_a) != is_internal_alias(name_b)) {
    return is_internal_alias(name_b);
  }
  if ((a.binding == STB_WEAK) != (b.binding == STB_WEAK)) {
    return b.binding == STB_WEAK;
  }
  if ((a.binding == STB_GLOBAL) != (b.binding == STB_GLOBAL)) {
    return a.binding == STB_GLOBAL;
  }
  size_t underscores_a = leading_underscores(name_a);
  size_t underscores_b = leading_underscores(name_b);
  if (underscores_a != underscores_b) {
    return underscores_a < underscores_b;
  }
  if (name_a.size() != name_b.size()) {
    return name_a.size() > name_b.size();
  }
  return name_a < name_b;
}

struct Key {
  uint64_t address = 0;
  uint32_t candidate = 0;
};

// Radix sort, 11 bits of the address at a time, the lowest first: 150,000 symbols in 2 ms, where
// std::sort takes 7. Addresses of one file differ in few bits, so two or three rounds are enough.
void sort_by_address(std::vector<Key>& keys) {
  constexpr unsigned kBits = 11;
  constexpr uint64_t kMask = (1U << kBits) - 1;
  if (keys.empty()) {
    return;
  }
  auto [lowest, highest] = std::ranges::minmax(keys, {}, &Key::address);
  std::vector<Key> sorted(keys.size());
  for (unsigned shift = 0; shift < 64 && (highest.address - lowest.address) >> shift != 0;
       shift += kBits) {
    auto digit = [&](const Key& key) { return (key.address - lowest.address) >> shift & kMask; };
    std::array<uint32_t, kMask + 2> starts{};
    for (const Key& key : keys) {
      ++starts[digit(key) + 1];
    }
    std::partial_sum(starts.begin(), starts.end(), starts.begin());
    for (const Key& key : keys) {
      sorted[starts[digit(key)]++] = key;
    }
    keys.swap(sorted);
  }
}

// $x, $d, $a, $t, perhaps followed by a dot and more: they mark code and data on ARM.
bool is_mapping_symbol(Architecture machine, const char* name) {
  bool arm = machine == Architecture::kAarch64 || machine == Architecture::kArm;
  return arm && name[0] == '$' && name[1] != '\0' && std::strchr("adtx", name[1]) != nullptr &&
         (name[2] == '\0' || name[2] == '.');
}

}  // namespace

bool is_internal_alias(std::string_view name) {
  return name.starts_with("__GI_") || name.starts_with("__pi_");
}

// Where the code of a symbol without a size ends. A stripped library may have a single such symbol
// before hundreds of other functions, which must not get its name.
class SizelessEnds {
 public:
  explicit SizelessEnds(const ElfImage& image) : image_(image) {}

  // At most `end`.
  uint64_t end_of(uint64_t begin, uint64_t end) {
    constexpr uint64_t kLargest = 4096;
    if (!functions_) {
      functions_.emplace(image_);
    }
    if (std::optional<FunctionRanges::Range> entry = functions_->find(begin)) {
      return std::min(end, entry->end);
    }
    end = std::min(end, begin + kLargest);
    std::optional<uint64_t> next = functions_->next_begin(begin);
    return followed_end(begin, next ? std::min(end, *next) : end);
  }

 private:
  // The end of the code that can be reached from `begin` without a call, or the first padding if a
  // jump through a pointer hides the rest.
  uint64_t followed_end(uint64_t begin, uint64_t end) const {
    std::optional<isa::InstructionSet> set = instruction_set_of(image_.machine());
    Bytes code = image_.bytes_at(begin);
    code = code.first(std::min<uint64_t>(code.size(), end - begin));
    if (!set || code.empty() || image_.type() == ElfType::kRelocatable) {
      return end;
    }
    std::vector<bool> is_reached(code.size());
    std::vector<size_t> branches = {0};
    size_t last = 0;
    while (!branches.empty()) {
      size_t at = branches.back();
      branches.pop_back();
      while (at < code.size() && !is_reached[at]) {
        is_reached[at] = true;
        isa::Instruction found = isa::decode(*set, code.subspan(at), begin + at);
        if (!found.ok()) {
          return end;
        }
        if (found.kind == isa::Kind::kIndirectJump) {
          return padding_after(*set, code, begin);
        }
        bool jumps = isa::is_jump(found.kind) && found.target - begin < code.size();
        if (jumps) {
          branches.push_back(static_cast<size_t>(found.target - begin));
        }
        at += found.length;
        last = std::max(last, at);
        if (never_continues(found.kind) || is_halt(*set, code, at - found.length)) {
          break;
        }
      }
    }
    return begin + last;
  }

  static bool is_halt(isa::InstructionSet set, Bytes code, size_t at) {
    return isa::is_halt(set, code.subspan(at));
  }

  static bool never_continues(isa::Kind kind) {
    return kind == isa::Kind::kReturn || kind == isa::Kind::kJump ||
           kind == isa::Kind::kIndirectJump || kind == isa::Kind::kUndefined;
  }

  // The start of the padding after an instruction that does not continue; the end of the code if
  // there is none.
  static uint64_t padding_after(isa::InstructionSet set, Bytes code, uint64_t begin) {
    bool has_ended = false;
    for (size_t at = 0; at < code.size();) {
      if (has_ended && is_padding(code.subspan(at))) {
        return begin + at;
      }
      isa::Instruction found = isa::decode(set, code.subspan(at), begin + at);
      has_ended = found.ok() && (never_continues(found.kind) || is_halt(set, code, at));
      at += found.ok() ? size_t{found.length} : 1;
    }
    return begin + code.size();
  }

  // nop in its usual forms, int3, zeros.
  static bool is_padding(Bytes code) {
    using namespace std::string_view_literals;
    constexpr std::array kForms = {"\x90"sv,
                                   "\xCC"sv,
                                   "\x0F\x1F"sv,
                                   "\x66\x90"sv,
                                   "\x66\x0F\x1F"sv,
                                   "\x66\x2E"sv,
                                   "\x66\x66"sv,
                                   "\0\0"sv};
    return std::ranges::any_of(
        kForms, [&](std::string_view form) { return as_text(code).starts_with(form); });
  }
  static std::optional<isa::InstructionSet> instruction_set_of(Architecture machine) {
    switch (machine) {
      case Architecture::kX86_64:
        return isa::InstructionSet::kX86_64;
      case Architecture::kX86:
        return isa::InstructionSet::kX86;
      default:
        return {};
    }
  }

  const ElfImage& image_;
  std::optional<FunctionRanges> functions_;
};

class SymbolTableBuilder {
 public:
  explicit SymbolTableBuilder(const ElfImage& image) : sizeless_ends_(image) {}

  // False if the image has no symbols.
  bool add_all(const ElfImage& image) {
    if (add(image, ".symtab")) {
      return true;
    }
    bool found = add(image, ".dynsym");
    found = add_go(image) || found;
    add_signal_return(image);
    Bytes inner = image.gnu_debugdata();
    if (inner.empty()) {
      return found;
    }
    if (Result<ElfImage> mini = ElfImage::parse(inner)) {
      table_.unpacked_.push_back(std::make_unique<ElfImage>(std::move(*mini)));
      found = add(*table_.unpacked_.back(), ".symtab") || found;
    }
    return found;
  }

  // Their names are made later, when the names of indirect functions are known.
  void add_plt(const ElfImage& image) {
    for (const PltStub& stub : find_plt_stubs(image)) {
      stubs_.push_back(stub);
    }
  }

  SymbolTable finish() {
    sort_and_keep_best();
    if (!stubs_.empty()) {
      name_stubs();
      sort_and_keep_best();
    }
    make_entries();
    make_owners();
    return std::move(table_);
  }

 private:
  // False if there is no such table, or it has no functions.
  bool add(const ElfImage& image, std::string_view section_name) {
    SymbolReader symbols(image, section_name);
    std::span<const ElfSection> sections = image.sections();
    size_t before = candidates_.size();
    candidates_.reserve(before + symbols.size());
    for (size_t i = 1; i < symbols.size(); ++i) {
      RawSymbol symbol = symbols[i];
      bool typed = symbol.type == STT_FUNC || symbol.type == STT_GNU_IFUNC;
      if ((!typed && symbol.type != STT_NOTYPE) || symbol.section == SHN_UNDEF ||
          symbol.section >= sections.size()) {
        continue;
      }
      const ElfSection& section = sections[symbol.section];
      const char* name = symbols.name_pointer(symbol);
      if (name[0] == '\0' || (!typed && !is_label(image, symbol, section, name))) {
        continue;
      }
      bool relative = image.type() == ElfType::kRelocatable;
      candidates_.push_back({.address = symbol.value + (relative ? section.address : 0),
                             .size = symbol.size,
                             .limit = section.address + section.size,
                             .name = name,
                             .typed = typed,
                             .binding = symbol.binding});
    }
    return candidates_.size() > before;
  }

  // False if there are no Go functions.
  bool add_go(const ElfImage& image) {
    size_t before = candidates_.size();
    for (const GoFunction& function : read_go_functions(image)) {
      if (function.end > function.begin && function.name[0] != '\0') {
        candidates_.push_back({.address = function.begin,
                               .size = function.end - function.begin,
                               .limit = function.end,
                               .name = function.name,
                               .typed = true,
                               .binding = STB_LOCAL});
      }
    }
    return candidates_.size() > before;
  }

  // The code that signal handlers return to (isa/signal_return.h). In a stripped C library it has
  // no symbol, and the one before it would name it.
  void add_signal_return(const ElfImage& image) {
    bool is_c_library = std::ranges::any_of(candidates_, [](const Candidate& candidate) {
      return std::string_view(candidate.name) == "sigaction";
    });
    if (image.machine() != Architecture::kX86_64 || !is_c_library) {
      return;
    }
    for (const ElfSection& section : image.sections()) {
      std::string_view text = section.executable() ? as_text(section.contents) : std::string_view();
      const isa::SignalReturn& known = isa::kSignalReturns.front();
      if (size_t at = text.find(known.code); at != std::string_view::npos) {
        candidates_.push_back({.address = section.address + at,
                               .size = known.code.size(),
                               .limit = section.address + section.size,
                               .name = "__restore_rt",
                               .binding = STB_LOCAL});
      }
    }
  }

  static bool is_label(const ElfImage& image,
                       const RawSymbol& symbol,
                       const ElfSection& section,
                       const char* name) {
    return section.executable() && symbol.visibility != STV_INTERNAL &&
           !is_mapping_symbol(image.machine(), name);
  }

  // Sorts small keys and moves the candidates once; compares names only for aliases.
  void sort_and_keep_best() {
    std::vector<Key> keys(candidates_.size());
    for (size_t i = 0; i < candidates_.size(); ++i) {
      keys[i] = {candidates_[i].address, static_cast<uint32_t>(i)};
    }
    sort_by_address(keys);
    std::vector<Candidate> best;
    best.reserve(candidates_.size());
    for (const Key& key : keys) {
      const Candidate& candidate = candidates_[key.candidate];
      if (best.empty() || best.back().address != candidate.address) {
        best.push_back(candidate);
      } else if (better(candidate, best.back())) {
        best.back() = candidate;
      }
    }
    candidates_ = std::move(best);
  }

  void name_stubs() {
    std::vector<size_t> offsets;
    table_.made_names_ = std::make_unique<std::string>();
    std::string& names = *table_.made_names_;
    for (const PltStub& stub : stubs_) {
      offsets.push_back(names.size());
      names.append(stub.name.empty() ? name_at(stub.target) : stub.name);
      names.append("@plt").push_back('\0');
    }
    for (size_t i = 0; i < stubs_.size(); ++i) {
      candidates_.push_back({.address = stubs_[i].address,
                             .size = stubs_[i].size,
                             .limit = stubs_[i].address + stubs_[i].size,
                             .name = names.data() + offsets[i]});
    }
  }

  std::string_view name_at(uint64_t address) const {
    auto found = std::ranges::lower_bound(candidates_, address, {}, &Candidate::address);
    bool is_there = found != candidates_.end() && found->address == address;
    return is_there ? without_version(found->name) : "*ABS*";
  }

  void make_entries() {
    table_.symbols_.reserve(candidates_.size());
    uint64_t covered = 0;  // end of the symbols with a size so far
    for (size_t i = 0; i < candidates_.size(); ++i) {
      const Candidate& candidate = candidates_[i];
      uint64_t end = candidate.address + candidate.size;
      if (candidate.size == 0) {
        if (candidate.address < covered) {
          continue;
        }
        end = i + 1 < candidates_.size() ? std::min(candidate.limit, candidates_[i + 1].address)
                                         : candidate.limit;
        end = sizeless_ends_.end_of(candidate.address, end);
      } else {
        covered = std::max(covered, end);
      }
      if (end > candidate.address) {
        table_.symbols_.push_back({candidate.address, end, candidate.name});
      }
    }
  }

  // The symbols that are open at the current address form a stack, the innermost on top.
  void make_owners() {
    const std::vector<SymbolTable::Entry>& symbols = table_.symbols_;
    std::vector<uint32_t> open;
    auto close_until = [&](uint64_t address) {
      while (!open.empty() && symbols[open.back()].end <= address) {
        uint64_t end = symbols[open.back()].end;
        while (!open.empty() && symbols[open.back()].end <= end) {
          open.pop_back();
        }
        set_owner(end, open.empty() ? SymbolTable::kNone : open.back());
      }
    };
    table_.starts_.reserve(symbols.size() + symbols.size() / 4);
    table_.owners_.reserve(symbols.size() + symbols.size() / 4);
    for (size_t i = 0; i < symbols.size(); ++i) {
      close_until(symbols[i].address);
      open.push_back(static_cast<uint32_t>(i));
      set_owner(symbols[i].address, open.back());
    }
    close_until(UINT64_MAX);
  }

  void set_owner(uint64_t address, uint32_t owner) {
    if (!table_.starts_.empty() && table_.starts_.back() == address) {
      table_.owners_.back() = owner;
      return;
    }
    table_.starts_.push_back(address);
    table_.owners_.push_back(owner);
  }

  SizelessEnds sizeless_ends_;
  SymbolTable table_;
  std::vector<Candidate> candidates_;
  std::vector<PltStub> stubs_;
};

SymbolTable SymbolTable::from(const ElfImage& image, const ElfImage* debug) {
  SymbolTableBuilder builder(image);
  if (debug == nullptr || !builder.add_all(*debug)) {
    builder.add_all(image);
  }
  builder.add_plt(image);
  return builder.finish();
}

SymbolTable::Stretch SymbolTable::stretch_at(uint64_t address) const {
  auto after = std::ranges::upper_bound(starts_, address);
  uint64_t end = after == starts_.end() ? UINT64_MAX : *after;
  if (after == starts_.begin()) {
    return {.begin = 0, .end = end};
  }
  uint32_t owner = owners_[static_cast<size_t>(after - starts_.begin()) - 1];
  return {.begin = *(after - 1),
          .end = end,
          .symbol = owner == kNone ? std::nullopt : std::optional((*this)[owner])};
}

Symbol SymbolTable::operator[](size_t index) const {
  const Entry& entry = symbols_[index];
  return {entry.address, entry.end - entry.address, without_version(entry.name)};
}

size_t SymbolTable::memory_bytes() const {
  return symbols_.capacity() * sizeof(Entry) + starts_.capacity() * sizeof(uint64_t) +
         owners_.capacity() * sizeof(uint32_t) + (made_names_ ? made_names_->capacity() : 0);
}

}  // namespace wick
