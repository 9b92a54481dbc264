// SPDX-License-Identifier: Apache-2.0
// Parses an entry around its flags ("/P/-/-/"), because names contain blanks and slashes: what is
// before them is FROM/TO, split at the first slash that leaves a location on both sides.
#include "formats/perf_script/branches.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/parse_number.h"
#include "formats/perf_script/frame_line.h"
#include "formats/perf_script/text.h"

namespace wick::perf_script {
namespace {

constexpr uint64_t kMostCycles = std::numeric_limits<uint16_t>::max();
constexpr size_t kMostEntries = 1 << 16;  // of one sample; processors have 32
constexpr size_t kMostMaps = 1 << 20;

// The kernel's numbers of branch types, as perf spells them.
constexpr std::array<std::string_view, 15> kTypes = {"",
                                                     "COND",
                                                     "UNCOND",
                                                     "IND",
                                                     "CALL",
                                                     "IND_CALL",
                                                     "RET",
                                                     "SYSCALL",
                                                     "SYSRET",
                                                     "COND_CALL",
                                                     "COND_RET",
                                                     "ERET",
                                                     "IRQ",
                                                     "SERROR",
                                                     "NO_TX"};
constexpr std::array<std::string_view, 4> kSpeculations = {
    "", "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH", "SPEC_CORRECT_PATH"};

template <size_t N>
uint64_t number_of(std::string_view word, const std::array<std::string_view, N>& words) {
  auto found = std::ranges::find(words, word);
  return found == words.end() ? 0 : static_cast<uint64_t>(found - words.begin());
}

struct Location {
  std::string_view name;    // empty: an address
  uint64_t address = 0;     // or the offset in the function
  std::string_view module;  // empty if not printed
};

// "0x12", "0x12(/opt/t)", "main+0x12", "main+0x12(/opt/t)", "[unknown]".
std::optional<Location> parse_location(std::string_view text) {
  Location location;
  if (text.ends_with(')')) {
    size_t open = std::min(text.find("(/"), text.find("(["));
    open = open == std::string_view::npos ? text.rfind('(') : open;
    if (open == std::string_view::npos || open == 0) {
      return std::nullopt;
    }
    location.module = text.substr(open + 1, text.size() - open - 2);
    text = text.substr(0, open);
  }
  if (location.module == "[unknown]") {
    location.module = {};
  }
  if (text == "[unknown]") {
    return location;
  }
  size_t offset = text.starts_with("0x") ? 0 : text.rfind("+0x") + 1;
  if (offset == 0 && !text.starts_with("0x")) {
    return std::nullopt;
  }
  std::optional<uint64_t> number = parse_hex(text.substr(offset + 2));
  if (!number) {
    return std::nullopt;
  }
  location.name = offset == 0 ? std::string_view() : text.substr(0, offset - 1);
  location.address = *number;
  return location;
}

struct Ends {
  std::string_view from;
  std::string_view to;
};

std::optional<Ends> split_ends(std::string_view text) {
  for (size_t slash = text.find('/'); slash != std::string_view::npos;
       slash = text.find('/', slash + 1)) {
    Ends ends{text.substr(0, slash), text.substr(slash + 1)};
    if (parse_location(ends.from) && parse_location(ends.to)) {
      return ends;
    }
  }
  return std::nullopt;
}

unsigned flag_if(bool is_set, BranchFlags flag) {
  return is_set ? static_cast<unsigned>(flag) : 0U;
}

// "P/-/-/12/COND/-" after its first slash.
struct EntryFlags {
  uint16_t flags = 0;
  uint16_t cycles = 0;
};
std::optional<EntryFlags> parse_flags(std::string_view text) {
  EntryFlags result;
  result.flags = static_cast<uint16_t>(
      flag_if(text[0] == 'M', kMispredicted) | flag_if(text[0] == 'P', kPredicted) |
      flag_if(text[2] == 'X', kInTransaction) | flag_if(text[4] == 'A', kTransactionAbort));
  text.remove_prefix(6);
  size_t digits = run_length(text, is_digit);
  std::optional<uint64_t> cycles = parse_number<uint64_t>(text.substr(0, digits));
  if (!cycles) {
    return std::nullopt;
  }
  result.cycles = static_cast<uint16_t>(std::min(*cycles, kMostCycles));
  text.remove_prefix(digits);
  while (!text.empty()) {
    text.remove_prefix(1);
    std::string_view word = text.substr(0, text.find('/'));
    result.flags = static_cast<uint16_t>(result.flags | kBranchType.put(number_of(word, kTypes)) |
                                         kBranchSpeculation.put(number_of(word, kSpeculations)));
    text.remove_prefix(word.size());
  }
  return result;
}

Mode mode_at(uint64_t address) {
  return (address >> 63) != 0 ? Mode::kKernel : Mode::kUser;
}

}  // namespace

void Branches::add(FrameId from, FrameId to, uint16_t cycles, uint16_t flags) {
  if (newest_first_.size() < kMostEntries) {
    newest_first_.push_back(
        {.edge = builder_.edge({.from = from, .to = to}), .cycles = cycles, .flags = flags});
  } else {
    ++bad_entries_;
  }
}

void Branches::add_entries(std::string_view line) {
  for (size_t flags = find_branch_flags(line); flags != std::string_view::npos;
       flags = find_branch_flags(line)) {
    std::string_view ends_text = trim_start(line.substr(0, flags));
    // Columns before the first entry end with a blank; so do words of names.
    std::optional<Ends> ends = split_ends(ends_text);
    while (!ends && ends_text.find(' ') != std::string_view::npos) {
      ends_text = trim_start(ends_text.substr(ends_text.find(' ')));
      ends = split_ends(ends_text);
    }
    size_t end = std::min(line.find_first_of(" \t", flags), line.size());
    std::optional<EntryFlags> parsed = parse_flags(line.substr(flags + 1, end - flags - 1));
    if (ends && parsed) {
      add(frame_of(ends->from), frame_of(ends->to), parsed->cycles, parsed->flags);
    } else {
      ++bad_entries_;
    }
    line.remove_prefix(end);
  }
}

// "FROM" and "TO" repeat all the time.
FrameId Branches::frame_of(std::string_view location) {
  LineHash hash = hash_line(location);
  FrameId known = frames_.find(hash);
  if (!known.valid()) {
    known = make_frame(location);
    frames_.add(hash, known);
  }
  return known;
}

FrameId Branches::make_frame(std::string_view text) {
  Location location = parse_location(text).value_or(Location());
  if (location.name.empty()) {
    return frame_at(location.address, location.module);
  }
  // The address is an offset in the function.
  ModuleId module = builder_.module(
      {.path = builder_.string(location.module), .address_kind = AddressKind::kInFunction});
  return builder_.frame(
      {.function = builder_.function({.name = builder_.string(location.name), .module = module}),
       .module = module,
       .address = location.address,
       .mode = mode_of(location.module, 0),
       .origin = FrameOrigin::kBranchStack});
}

FrameId Branches::frame_at(uint64_t address, std::string_view module) {
  Frame frame{.address = address, .mode = mode_at(address), .origin = FrameOrigin::kBranchStack};
  if (!module.empty()) {
    frame.module = builder_.module({.path = builder_.string(module)});
    frame.mode = mode_of(module, address);
  } else {
    // The newest mapping is the current one.
    auto contains = [&](const Map& map) { return address >= map.begin && address < map.end; };
    auto map = std::find_if(maps_.rbegin(), maps_.rend(), contains);
    if (map != maps_.rend()) {
      frame.module = map->module;
      frame.address = address - map->begin + map->offset;
    }
  }
  return builder_.frame(frame);
}

void Branches::add_map(std::string_view record) {
  size_t open = record.find("[0x");
  size_t at = record.find(" @ ", open);
  size_t close = record.find("]: ", at);
  if (open == std::string_view::npos || at == std::string_view::npos ||
      close == std::string_view::npos || maps_.size() >= kMostMaps) {
    return;
  }
  std::string_view range = record.substr(open + 3, at - open - 3);  // 400000(0x1000)
  size_t paren = range.find("(0x");
  std::string_view offset = record.substr(at + 3, close - at - 3);
  offset = offset.substr(0, offset.find(' '));
  offset.remove_prefix(offset.starts_with("0x") ? 2 : 0);
  std::string_view path = record.substr(close + 3);
  path = path.substr(std::min(path.find(' ') + 1, path.size()));
  if (paren == std::string_view::npos || !range.ends_with(')') || path.empty()) {
    return;
  }
  std::optional<uint64_t> begin = parse_hex(range.substr(0, paren));
  std::optional<uint64_t> size = parse_hex(range.substr(paren + 3, range.size() - paren - 4));
  std::optional<uint64_t> file_offset = parse_hex(offset);
  bool is_kernel = path.starts_with('[');
  if (begin && size && file_offset && !is_kernel && *size <= UINT64_MAX - *begin) {
    maps_.push_back({.begin = *begin,
                     .end = *begin + *size,
                     .offset = *file_offset,
                     .module = builder_.module({.path = builder_.string(path),
                                                .address_kind = AddressKind::kFileOffset})});
    frames_ = {};  // addresses mean something else now
  }
}

void Branches::add_instruction_line(std::string_view line) {
  line = trim_end(line.substr(1));
  size_t digits = run_length(line, is_hex_digit);
  std::optional<uint64_t> address =
      digits == kAddressColumns ? parse_hex(line.substr(0, digits)) : std::nullopt;
  if (!address) {
    bool is_label = line.ends_with(':');
    if (!is_label) {  // the code is missing here: neither target nor block is known
      begin_ = {};
      if (waits_for_target_) {
        finish_instructions();
      }
    }
    return;
  }
  has_instructions_ = true;
  FrameId frame = frame_at(*address, {});
  if (waits_for_target_) {
    oldest_first_.push_back(
        {.edge = builder_.edge({.from = from_, .to = frame}), .cycles = cycles_, .flags = flags_});
    waits_for_target_ = false;
    begin_ = frame;
    instructions_ = 0;
  }
  ++instructions_;
  size_t mark = line.find("\t# ");
  std::string_view notes = mark == std::string_view::npos ? "" : line.substr(mark + 3);
  if (!notes.starts_with("PRED") && !notes.starts_with("MISPRED")) {
    return;
  }
  if (begin_.valid()) {
    builder_.code_block({.begin = begin_,
                         .end = frame,
                         .instructions = instructions_,
                         .path = BlockPath::kStraight});
  }
  size_t end = notes.find(" cycles");
  std::optional<uint64_t> cycles = end == std::string_view::npos
                                       ? std::optional<uint64_t>(0)
                                       : parse_number<uint64_t>(last_word(notes.substr(0, end)));
  cycles_ = static_cast<uint16_t>(std::min(cycles.value_or(0), kMostCycles));
  bool is_missed = notes.starts_with("MISPRED");
  flags_ =
      static_cast<uint16_t>(flag_if(is_missed, kMispredicted) | flag_if(!is_missed, kPredicted) |
                            flag_if(notes.contains("INTX"), kInTransaction) |
                            flag_if(notes.contains("ABORT"), kTransactionAbort));
  from_ = frame;
  waits_for_target_ = true;
  begin_ = {};
}

// The target of the last branch is unknown.
void Branches::finish_instructions() {
  oldest_first_.push_back({.edge = builder_.edge({.from = from_, .to = frame_at(0, {})}),
                           .cycles = cycles_,
                           .flags = flags_});
  waits_for_target_ = false;
}

BranchSetId Branches::finish() {
  if (waits_for_target_) {
    finish_instructions();
  }
  if (oldest_first_.size() <= kMostEntries) {
    newest_first_.insert(newest_first_.end(), oldest_first_.rbegin(), oldest_first_.rend());
  } else {
    bad_entries_ += oldest_first_.size();
  }
  oldest_first_.clear();
  has_instructions_ = false;
  begin_ = {};
  BranchSetId set;
  if (!newest_first_.empty()) {
    set = builder_.branch_set(newest_first_);
    newest_first_.clear();
  }
  return set;
}

}  // namespace wick::perf_script
