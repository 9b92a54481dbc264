// SPDX-License-Identifier: Apache-2.0
// Reads a jitdump record by record, then builds an index by address.
//
// Each load or move appends a row to functions_, in the order of the file; a row is never changed
// or removed, so its number is stable. A lines record comes before its load and is attached to it
// if the addresses match. finish() builds owners_, in which a later row wins wherever functions
// overlap: find() answers with the newest code. histories() finds the addresses that several
// functions have used, by counting the functions at each address first, so that a hostile dump is
// rejected before memory grows.
//
// Invariants: every size is checked against the record and against address wrap-around before it is
// stored, and the lines of a function are sorted by offset after finish().
#include "symbolize/jit_dump.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "elf/dwarf_cursor.h"

namespace wick {

class JitDumpReader {
 public:
  JitDumpReader(Bytes bytes, JitDump& dump) : file_(bytes), dump_(dump) {}

  void run() {
    constexpr uint32_t kMagic = 0x4A695444;  // "JiTD"
    constexpr size_t kHeader = 40;
    constexpr size_t kPrefix = 16;
    constexpr uint64_t kProcessorTimes = 1;
    uint32_t magic = file_.number<uint32_t>();
    swapped_ = magic == __builtin_bswap32(kMagic);
    if (magic != kMagic && !swapped_) {
      return;
    }
    read<uint32_t>(file_);  // version
    uint32_t header = read<uint32_t>(file_);
    if (header < kHeader || header > file_.remaining() + 12) {
      ++dump_.damaged_;
      return;
    }
    dump_.machine_ = elf_machine(static_cast<uint16_t>(read<uint32_t>(file_)));
    file_.skip(2 * sizeof(uint32_t) + sizeof(uint64_t));  // pad, pid, time
    dump_.has_monotonic_times_ = (read<uint64_t>(file_) & kProcessorTimes) == 0;
    file_.skip(header - kHeader);
    while (file_.remaining() >= kPrefix) {
      uint32_t id = read<uint32_t>(file_);
      uint32_t size = read<uint32_t>(file_);
      time_ns_ = static_cast<int64_t>(std::min<uint64_t>(read<uint64_t>(file_), INT64_MAX));
      if (size < kPrefix || size - kPrefix > file_.remaining()) {
        ++dump_.damaged_;  // truncated, or still being written
        break;
      }
      DwarfCursor record(file_.take(size - kPrefix));
      if (!take(id, record)) {
        ++dump_.damaged_;
      }
    }
    finish();
  }

 private:
  enum Id : uint32_t { kLoad = 0, kMove = 1, kLines = 2 };

  template <typename T>
  T read(DwarfCursor& from) const {
    T number = from.number<T>();
    if (!swapped_) {
      return number;
    }
    if constexpr (sizeof(T) == 4) {
      return __builtin_bswap32(number);
    } else {
      return __builtin_bswap64(number);
    }
  }

  bool take(uint32_t id, DwarfCursor& record) {
    switch (id) {
      case kLoad:
        return take_load(record);
      case kMove:
        return take_move(record);
      case kLines:
        return take_lines(record);
      default:
        return true;
    }
  }

  bool take_load(DwarfCursor& record) {
    record.skip(2 * sizeof(uint32_t) + sizeof(uint64_t));  // pid, tid, linked address
    JitDump::Function function{
        .start = read<uint64_t>(record), .size = read<uint64_t>(record), .time_ns = time_ns_};
    uint64_t number = read<uint64_t>(record);
    function.name = record.text();
    // The code is complete, or omitted by a writer that does not have it.
    constexpr uint64_t kLargest = uint64_t{1} << 30U;
    bool is_cut = record.remaining() != 0 && function.size > record.remaining();
    if (!record.ok() || is_cut || function.size > kLargest ||
        function.size > UINT64_MAX - function.start) {
      return false;
    }
    function.code = file_.offset() - record.remaining();
    function.code_size = std::min<uint64_t>(function.size, record.remaining());
    if (lines_of_ == function.start) {
      function.first_line = first_line_;
      function.lines = static_cast<uint32_t>(dump_.lines_.size()) - first_line_;
      for (size_t i = first_line_; i < dump_.lines_.size(); ++i) {
        dump_.lines_[i].offset -= function.start;
      }
    }
    lines_of_.reset();
    by_number_[number] = dump_.functions_.size();
    dump_.functions_.push_back(std::move(function));
    return true;
  }

  bool take_move(DwarfCursor& record) {
    record.skip(2 * sizeof(uint32_t) + 2 * sizeof(uint64_t));  // pid, tid, address, old address
    uint64_t start = read<uint64_t>(record);
    uint64_t size = read<uint64_t>(record);
    uint64_t number = read<uint64_t>(record);
    auto known = by_number_.find(number);
    if (!record.ok() || known == by_number_.end() || size > UINT64_MAX - start) {
      return false;
    }
    JitDump::Function moved = dump_.functions_[known->second];
    moved.start = start;
    moved.size = size;
    moved.time_ns = time_ns_;
    known->second = dump_.functions_.size();
    dump_.functions_.push_back(std::move(moved));
    return true;
  }

  bool take_lines(DwarfCursor& record) {
    uint64_t address = read<uint64_t>(record);
    uint64_t count = read<uint64_t>(record);
    first_line_ = static_cast<uint32_t>(dump_.lines_.size());
    uint32_t file = 0;
    for (uint64_t i = 0; i < count && record.ok(); ++i) {
      JitDump::Line line{.offset = read<uint64_t>(record), .line = read<uint32_t>(record)};
      record.skip(sizeof(uint32_t));  // discriminator
      std::string_view name = record.text();
      if (name != "\xff") {  // otherwise the same file as before
        file = file_number(name);
      }
      line.file = file;
      if (record.ok()) {
        dump_.lines_.push_back(line);
      }
    }
    lines_of_ = address;
    return record.ok();
  }

  uint32_t file_number(std::string_view name) {
    auto [known, made] =
        files_.try_emplace(std::string(name), static_cast<uint32_t>(dump_.files_.size()));
    if (made) {
      dump_.files_.emplace_back(name);
    }
    return known->second;
  }

  void finish() {
    std::vector<OwnedRange> ranges;
    for (JitDump::Function& function : dump_.functions_) {
      auto owner = static_cast<uint32_t>(ranges.size());
      ranges.push_back({function.start, function.start + function.size, owner});
      dump_.largest_ = std::max(dump_.largest_, function.size);
      auto first = dump_.lines_.begin() + function.first_line;
      std::stable_sort(first, first + function.lines, [](const auto& a, const auto& b) {
        return a.offset < b.offset;
      });
    }
    dump_.is_by_time_ = std::ranges::is_sorted(dump_.functions_, {}, &JitDump::Function::time_ns);
    dump_.by_start_.resize(dump_.functions_.size());
    std::iota(dump_.by_start_.begin(), dump_.by_start_.end(), 0U);
    std::ranges::stable_sort(
        dump_.by_start_, {}, [&](uint32_t number) { return dump_.functions_[number].start; });
    dump_.owners_ = RangeTable(std::move(ranges), RangeTable::Winner::kLarger);
  }

  DwarfCursor file_;
  JitDump& dump_;
  bool swapped_ = false;
  int64_t time_ns_ = 0;  // of the current record
  std::unordered_map<uint64_t, size_t> by_number_;
  std::unordered_map<std::string, uint32_t> files_;
  std::optional<uint64_t> lines_of_;  // address of the last lines record
  uint32_t first_line_ = 0;
};

JitDump JitDump::parse(Bytes bytes) {
  JitDump dump;
  JitDumpReader(bytes, dump).run();
  return dump;
}

std::optional<NamedCode> JitDump::find(uint64_t address) const {
  std::optional<uint32_t> number = number_at(address);
  return number ? std::optional(code_at(*number, address)) : std::nullopt;
}

std::optional<uint32_t> JitDump::number_at(uint64_t address) const {
  uint32_t owner = owners_.find(address);
  return owner == RangeTable::kNone ? std::nullopt : std::optional(owner);
}

// Few functions have used one address, unless the dump is hostile: then the last one counts.
std::optional<uint32_t> JitDump::number_at(uint64_t address, int64_t time_ns) const {
  constexpr size_t kMaxFunctions = 4096;
  std::optional<uint32_t> last = number_at(address);
  if (!last || (is_by_time_ && functions_[*last].time_ns <= time_ns)) {
    return last;
  }
  auto start_of = [&](uint32_t number) { return functions_[number].start; };
  auto at = std::ranges::upper_bound(by_start_, address, {}, start_of);
  auto is_later = [&](uint32_t one, uint32_t other) {
    return std::pair(functions_[one].time_ns, one) > std::pair(functions_[other].time_ns, other);
  };
  std::optional<uint32_t> before;  // the last one up to that time
  std::optional<uint32_t> first;
  for (size_t seen = 0; at != by_start_.begin() && seen < kMaxFunctions; ++seen) {
    uint32_t number = *--at;
    const Function& function = functions_[number];
    if (address - function.start >= largest_) {
      break;
    }
    if (address - function.start >= function.size) {
      continue;
    }
    if (function.time_ns <= time_ns && (!before || is_later(number, *before))) {
      before = number;
    }
    if (!first || is_later(*first, number)) {
      first = number;
    }
  }
  return before ? before : first;
}

std::optional<uint32_t> JitDump::number_of(uint64_t start, std::string_view name) const {
  for (size_t row = functions_.size(); row-- > 0;) {
    if (functions_[row].start == start && functions_[row].name == name) {
      return static_cast<uint32_t>(row);
    }
  }
  return {};
}

Bytes JitDump::code_of(uint32_t function, Bytes file) const {
  const Function& row = functions_[function];
  Bytes rest = file.subspan(std::min<uint64_t>(row.code, file.size()));
  return rest.first(std::min<uint64_t>({row.code_size, row.size, rest.size()}));
}

NamedCode JitDump::code_at(uint32_t number, uint64_t address) const {
  const Function& function = functions_[number];
  NamedCode code{.function = {function.start, function.size, function.name}, .file = {}};
  auto first = lines_.begin() + function.first_line;
  auto after = std::upper_bound(
      first, first + function.lines, address - function.start, [](uint64_t at, const Line& line) {
        return at < line.offset;
      });
  if (after != first) {
    code.file = files_[(after - 1)->file];
    code.line = (after - 1)->line;
  }
  return code;
}

std::optional<std::vector<JitHistory>> JitDump::histories(
    std::span<const uint64_t> addresses) const {
  constexpr size_t kMaxLoads = size_t{1} << 22U;
  auto rows_of = [&](const Function& function) {
    auto first = std::ranges::lower_bound(addresses, function.start);
    auto last = std::ranges::lower_bound(addresses, function.start + function.size);
    return std::pair(first - addresses.begin(), last - addresses.begin());
  };
  // The number of functions at each address, as the difference to the previous address.
  std::vector<int64_t> counts(addresses.size() + 1);
  for (const Function& function : functions_) {
    auto [first, last] = rows_of(function);
    ++counts[static_cast<size_t>(first)];
    --counts[static_cast<size_t>(last)];
  }
  std::vector<JitHistory> histories;
  std::vector<uint64_t> reused;
  size_t loads = 0;
  int64_t count = 0;
  for (size_t row = 0; row < addresses.size(); ++row) {
    count += counts[row];
    if (count > 1) {
      loads += static_cast<size_t>(count);
      histories.push_back({.address = addresses[row], .loads = {}});
      reused.push_back(addresses[row]);
    }
  }
  if (loads > kMaxLoads) {
    return {};
  }
  addresses = reused;
  for (uint32_t number = 0; number < functions_.size(); ++number) {
    auto [first, last] = rows_of(functions_[number]);
    for (auto row = first; row < last; ++row) {
      histories[static_cast<size_t>(row)].loads.push_back({functions_[number].time_ns, number});
    }
  }
  for (JitHistory& history : histories) {
    std::ranges::stable_sort(history.loads, {}, &JitHistory::Load::time_ns);
  }
  return histories;
}

}  // namespace wick
